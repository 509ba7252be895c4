//! Causes in the two hooks of an agent: the hook before each write, and the hook of turns. A fault of the
//! hook of turns does not stop the agent, but a turn review lacks beginnings or ends of turns.

use std::time::Duration;

use alongside_agent::settings::hooks::{HookScope, OurHook};
use alongside_contract::agent::Agent;
use alongside_contract::settings::{Release, release_number};

use crate::commands::doctor::diagnosis::{Diagnosis, Fix, ShownPath, join_paths};

/// A cause in one of our hooks: a fault, or the consequence if the hook fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum HookCause {
    /// The file cannot be read.
    UnreadableSettings { path: ShownPath, error: String },
    /// The file lacks the hook for these events.
    MissingEvents { path: ShownPath, events: Vec<&'static str>, scope: HookScope },
    /// The pattern leaves out tools that write files.
    NarrowMatcher { path: ShownPath, matcher: String, expected: &'static str, scope: HookScope },
    /// The agent's timeout for the hook, `limit`, is too short.
    ShortTimeout { path: ShownPath, limit: Duration, scope: HookScope },
    /// The agent goes on without a review if the hook fails.
    FailsOpen,
    /// This release goes on without a review if the hook fails; newer releases refuse the change.
    FailsOpenBefore { since: Release, release: Release },
    /// The agent refuses the change if the hook fails.
    FailsClosed { release: Release },
    /// Releases from `since` on refuse the change if the hook fails, and the installed release is unknown.
    FailsClosedSince { since: Release },
    /// The entry does not ask the agent to refuse a change if the hook fails. `is_older`: an older alongside
    /// wrote it, so that an installation corrects it.
    AsksForNoRefusal { path: ShownPath, is_older: bool, scope: HookScope },
    /// The program of the hook does not exist, or cannot be started.
    NoProgram { path: ShownPath, program: String, scope: HookScope },
    /// The hook starts another program than this one.
    OtherProgram { program: String, own: String, scope: HookScope },
    /// A setting of the agent switches the hook off.
    SwitchedOff { path: ShownPath, by: &'static str },
    /// The person has switched the hook off in the agent.
    Disabled { path: ShownPath },
    /// The agent skips the hook until the person trusts it.
    Untrusted { path: ShownPath },
    /// The agent does not read the file.
    NotRead { path: ShownPath },
    /// The agent does not say whether it trusts the hook.
    UnknownTrust,
    /// Several entries start the hook for one event, so that it may ask several times.
    Duplicate { paths: Vec<ShownPath>, event: &'static str },
    /// A hook of another program runs at the same event.
    OtherHook { path: ShownPath, command: String },
    /// A companion serves this directory, but the hook does not find it in the places that it searches.
    FindsNoCompanion { companion: String, places: Vec<ShownPath> },
    /// The companion has crashed, and its desks do not start it again.
    CompanionRestarts,
    /// No turn is recorded, because git is missing.
    NoGit,
}

impl HookCause {
    /// Describes the cause in one of our hooks of this agent.
    pub(in crate::commands::doctor) fn diagnosis(&self, agent: &Agent, ours: OurHook) -> Diagnosis {
        let name = agent.display_name;
        let is_turn_hook = ours == OurHook::Turn;
        // Chooses the word, or the id, for this hook.
        let either = |for_write: &'static str, for_turn| if is_turn_hook { for_turn } else { for_write };
        let hook = either("the hook", "the hook of turns");
        let install = |scope: &HookScope| {
            let option = either("hook", "turns");
            let project = match scope {
                HookScope::Project => " --project",
                HookScope::User => "",
            };
            [Fix::command(format!("alongside install {} --{option}{project}", agent.id))]
        };
        match self {
            Self::UnreadableSettings { path, error } => Diagnosis::note(
                "hook-settings-broken",
                format!("{path} may hold a hook, but cannot be read: {error}"),
                [],
            ),
            Self::MissingEvents { path, events, scope } => Diagnosis::hinders(
                either("hook-incomplete", "turn-hook-incomplete"),
                format!(
                    "{path} lacks {hook} for {}{}",
                    events.join(" and "),
                    either("", ": beginnings or ends are missing in reviews")
                ),
                install(scope),
            ),
            Self::NarrowMatcher { path, matcher, expected, scope } => Diagnosis::hinders(
                "hook-matcher",
                format!(
                    "the hook in {path} is for the tools {matcher:?}, not for all of {expected:?}; changes \
                     by the others come to no desk"
                ),
                install(scope),
            ),
            Self::ShortTimeout { path, limit, scope } => {
                let seconds = limit.as_secs();
                let write_text = format!(
                    "the review would be cut off after {seconds} s by the hook's timeout in {path}, and the \
                     change made"
                );
                let turn_text = format!(
                    "{name} gives the hook of turns up after {seconds} s by its timeout in {path}, where \
                     it may need 3 s"
                );
                Diagnosis::hinders(
                    either("hook-timeout", "turn-hook-timeout"),
                    if is_turn_hook { turn_text } else { write_text },
                    install(scope),
                )
            }
            Self::Duplicate { paths, event } => {
                let mut text = format!("{hook} is there more than once for {event} ({})", join_paths(paths));
                if !is_turn_hook {
                    text += &format!(": {name} may run it as often for each edit");
                }
                let fix = Fix::advice("remove the entries that you do not need");
                Diagnosis::hinders(either("hook-twice", "turn-hook-twice"), text, [fix])
            }
            Self::FailsOpen => Diagnosis::note(
                "hook-fails-open",
                format!(
                    "if the hook dies, is late or cannot start, {name} makes the change without a review"
                ),
                [],
            ),
            Self::FailsOpenBefore { since, release } => Diagnosis::note(
                "hook-fails-open",
                format!(
                    "if the hook dies, is late or cannot start, {name} {} makes the change without a review; \
                     {} and newer refuse it",
                    release_number(*release),
                    release_number(*since)
                ),
                [Fix::update(agent)],
            ),
            Self::FailsClosed { release } => Diagnosis::note(
                "hook-fails-closed",
                format!(
                    "if the hook dies or is late, {name} {} refuses the change; without the program, it \
                     makes the change and says so",
                    release_number(*release)
                ),
                [],
            ),
            Self::FailsClosedSince { since } => Diagnosis::note(
                "hook-failure-unknown",
                format!(
                    "if the hook dies or is late, {name} refuses the change from {} on, and makes it before; \
                     which {name} runs here is unknown",
                    release_number(*since)
                ),
                [],
            ),
            Self::AsksForNoRefusal { path, is_older, scope } => {
                let if_older = if *is_older { " is that of an older alongside: it" } else { "" };
                let text = format!(
                    "the hook in {path}{if_older} does not ask {name} to refuse a change when the hook \
                     dies or is late: it makes the change without a review"
                );
                let by_hand = "write it as docs/hooks.md does, with your own words behind `exec`";
                let fix = if *is_older { install(scope) } else { [Fix::advice(by_hand)] };
                Diagnosis::note("hook-asks-for-no-refusal", text, fix)
            }
            Self::NoProgram { path, program, scope } => {
                let consequence = either("no change comes to a desk", "no turn is noted");
                Diagnosis::hinders(
                    either("hook-program-missing", "turn-hook-program-missing"),
                    format!("{hook} in {path} starts {program}, which is no program: {consequence}"),
                    install(scope),
                )
            }
            Self::OtherProgram { program, own, scope } => Diagnosis::note(
                either("hook-other-program", "turn-hook-other-program"),
                format!("{hook} starts {program}; this is {own}"),
                install(scope),
            ),
            Self::SwitchedOff { path, by } => Diagnosis::hinders(
                either("hook-switched-off", "turn-hook-switched-off"),
                format!("{by} in {path} switches {hook} off"),
                [Fix::advice(format!("take {by} out of {path}"))],
            ),
            Self::Disabled { path } => Diagnosis::hinders(
                either("hook-disabled", "turn-hook-disabled"),
                format!("{name} skips {hook} in {path}: it is switched off there"),
                [Fix::advice(format!("start {} and switch the hook on", agent.command()))],
            ),
            Self::Untrusted { path } => Diagnosis::hinders(
                either("hook-untrusted", "turn-hook-untrusted"),
                format!("{name} skips {hook} in {path} until you trust it"),
                [Fix::advice(format!("start {} and confirm", agent.command()))],
            ),
            Self::NotRead { path } => Diagnosis::hinders(
                either("hook-not-read", "turn-hook-not-read"),
                format!("{name} does not read {hook} in {path}: it reads those of a project that you trust"),
                [Fix::advice(format!("start {} in this directory and trust it", agent.command()))],
            ),
            Self::UnknownTrust => Diagnosis::note(
                either("hook-trust-unknown", "turn-hook-trust-unknown"),
                format!("{name} does not say whether it trusts {hook}, and skips one that it does not"),
                [Fix::advice(format!("start {}: it asks if it has to", agent.command()))],
            ),
            Self::OtherHook { path, command } if is_turn_hook => Diagnosis::note(
                "turn-hook-other-hook",
                format!(
                    "{name} also runs {command} at its prompts or ends ({path}): a file that it changes \
                     may count as the agent's or as yours, and one that makes the agent go on makes the \
                     turn longer"
                ),
                [],
            ),
            Self::OtherHook { path, command } => Diagnosis::note(
                "hook-other-hook",
                format!(
                    "{name} also runs {command} before the same tools ({path}): if that changes the text, \
                     its text may be written instead of yours"
                ),
                [Fix::advice(format!(
                    "if it changes files, take it out of {path}, or run it after the tools"
                ))],
            ),
            Self::FindsNoCompanion { companion, places } => Diagnosis::hinders(
                "hook-finds-no-companion",
                format!(
                    "{companion} serves this directory, but the hook does not find it in {}: changes \
                     without a question come to no desk",
                    join_paths(places)
                ),
                [
                    Fix::advice(
                        "hooks ask companions of alongside only: end its editors and desks, and start them \
                         again without ALONGSIDE_RUNTIME_DIR; or in another terminal:",
                    ),
                    Fix::command("alongside"),
                ],
            ),
            Self::CompanionRestarts => Diagnosis::hinders(
                "hook-companion-restarts",
                "the companion of this directory has crashed, and its desks do not start it again: every \
                 change is refused",
                [Fix::advice("close its editors and desks, and start them again")],
            ),
            Self::NoGit => Diagnosis::hinders(
                "turn-hook-no-git",
                "there is no git in PATH, so no turn is noted",
                [Fix::advice("install git")],
            ),
        }
    }
}
