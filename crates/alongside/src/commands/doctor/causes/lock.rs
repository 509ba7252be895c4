//! Causes in the lock files by which agents with a WebSocket find their editor.

use alongside_contract::agent::Agent;

use super::companion::start_fixes;
use crate::commands::doctor::diagnosis::{Diagnosis, Fix};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum LockCause {
    /// No lock file has this directory, and no companion serves it.
    NoLock,
    /// The lock file of the companion that serves this directory is gone.
    LockGone { host: String },
    /// Our lock file leaves this directory out, because another companion serves a directory inside it, or
    /// did so a moment ago.
    WithoutFolder { ours: u16 },
    /// Reviews are off, and the agent asks without showing the change.
    AsksWithoutDiff,
    /// Several lock files have this directory.
    Several { editors: Vec<String>, ours: Option<u16> },
    /// The lock file of another editor has this directory.
    AnotherEditor { editor: String, ours: u16 },
    /// The variable makes the agent dial a port without the token.
    WithoutToken { name: &'static str },
    /// No program listens at the port of the lock file.
    NotListening { editor: String, port: u16 },
    /// The agent searches for an editor only on request.
    SearchNotRequested,
    /// The agent shows diffs only in its own terminal.
    ShowsDiffsItself,
}

impl LockCause {
    pub(in crate::commands::doctor) fn diagnosis(&self, agent: &Agent) -> Diagnosis {
        let name = agent.display_name;
        let choose_by_port = |port: u16| {
            let variable = agent.family.as_ref().and_then(|family| family.env.port).unwrap_or_default();
            vec![
                Fix::advice("to choose alongside, in a terminal of this directory:"),
                Fix::command(format!("{variable}={port} {}", agent.command())),
            ]
        };
        match self {
            Self::NoLock => {
                Diagnosis::fails("no-companion", "no companion serves this directory", start_fixes())
            }
            Self::LockGone { host } => Diagnosis::fails(
                "lock-gone",
                "alongside serves this directory, but its lock file is gone",
                [Fix::command(format!("alongside host --replace {host}"))],
            ),
            Self::WithoutFolder { ours } => Diagnosis::fails(
                "lock-without-folder",
                "alongside's lock leaves this directory out, because another companion serves one inside it; \
                 when that one ends, it is back within seconds",
                choose_by_port(*ours),
            ),
            Self::AsksWithoutDiff => Diagnosis::hinders(
                "asks-blindly",
                format!("reviews are off in the settings, and {name} asks without showing the change"),
                [Fix::advice("/config, *Diff tool*: terminal")],
            ),
            Self::Several { editors, ours } => {
                let editors = editors.join(" and ");
                let text = format!(
                    "{name} connects to no editor here, because several serve this directory: {editors}"
                );
                let fixes =
                    ours.map_or_else(|| vec![Fix::advice("close all of them but one")], choose_by_port);
                Diagnosis::fails("several-locks", text, fixes)
            }
            Self::AnotherEditor { editor, ours } => Diagnosis::hinders(
                "another-lock",
                format!("{editor} serves {name} here, and alongside leaves this directory to it"),
                choose_by_port(*ours),
            ),
            Self::WithoutToken { name: variable } => Diagnosis::fails(
                "no-token",
                format!("{variable} makes {name} dial a port without the token, and no companion lets it in"),
                [Fix::command(format!("env -u {variable} {}", agent.command()))],
            ),
            Self::NotListening { editor, port } => Diagnosis::fails(
                "lock-silent",
                format!("nothing listens at port {port} of {editor}"),
                [Fix::advice("restart that editor")],
            ),
            Self::SearchNotRequested => Diagnosis::hinders(
                "not-asked",
                format!("{name} looks for an editor only if it is told to"),
                [
                    Fix::advice("start it so, or say /ide in one that runs:"),
                    Fix::command(format!("{} --ide", agent.command())),
                    Fix::advice("for good:"),
                    Fix::command(format!("alongside install {}", agent.id)),
                ],
            ),
            Self::ShowsDiffsItself => Diagnosis::hinders(
                "no-diffs",
                format!("{name} shows diffs only in its own terminal"),
                [Fix::advice("/config, *Diff tool*: auto")],
            ),
        }
    }
}
