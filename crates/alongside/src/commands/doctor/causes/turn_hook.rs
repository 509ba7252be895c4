//! The words of causes in the hook of turns. Without it, an agent works as before, and a review begins
//! elsewhere.

use alongside_contract::agent::Agent;
use alongside_desk::harmless;

use super::hook::HookCause;
use crate::commands::doctor::message::{Fix, Message};

/// The message of a cause; `None` for one that only hooks before a write have.
pub(in crate::commands::doctor) fn message(cause: &HookCause, agent: &Agent) -> Option<Message> {
    let name = agent.display_name;
    let install = |is_project: &bool| {
        let project = if *is_project { " --project" } else { "" };
        [Fix::Command(format!("alongside install {} --turns{project}", agent.id))]
    };
    Some(match cause {
        HookCause::Incomplete { path, events, is_project } => Message::hinders(
            "turn-hook-incomplete",
            format!(
                "{} lacks the hook of turns for {}: beginnings or ends are missing in reviews",
                harmless::path(path),
                events.join(" and ")
            ),
            install(is_project),
        ),
        HookCause::CutOff { path, limit, is_project } => Message::hinders(
            "turn-hook-timeout",
            format!(
                "{name} gives the hook of turns up after {} s by its timeout in {}, where it may need 3 s",
                limit.as_secs(),
                harmless::path(path)
            ),
            install(is_project),
        ),
        HookCause::Twice { paths, event } => {
            let paths: Vec<_> = paths.iter().map(|path| harmless::path(path)).collect();
            Message::hinders(
                "turn-hook-twice",
                format!("the hook of turns is there more than once for {event} ({})", paths.join(", ")),
                [Fix::advice("remove the entries that you do not need")],
            )
        }
        HookCause::NoProgram { path, program, is_project } => Message::hinders(
            "turn-hook-program-missing",
            format!(
                "the hook of turns in {} starts {}, which is no program: no turn is noted",
                harmless::path(path),
                harmless::name(program)
            ),
            install(is_project),
        ),
        HookCause::OtherProgram { program, own, is_project } => Message::note(
            "turn-hook-other-program",
            format!("the hook of turns starts {}; this is {}", harmless::name(program), harmless::name(own)),
            install(is_project),
        ),
        HookCause::SwitchedOff { path, by } => Message::hinders(
            "turn-hook-switched-off",
            format!("{by} in {} switches the hook of turns off", harmless::path(path)),
            [Fix::Advice(format!("take {by} out of {}", harmless::path(path)))],
        ),
        HookCause::Disabled { path } => Message::hinders(
            "turn-hook-disabled",
            format!("{name} skips the hook of turns in {}: it is switched off there", harmless::path(path)),
            [Fix::Advice(format!("start {} and switch the hook on", agent.command()))],
        ),
        HookCause::Untrusted { path } => Message::hinders(
            "turn-hook-untrusted",
            format!("{name} skips the hook of turns in {} until you trust it", harmless::path(path)),
            [Fix::Advice(format!("start {} and confirm", agent.command()))],
        ),
        HookCause::NotRead { path } => Message::hinders(
            "turn-hook-not-read",
            format!(
                "{name} does not read the hook of turns in {}: it reads those of a project that you trust",
                harmless::path(path)
            ),
            [Fix::Advice(format!("start {} in this directory and trust it", agent.command()))],
        ),
        HookCause::UnknownTrust => Message::note(
            "turn-hook-trust-unknown",
            format!(
                "{name} does not say whether it trusts the hook of turns, and skips one that it does not"
            ),
            [Fix::Advice(format!("start {}: it asks if it has to", agent.command()))],
        ),
        HookCause::OtherHook { path, command } => Message::note(
            "turn-hook-other-hook",
            format!(
                "{name} also runs {} at its prompts or ends ({}): a file that it changes may count as the \
                 agent's or as yours, and one that makes the agent go on makes the turn longer",
                harmless::name(command),
                harmless::path(path)
            ),
            [],
        ),
        HookCause::NoGit => cause.message(agent),
        HookCause::Broken { .. }
        | HookCause::Matcher { .. }
        | HookCause::FailsOpen
        | HookCause::FailsOpenBefore { .. }
        | HookCause::FailsClosed { .. }
        | HookCause::FailsClosedSince { .. }
        | HookCause::AsksForNoRefusal { .. }
        | HookCause::FindsNoCompanion { .. }
        | HookCause::CompanionRestarts => return None,
    })
}
