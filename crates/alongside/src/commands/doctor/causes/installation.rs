//! Causes in alongside itself on this machine.

use alongside_platform::{Os, path_lists};

use crate::commands::doctor::message::{Fix, Message, ShownPath};

/// This program's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum InstallationCause {
    /// The settings hold a mistake, so that no companion starts; or
    /// those of a project do (`is_project`), in which everything is asked about.
    BrokenSettings { error: String, hints: Vec<String>, is_project: bool },
    /// Another version of this program installed the adapter.
    OldAdapter { editor: &'static str, id: &'static str, by: String },
    /// The adapter is installed, and a program that it needs is not.
    AdapterNeeds { editor: &'static str, program: &'static str, command: &'static str },
    /// The host runs another version of this program.
    OldHost { name: String, version: String },
    /// No directory of PATH holds this program. `directory` should be there, if it is known.
    NotInPath { program: ShownPath, directory: Option<ShownPath> },
    /// PATH holds several versions of this program.
    TwoVersions { programs: Vec<(ShownPath, String)> },
    /// Our discovery files whose companion is gone.
    StaleFiles { count: usize },
    /// The companion on this port lives in another network.
    OtherNetwork { port: u16 },
}

impl InstallationCause {
    pub(in crate::commands::doctor) fn message(&self) -> Message {
        match self {
            Self::BrokenSettings { error, is_project: true, .. } => Message::hinders(
                "broken-project-settings",
                format!("{error}: agents hear of no file in this project, and every change is asked about"),
                [],
            ),
            Self::BrokenSettings { error, hints, is_project: false } => Message::fails(
                "broken-own-settings",
                format!("alongside does not start: {error}"),
                hints.iter().map(Fix::advice).collect::<Vec<_>>(),
            ),
            Self::OldAdapter { editor, id, by } => Message::note(
                "old-adapter",
                format!("the adapter in {editor} is from alongside {by}; {VERSION} has a newer one"),
                [Fix::command(format!("alongside install {id}"))],
            ),
            Self::AdapterNeeds { editor, program, command } => Message::fails(
                "adapter-needs-program",
                format!("the adapter in {editor} needs {program}, which no directory of PATH holds"),
                [Fix::command(*command)],
            ),
            Self::OldHost { name, version } => Message::note(
                "old-host",
                format!("the companion of this directory is alongside {version}; this is {VERSION}"),
                [Fix::command(format!("alongside host --replace {name}"))],
            ),
            Self::NotInPath { program, directory } => {
                let fix = match directory {
                    Some(directory) => {
                        Fix::command(path_lists::addition(Os::HERE, &directory.to_string_lossy()))
                    }
                    None => Fix::advice(
                        "install it with `npm install -g alongside`, and put `bin` below `npm prefix -g` \
                         into PATH (of pnpm: `pnpm bin -g`)",
                    ),
                };
                Message::note(
                    "alongside-not-in-path",
                    format!(
                        "editors start `alongside` by that name, but no directory of PATH holds it; this \
                         is {program}"
                    ),
                    [fix],
                )
            }
            Self::TwoVersions { programs } => {
                let each = programs.iter().map(|(program, version)| format!("{version} in {program}"));
                let each: Vec<_> = each.collect();
                let text = format!("PATH holds several versions of alongside: {}", each.join(", "));
                let fix = Fix::advice("keep the one you want; editors start the first");
                Message::note("two-alongsides", text, [fix])
            }
            Self::StaleFiles { count } => Message::note(
                "stale-files-of-ours",
                format!("{count} discovery files of alongside remain from companions that are gone"),
                [Fix::command("alongside doctor --fix")],
            ),
            Self::OtherNetwork { port } => Message::note(
                "companion-in-another-network",
                format!(
                    "the companion on port {port} runs in another network namespace, as a container has one: \
                     from here nobody reaches it"
                ),
                [Fix::advice("start agents where it runs; --fix leaves its files alone")],
            ),
        }
    }
}
