//! An entry of ours in a settings file, and the entry that an installation would leave: a person's additions
//! stay.

use std::time::Duration;

use alongside_contract::agent::HookAgent;

use super::command_line::{CommandLine, has_guard, waiter_command};
use super::registration::{OurHook, Registration};

/// An entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEntry {
    /// The hook of ours that it starts.
    pub hook: OurHook,
    /// The event that it is registered for.
    pub event: String,
    /// Whether the hook is the waiter.
    pub is_waiter: bool,
    /// The pattern of the tools. Without one, the agent calls the hook for all tools.
    pub matcher: Option<String>,
    /// The command line.
    pub command: String,
    /// Whether the entry has the program and its arguments in separate fields, so that no shell reads them.
    pub has_argument_list: bool,
    /// The timeout, in the agent's unit.
    pub timeout: Option<u64>,
    /// The value of the key for the consequence of a hook that fails.
    pub on_failure: Option<String>,
}

/// The key of [`HookEntry::on_failure`].
pub(super) const ON_FAILURE_KEY: &str = "onFailure";

/// The value that makes the agent refuse the change.
const REFUSE_ON_FAILURE: &str = "block";

impl HookEntry {
    /// Makes the entry that an installation writes for a registration.
    pub(super) fn wanted(
        registration: &Registration,
        hook: OurHook,
        agent: HookAgent,
        command: &str,
    ) -> Self {
        Self {
            hook,
            event: registration.event.to_owned(),
            is_waiter: registration.background_field.is_some(),
            matcher: registration.matcher.map(ToOwned::to_owned),
            command: match registration.background_field {
                Some(_) => waiter_command(command),
                None => command.to_owned(),
            },
            has_argument_list: false,
            timeout: Some(registration.timeout),
            on_failure: on_failure_value(registration, command, agent),
        }
    }

    /// Whether this entry has the event of a registration, and both or neither are for the waiter.
    pub fn is_for(&self, registration: &Registration) -> bool {
        self.event == registration.event && self.is_waiter == registration.background_field.is_some()
    }

    /// Whether the entry asks the agent to refuse a change if the hook fails, while its guard lets the change
    /// through without the program.
    pub fn asks_to_refuse(&self, agent: HookAgent) -> bool {
        self.on_failure.as_deref() == Some(REFUSE_ON_FAILURE) && has_guard(&self.command, agent)
    }

    /// Whether an installation would make the entry ask for it.
    pub fn can_ask_to_refuse(&self, registration: &Registration, agent: HookAgent, command: &str) -> bool {
        self.updated(registration, agent, command).asks_to_refuse(agent)
    }

    /// Returns the program as the command line has it.
    pub fn program(&self, agent: HookAgent) -> Option<&str> {
        CommandLine::of(&self.command, agent).map(|line| line.program)
    }

    /// Returns the longest time that the hook may take: an option of the command line may give another time
    /// than the default.
    pub fn time_budget(&self, agent: HookAgent) -> Duration {
        let limit = CommandLine::of(&self.command, agent).and_then(|line| line.timeout());
        self.hook.time_budget(agent, limit.unwrap_or(agent.hook.wait.limit))
    }

    /// Makes the entry for a registration as [`Self::wanted`] does, but keeps what a person added to the
    /// command line.
    pub(super) fn updated(&self, registration: &Registration, agent: HookAgent, command: &str) -> Self {
        let mut wanted = Self::wanted(registration, self.hook, agent, command);
        let new = CommandLine::of(command, agent);
        let line = CommandLine::of(&self.command, agent).filter(CommandLine::is_changed);
        if let (Some(line), Some(new)) = (line, new) {
            wanted.command = match self.has_argument_list {
                // The person wrote this argument list.
                true => self.command.clone(),
                false => line.with_program_of(&new, agent),
            };
            wanted.on_failure = on_failure_value(registration, &wanted.command, agent);
            // Their timeout stays too, unless the agent would end the hook before its own timeout.
            if line.timeout().is_some() && self.time_budget(agent) <= self.limit(agent) {
                wanted.timeout = self.timeout;
            }
        }
        if self.on_failure.is_some() {
            wanted.on_failure.clone_from(&self.on_failure);
        }
        wanted
    }

    /// Whether the agent calls the hook for all tools of a registration.
    pub fn covers_tools_of(&self, registration: &Registration) -> bool {
        let is_for_all = |matcher| ["", "*"].contains(&matcher) || registration.matcher == Some(matcher);
        self.matcher.as_deref().is_none_or(is_for_all)
    }

    /// Returns the time that the agent waits for the hook.
    pub fn limit(&self, agent: HookAgent) -> Duration {
        agent.hook.wait.limit_of(self.timeout)
    }
}

/// Returns the value of [`ON_FAILURE_KEY`] for a registration, if it has one.
fn on_failure_value(registration: &Registration, command: &str, agent: HookAgent) -> Option<String> {
    let refuses = registration.can_refuse && has_guard(command, agent);
    refuses.then(|| REFUSE_ON_FAILURE.to_owned())
}
