//! A diagnosis of the doctor: a stable id, a severity, one sentence, and the fixes to try in order.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use alongside_contract::agent::Agent;
use alongside_desk::{harmless, without_error_codes};
use alongside_platform::files;
use serde::Serialize;

use crate::commands::shell_quoting::quoted;

/// The severity of a cause; the most severe sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    /// An agent does not connect, or alongside does not start.
    Fails,
    /// An agent connects, but the person cannot review with it, or an agent that already runs is not
    /// connected.
    Hinders,
    /// A fact to know; nothing is wrong yet.
    Note,
}

/// A cause in words, for people and scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Diagnosis {
    /// The identifier, which releases never change, for scripts and for people who ask for help.
    pub(super) id: &'static str,
    #[serde(rename = "weight")]
    pub(super) severity: Severity,
    #[serde(rename = "what")]
    pub(super) text: String,
    #[serde(rename = "cure")]
    pub(super) fixes: Vec<Fix>,
}

impl Diagnosis {
    /// Creates a diagnosis. Escapes harmful characters in `text`, and removes the numbers of system errors.
    pub(super) fn new(
        id: &'static str,
        severity: Severity,
        text: impl Into<String>,
        fixes: impl Into<Vec<Fix>>,
    ) -> Self {
        let text = without_error_codes(&harmless::name(&text.into()));
        Self { id, severity, text, fixes: fixes.into() }
    }

    /// Creates a diagnosis of severity [`Severity::Fails`].
    pub(super) fn fails(id: &'static str, text: impl Into<String>, fixes: impl Into<Vec<Fix>>) -> Self {
        Self::new(id, Severity::Fails, text, fixes)
    }

    /// Creates a diagnosis of severity [`Severity::Hinders`].
    pub(super) fn hinders(id: &'static str, text: impl Into<String>, fixes: impl Into<Vec<Fix>>) -> Self {
        Self::new(id, Severity::Hinders, text, fixes)
    }

    /// Creates a diagnosis of severity [`Severity::Note`].
    pub(super) fn note(id: &'static str, text: impl Into<String>, fixes: impl Into<Vec<Fix>>) -> Self {
        Self::new(id, Severity::Note, text, fixes)
    }
}

/// Whether one of these diagnoses has severity [`Severity::Fails`].
pub(super) fn any_fails(diagnoses: &[Diagnosis]) -> bool {
    diagnoses.iter().any(|diagnosis| diagnosis.severity == Severity::Fails)
}

/// One step of a remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Fix {
    /// A sentence.
    Advice(String),
    /// A command to paste into a shell.
    Command(String),
}

impl Fix {
    /// Creates a sentence of advice. Escapes harmful characters in `text`.
    pub(super) fn advice(text: impl Into<String>) -> Self {
        Self::Advice(harmless::name(&text.into()).into_owned())
    }

    pub(super) fn command(text: impl Into<String>) -> Self {
        Self::Command(text.into())
    }

    /// Returns the command that deletes a file. In a shared directory such as `/tmp` only the file's owner
    /// may delete it, so the fix for another user's file there is advice.
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

    /// Returns the fix that installs a newer release of an agent.
    pub(super) fn update(agent: &Agent) -> Self {
        match agent.packages {
            [package, ..] => Self::Command(format!("npm install -g {package}")),
            [] => Self::Advice(format!("install a newer {}", agent.display_name)),
        }
    }

    /// Returns the command that starts an agent as if its terminal were VS Code's.
    pub(super) fn start_as_in_vscode(agent: &Agent) -> Self {
        Self::Command(format!("TERM_PROGRAM=vscode {}", agent.command()))
    }
}

/// A path whose [`Display`](fmt::Display) escapes harmful characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownPath(PathBuf);

impl ShownPath {
    /// Returns the path as an argument to paste into a shell.
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

/// Joins escaped paths with commas.
pub(super) fn join_paths(paths: &[ShownPath]) -> String {
    paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
