//! Causes in the locks by which agents with a WebSocket find their editor.

use alongside_contract::agent::Agent;
use alongside_desk::harmless;

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
        let by_port = |port: u16| {
            vec![
                Fix::advice("to choose alongside, in a terminal of this directory:"),
                Fix::Command(format!("{}={port} {}", port_variable(agent), agent.command())),
            ]
        };
        match self {
            Self::NoLock => Message::fails("no-companion", "no companion serves this directory", start_one()),
            Self::LockGone { host } => Message::fails(
                "lock-gone",
                "alongside serves this directory, but its lock file is gone",
                [Fix::Command(format!("alongside host --replace {host}"))],
            ),
            Self::WithoutFolder { ours } => {
                let text = "alongside's lock leaves this directory out, because another companion serves one \
                            inside it; when that one ends, it is back within seconds";
                Message::fails("lock-without-folder", text, by_port(*ours))
            }
            Self::AsksBlindly => Message::hinders(
                "asks-blindly",
                format!(
                    "reviews are off in the settings, and {} asks without showing the change",
                    agent.display_name
                ),
                [Fix::advice("/config, *Diff tool*: terminal")],
            ),
            Self::Several { editors, ours } => {
                let editors = editors.join(" and ");
                let text = format!(
                    "{} connects to no editor here, because several serve this directory: {}",
                    agent.display_name,
                    harmless::name(&editors)
                );
                let fixes = ours.map_or_else(|| vec![Fix::advice("close all of them but one")], by_port);
                Message::fails("several-locks", text, fixes)
            }
            Self::AnotherEditor { editor, ours } => {
                let text = format!(
                    "{} serves {} here, and alongside leaves this directory to it",
                    harmless::name(editor),
                    agent.display_name
                );
                Message::hinders("another-lock", text, by_port(*ours))
            }
            Self::WithoutToken { name } => Message::fails(
                "no-token",
                format!(
                    "{name} makes {} dial a port without the token, and no companion lets it in",
                    agent.display_name
                ),
                [Fix::Command(format!("env -u {name} {}", agent.command()))],
            ),
            Self::Silent { editor, port } => Message::fails(
                "lock-silent",
                format!("nothing listens at port {port} of {}", harmless::name(editor)),
                [Fix::advice("restart that editor")],
            ),
            Self::NotAsked => Message::hinders(
                "not-asked",
                format!("{} looks for an editor only if it is told to", agent.display_name),
                [
                    Fix::advice("start it so, or say /ide in one that runs:"),
                    Fix::Command(format!("{} --ide", agent.command())),
                    Fix::advice("for good:"),
                    Fix::Command(format!("alongside install {}", agent.id)),
                ],
            ),
            Self::ShowsDiffsItself => Message::hinders(
                "no-diffs",
                format!("{} shows diffs only in its own terminal", agent.display_name),
                [Fix::advice("/config, *Diff tool*: auto")],
            ),
        }
    }
}

fn port_variable(agent: &Agent) -> &'static str {
    agent.family.as_ref().and_then(|family| family.env.port).unwrap_or_default()
}
