//! Causes in the hook of an agent.

use std::path::PathBuf;
use std::time::Duration;

use alongside_contract::agent::Agent;
use alongside_contract::settings::Release;
use alongside_desk::harmless;

use crate::commands::doctor::agents::release_number;
use crate::commands::doctor::message::{Fix, Message};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum HookCause {
    /// The file cannot be read.
    Broken { path: PathBuf, error: String },
    /// The file lacks the hook for these events.
    Incomplete { path: PathBuf, events: Vec<&'static str>, is_project: bool },
    /// The pattern leaves out tools that write files.
    Matcher { path: PathBuf, matcher: String, expected: &'static str, is_project: bool },
    /// The agent waits for the hook no longer than this.
    CutOff { path: PathBuf, limit: Duration, is_project: bool },
    /// The agent goes on without a review if the hook fails.
    FailsOpen,
    /// It does in this release; newer ones refuse the change.
    FailsOpenBefore { since: Release, release: Release },
    /// It refuses the change.
    FailsClosed { release: Release },
    /// It refuses the change if it is this release or a newer one, which nobody knows.
    FailsClosedSince { since: Release },
    /// The entry does not ask the agent to refuse a change. `is_older`: an installation mends that.
    AsksForNoRefusal { path: PathBuf, is_older: bool, is_project: bool },
    /// The program of the hook does not exist, or cannot be started.
    NoProgram { path: PathBuf, program: String, is_project: bool },
    /// The hook starts another program than this one.
    OtherProgram { program: String, own: String, is_project: bool },
    /// A setting of the agent switches the hook off.
    SwitchedOff { path: PathBuf, by: &'static str },
    /// The person has switched the hook off in the agent.
    Disabled { path: PathBuf },
    /// The agent skips the hook until the person trusts it.
    Untrusted { path: PathBuf },
    /// The agent does not read the file.
    NotRead { path: PathBuf },
    /// The agent does not say whether it trusts the hook.
    UnknownTrust,
    /// The hook is there more than once, and may ask as often.
    Twice { paths: Vec<PathBuf>, event: &'static str },
    /// Somebody else's hook runs before the same tools.
    OtherHook { path: PathBuf, command: String },
    /// A companion serves this directory, and the hook does not find it in the places where it looks.
    FindsNoCompanion { companion: String, places: Vec<PathBuf> },
    /// The companion has crashed, and the hook waits in vain for its desks to start it again.
    CompanionRestarts,
    /// There is no git, so that no turn is noted.
    NoGit,
}

impl HookCause {
    /// The cause as a message about the hook before each write of this agent.
    pub(in crate::commands::doctor) fn message(&self, agent: &Agent) -> Message {
        let install = |is_project: bool| {
            let project = if is_project { " --project" } else { "" };
            [Fix::Command(format!("alongside install {} --hook{project}", agent.id))]
        };
        match self {
            Self::Broken { path, error } => Message::note(
                "hook-settings-broken",
                format!(
                    "{} may hold a hook, but cannot be read: {}",
                    harmless::path(path),
                    harmless::name(error)
                ),
                [],
            ),
            Self::Incomplete { path, events, is_project } => Message::hinders(
                "hook-incomplete",
                format!("{} lacks the hook for {}", harmless::path(path), events.join(" and ")),
                install(*is_project),
            ),
            Self::Matcher { path, matcher, expected, is_project } => Message::hinders(
                "hook-matcher",
                format!(
                    "the hook in {} is for the tools {:?}, not for all of {expected:?}; changes by the \
                     others come to no desk",
                    harmless::path(path),
                    harmless::name(matcher)
                ),
                install(*is_project),
            ),
            Self::CutOff { path, limit, is_project } => Message::hinders(
                "hook-timeout",
                format!(
                    "the review would be cut off after {} s by the hook's timeout in {}, and the change made",
                    limit.as_secs(),
                    harmless::path(path)
                ),
                install(*is_project),
            ),
            Self::Twice { paths, event } => {
                let paths: Vec<_> = paths.iter().map(|path| harmless::path(path)).collect();
                Message::hinders(
                    "hook-twice",
                    format!(
                        "the hook is there more than once for {event} ({}): {} may run it as often for each \
                         edit",
                        paths.join(", "),
                        agent.display_name
                    ),
                    [Fix::advice("remove the entries that you do not need")],
                )
            }
            Self::FailsOpen => Message::note(
                "hook-fails-open",
                format!(
                    "if the hook dies, is late or cannot start, {} makes the change without a review",
                    agent.display_name
                ),
                [],
            ),
            Self::FailsOpenBefore { since, release } => Message::note(
                "hook-fails-open",
                format!(
                    "if the hook dies, is late or cannot start, {} {} makes the change without a review; {} \
                     and newer refuse it",
                    agent.display_name,
                    release_number(*release),
                    release_number(*since)
                ),
                [Fix::update(agent)],
            ),
            Self::FailsClosed { release } => Message::note(
                "hook-fails-closed",
                format!(
                    "if the hook dies or is late, {} {} refuses the change; without the program, it makes \
                     the change and says so",
                    agent.display_name,
                    release_number(*release)
                ),
                [],
            ),
            Self::FailsClosedSince { since } => Message::note(
                "hook-failure-unknown",
                format!(
                    "if the hook dies or is late, {name} refuses the change from {} on, and makes it before; \
                     which {name} runs here is unknown",
                    release_number(*since),
                    name = agent.display_name
                ),
                [],
            ),
            Self::AsksForNoRefusal { path, is_older, is_project } => {
                let of_older = if *is_older { " is that of an older alongside: it" } else { "" };
                let text = format!(
                    "the hook in {}{of_older} does not ask {} to refuse a change when the hook dies or is \
                     late: it makes the change without a review",
                    harmless::path(path),
                    agent.display_name
                );
                let advice = "write it as docs/hooks.md does, with your own words behind `exec`";
                match is_older {
                    true => Message::note("hook-asks-for-no-refusal", text, install(*is_project)),
                    false => Message::note("hook-asks-for-no-refusal", text, [Fix::advice(advice)]),
                }
            }
            Self::NoProgram { path, program, is_project } => Message::hinders(
                "hook-program-missing",
                format!(
                    "the hook in {} starts {}, which is no program: no change comes to a desk",
                    harmless::path(path),
                    harmless::name(program)
                ),
                install(*is_project),
            ),
            Self::OtherProgram { program, own, is_project } => Message::note(
                "hook-other-program",
                format!("the hook starts {}; this is {}", harmless::name(program), harmless::name(own)),
                install(*is_project),
            ),
            Self::SwitchedOff { path, by } => Message::hinders(
                "hook-switched-off",
                format!("{by} in {} switches the hook off", harmless::path(path)),
                [Fix::Advice(format!("take {by} out of {}", harmless::path(path)))],
            ),
            Self::Disabled { path } => Message::hinders(
                "hook-disabled",
                format!(
                    "{} skips the hook in {}: it is switched off there",
                    agent.display_name,
                    harmless::path(path)
                ),
                [Fix::Advice(format!("start {} and switch the hook on", agent.command()))],
            ),
            Self::Untrusted { path } => Message::hinders(
                "hook-untrusted",
                format!(
                    "{} skips the hook in {} until you trust it",
                    agent.display_name,
                    harmless::path(path)
                ),
                [Fix::Advice(format!("start {} and confirm", agent.command()))],
            ),
            Self::NotRead { path } => Message::hinders(
                "hook-not-read",
                format!(
                    "{} does not read the hook in {}: it reads those of a project that you trust",
                    agent.display_name,
                    harmless::path(path)
                ),
                [Fix::Advice(format!("start {} in this directory and trust it", agent.command()))],
            ),
            Self::UnknownTrust => Message::note(
                "hook-trust-unknown",
                format!(
                    "{} does not say whether it trusts the hook, and skips one that it does not",
                    agent.display_name
                ),
                [Fix::Advice(format!("start {}: it asks if it has to", agent.command()))],
            ),
            Self::OtherHook { path, command } => Message::note(
                "hook-other-hook",
                format!(
                    "{} also runs {} before the same tools ({}): if that changes the text, its text may be \
                     written instead of yours",
                    agent.display_name,
                    harmless::name(command),
                    harmless::path(path)
                ),
                [Fix::Advice(format!(
                    "if it changes files, take it out of {}, or run it after the tools",
                    harmless::path(path)
                ))],
            ),
            Self::FindsNoCompanion { companion, places } => {
                let places: Vec<_> = places.iter().map(|place| harmless::path(place)).collect();
                Message::hinders(
                    "hook-finds-no-companion",
                    format!(
                        "{} serves this directory, but the hook does not find it in {}: changes without a \
                         question come to no desk",
                        harmless::name(companion),
                        places.join(", ")
                    ),
                    [
                        Fix::advice(
                            "hooks ask companions of alongside only: end its editors and desks, and start \
                             them again without ALONGSIDE_RUNTIME_DIR; or in another terminal:",
                        ),
                        Fix::command("alongside"),
                    ],
                )
            }
            Self::CompanionRestarts => Message::hinders(
                "hook-companion-restarts",
                "the companion of this directory has crashed, and its desks do not start it again: every \
                 change is refused",
                [Fix::advice("close its editors and desks, and start them again")],
            ),
            Self::NoGit => Message::hinders(
                "turn-hook-no-git",
                "there is no git in PATH, so no turn is noted",
                [Fix::advice("install git")],
            ),
        }
    }
}
