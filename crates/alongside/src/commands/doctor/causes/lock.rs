//! Causes in the locks by which agents with a WebSocket find their editor.

use alongside_contract::agent::Agent;

use super::companion::start_one;
use crate::commands::doctor::message::{Fix, Message};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::doctor) enum LockCause {
    /// No lock holds this directory, and no companion serves it.
    NoLock,
    /// The lock of the companion that serves this directory is gone.
    LockGone { host: String },
    /// Our lock leaves this directory out: another companion serves one inside it, or did so a moment ago.
    WithoutFolder { ours: u16 },
    /// Reviews are off, and the agent asks without showing the change.
    AsksBlindly,
    /// More than one lock holds this directory.
    Several { editors: Vec<String>, ours: Option<u16> },
    /// Another editor's lock holds this directory.
    AnotherEditor { editor: String, ours: u16 },
    /// The variable makes the agent dial a port without the token.
    WithoutToken { name: &'static str },
    /// Nothing listens at the port of the lock.
    Silent { editor: String, port: u16 },
    /// The agent looks for an editor only if it is told to.
    NotAsked,
    /// The agent shows diffs only in its own terminal.
    ShowsDiffsItself,
}

impl LockCause {
    pub(in crate::commands::doctor) fn message(&self, agent: &Agent) -> Message {
        let name = agent.display_name;
        let by_port = |port: u16| {
            let variable = agent.family.as_ref().and_then(|family| family.env.port).unwrap_or_default();
            vec![
                Fix::advice("to choose alongside, in a terminal of this directory:"),
                Fix::command(format!("{variable}={port} {}", agent.command())),
            ]
        };
        match self {
            Self::NoLock => Message::fails("no-companion", "no companion serves this directory", start_one()),
            Self::LockGone { host } => Message::fails(
                "lock-gone",
                "alongside serves this directory, but its lock file is gone",
                [Fix::command(format!("alongside host --replace {host}"))],
            ),
            Self::WithoutFolder { ours } => Message::fails(
                "lock-without-folder",
                "alongside's lock leaves this directory out, because another companion serves one inside it; \
                 when that one ends, it is back within seconds",
                by_port(*ours),
            ),
            Self::AsksBlindly => Message::hinders(
                "asks-blindly",
                format!("reviews are off in the settings, and {name} asks without showing the change"),
                [Fix::advice("/config, *Diff tool*: terminal")],
            ),
            Self::Several { editors, ours } => {
                let editors = editors.join(" and ");
                let text = format!(
                    "{name} connects to no editor here, because several serve this directory: {editors}"
                );
                let fixes = ours.map_or_else(|| vec![Fix::advice("close all of them but one")], by_port);
                Message::fails("several-locks", text, fixes)
            }
            Self::AnotherEditor { editor, ours } => Message::hinders(
                "another-lock",
                format!("{editor} serves {name} here, and alongside leaves this directory to it"),
                by_port(*ours),
            ),
            Self::WithoutToken { name: variable } => Message::fails(
                "no-token",
                format!("{variable} makes {name} dial a port without the token, and no companion lets it in"),
                [Fix::command(format!("env -u {variable} {}", agent.command()))],
            ),
            Self::Silent { editor, port } => Message::fails(
                "lock-silent",
                format!("nothing listens at port {port} of {editor}"),
                [Fix::advice("restart that editor")],
            ),
            Self::NotAsked => Message::hinders(
                "not-asked",
                format!("{name} looks for an editor only if it is told to"),
                [
                    Fix::advice("start it so, or say /ide in one that runs:"),
                    Fix::command(format!("{} --ide", agent.command())),
                    Fix::advice("for good:"),
                    Fix::command(format!("alongside install {}", agent.id)),
                ],
            ),
            Self::ShowsDiffsItself => Message::hinders(
                "no-diffs",
                format!("{name} shows diffs only in its own terminal"),
                [Fix::advice("/config, *Diff tool*: auto")],
            ),
        }
    }
}
