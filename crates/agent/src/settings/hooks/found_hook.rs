//! An entry of ours as it stands in a file, and as an installation would leave it: a person's words in it
//! stay.

use std::time::Duration;

use alongside_contract::agent::HookAgent;

use super::command_line::{CommandLine, has_guard, waiting};
use super::registration::{OurHook, Registration};

/// An entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundHook {
    /// Which of our hooks it starts.
    pub hook: OurHook,
    /// The event that it is registered for.
    pub event: String,
    /// Whether it waits beside the idle session.
    pub waits: bool,
    /// The pattern of the tools; without one it is called for all.
    pub matcher: Option<String>,
    /// The command line.
    pub command: String,
    /// Whether the entry names the program and its arguments apart, so that no shell reads them.
    pub is_apart: bool,
    /// The timeout in the agent's unit.
    pub timeout: Option<u64>,
    /// The word to the agent about a hook that fails, if there is one.
    pub on_failure: Option<String>,
}

/// The key of that word, and the word that makes the agent refuse the change.
pub(super) const ON_FAILURE: (&str, &str) = ("onFailure", "block");

impl FoundHook {
    pub(super) fn wanted(entry: &Registration, hook: OurHook, agent: HookAgent, command: &str) -> Self {
        Self {
            hook,
            event: entry.event.to_owned(),
            waits: entry.waits.is_some(),
            matcher: entry.matcher.map(ToOwned::to_owned),
            command: if entry.waits.is_some() { waiting(command) } else { command.to_owned() },
            is_apart: false,
            timeout: Some(entry.timeout),
            on_failure: refusal(entry, command, agent),
        }
    }

    /// Whether it is the one of an entry.
    pub fn is_for(&self, entry: &Registration) -> bool {
        self.event == entry.event && self.waits == entry.waits.is_some()
    }

    /// Whether it asks the agent to refuse a change if it fails, and a missing program lets the change
    /// through.
    pub fn asks_to_refuse(&self, agent: HookAgent) -> bool {
        self.on_failure.as_deref() == Some(ON_FAILURE.1) && has_guard(&self.command, agent)
    }

    /// Whether an installation would make it ask.
    pub fn can_ask_to_refuse(&self, entry: &Registration, agent: HookAgent, command: &str) -> bool {
        self.updated(entry, agent, command).asks_to_refuse(agent)
    }

    /// The program in the command line, as it is written there.
    pub fn program(&self, agent: HookAgent) -> Option<&str> {
        CommandLine::of(&self.command, agent).map(|line| line.program)
    }

    /// How long it works, or waits for a decision: an option of the command line may say another time than
    /// ours.
    pub fn patience(&self, agent: HookAgent) -> Duration {
        let limit = CommandLine::of(&self.command, agent).and_then(|line| line.timeout());
        self.hook.patience(agent, limit.unwrap_or(agent.hook.wait.limit))
    }

    /// The entry for an event: as [`Self::wanted`], but a person's words in the command line stay.
    pub(super) fn updated(&self, entry: &Registration, agent: HookAgent, command: &str) -> Self {
        let mut wanted = Self::wanted(entry, self.hook, agent, command);
        let new = CommandLine::of(command, agent);
        let line = CommandLine::of(&self.command, agent).filter(CommandLine::is_changed);
        if let (Some(line), Some(new)) = (line, new) {
            wanted.command = match self.is_apart {
                // The person's own list.
                true => self.command.clone(),
                false => line.with_program_of(&new, agent),
            };
            wanted.on_failure = refusal(entry, &wanted.command, agent);
            // Theirs, too, if it does not cut the hook off.
            if line.timeout().is_some() && self.patience(agent) <= self.limit(agent) {
                wanted.timeout = self.timeout;
            }
        }
        if self.on_failure.is_some() {
            wanted.on_failure.clone_from(&self.on_failure);
        }
        wanted
    }

    /// Whether it is called for all tools of an entry.
    pub fn has_tools_of(&self, entry: &Registration) -> bool {
        let is_for_all = |matcher| ["", "*"].contains(&matcher) || entry.matcher == Some(matcher);
        self.matcher.as_deref().is_none_or(is_for_all)
    }

    /// How long the agent waits for it.
    pub fn limit(&self, agent: HookAgent) -> Duration {
        agent.hook.wait.limit_of(self.timeout)
    }
}

/// The word about a failure.
fn refusal(entry: &Registration, command: &str, agent: HookAgent) -> Option<String> {
    let refuses = entry.can_refuse && has_guard(command, agent);
    refuses.then(|| ON_FAILURE.1.to_owned())
}
