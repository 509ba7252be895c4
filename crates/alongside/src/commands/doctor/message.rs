//! A message of the doctor: a stable id, a severity, one sentence, and the fixes to try in order.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use alongside_contract::agent::Agent;
use alongside_desk::{harmless, without_error_codes};
use alongside_platform::files;
use serde::Serialize;

use crate::commands::shell_quoting::quoted;

/// How bad a cause is; the most severe sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    /// The agent does not connect.
    Fails,
    /// The agent connects, but nobody sees its diffs, or an agent that already runs is not connected.
    Hinders,
    /// Nothing is wrong yet.
    Note,
}

/// One cause as people and scripts read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Message {
    /// Stays the same from release to release, for scripts and for people who ask for help.
    pub(super) id: &'static str,
    #[serde(rename = "weight")]
    pub(super) severity: Severity,
    #[serde(rename = "what")]
    pub(super) text: String,
    #[serde(rename = "cure")]
    pub(super) fixes: Vec<Fix>,
}

impl Message {
    /// The text is made harmless, and people do not read the number of a system error.
    pub(super) fn new(
        id: &'static str,
        severity: Severity,
        text: impl Into<String>,
        fixes: impl Into<Vec<Fix>>,
    ) -> Self {
        let text = without_error_codes(&harmless::name(&text.into()));
        Self { id, severity, text, fixes: fixes.into() }
    }

    /// A message that says why the agent does not connect.
    pub(super) fn fails(id: &'static str, text: impl Into<String>, fixes: impl Into<Vec<Fix>>) -> Self {
        Self::new(id, Severity::Fails, text, fixes)
    }

    /// A message about an agent that connects, but is of no use to the person.
    pub(super) fn hinders(id: &'static str, text: impl Into<String>, fixes: impl Into<Vec<Fix>>) -> Self {
        Self::new(id, Severity::Hinders, text, fixes)
    }

    /// A message that raises no alarm.
    pub(super) fn note(id: &'static str, text: impl Into<String>, fixes: impl Into<Vec<Fix>>) -> Self {
        Self::new(id, Severity::Note, text, fixes)
    }
}

/// Whether one of these messages says that an agent does not connect, or alongside does not start.
pub(super) fn any_fails(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.severity == Severity::Fails)
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Fix {
    /// A sentence.
    Advice(String),
    /// A command that can be pasted into a shell.
    Command(String),
}

impl Fix {
    /// The text is made harmless.
    pub(super) fn advice(text: impl Into<String>) -> Self {
        Self::Advice(harmless::name(&text.into()).into_owned())
    }

    pub(super) fn command(text: impl Into<String>) -> Self {
        Self::Command(text.into())
    }

    /// Deletes a file. In a shared directory such as `/tmp` only the file's owner may do that.
    pub(super) fn delete(file: &Path) -> Self {
        let is_ours = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| files::is_ours(&found));
        if is_ours(file) || file.parent().is_some_and(is_ours) {
            return Self::Command(format!("rm {}", quoted(&file.to_string_lossy())));
        }
        Self::Advice(format!(
            "{} is another user's: ask them or root to remove it, or set TMPDIR to a directory of yours, \
             here and where the editor runs",
            harmless::path(file)
        ))
    }

    /// Installs a newer release of an agent.
    pub(super) fn update(agent: &Agent) -> Self {
        match agent.packages {
            [package, ..] => Self::Command(format!("npm install -g {package}")),
            [] => Self::Advice(format!("install a newer {}", agent.display_name)),
        }
    }

    /// Starts an agent as if its terminal were VS Code's.
    pub(super) fn pretend_vscode(agent: &Agent) -> Self {
        Self::Command(format!("TERM_PROGRAM=vscode {}", agent.command()))
    }
}

/// A path in messages, harmless to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownPath(PathBuf);

impl ShownPath {
    /// As an argument that can be pasted into a shell.
    pub(super) fn quoted(&self) -> String {
        quoted(&self.to_string_lossy())
    }
}

impl From<PathBuf> for ShownPath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Deref for ShownPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for ShownPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&harmless::path(self))
    }
}

/// Paths in messages, one after the other.
pub(super) fn list(paths: &[ShownPath]) -> String {
    paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
