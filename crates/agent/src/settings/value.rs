//! A setting with the file or variable that has the last word.

use std::fmt;
use std::path::PathBuf;

/// A value, and who has the last word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<T> {
    /// The effective value.
    pub value: T,
    /// The file, or the variable, that says so; `None` where the agent's own default counts.
    pub by: Option<By>,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(&'static str),
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Variable(name) => name.fmt(f),
        }
    }
}

/// How much an agent does without asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalMode {
    /// Asks before it edits: the only mode that opens diffs.
    Default,
    /// Changes nothing.
    Plan,
    /// Edits without asking.
    AutoEdit,
    /// Asks only for what it finds risky itself; it does not ask for edits.
    Auto,
    /// Does everything without asking.
    Yolo,
    /// A word that no release known here understands.
    Unknown(String),
}

impl ApprovalMode {
    pub(super) fn named(name: &str) -> Self {
        match name.trim().to_lowercase().as_str() {
            "default" => Self::Default,
            "plan" => Self::Plan,
            "auto_edit" | "auto-edit" | "autoedit" | "acceptedits" => Self::AutoEdit,
            "auto" => Self::Auto,
            "yolo" | "bypasspermissions" => Self::Yolo,
            _ => Self::Unknown(name.to_owned()),
        }
    }

    /// Whether the agent asks before it edits a file, and so opens a diff.
    pub fn opens_diffs(&self) -> bool {
        *self == Self::Default
    }
}

impl fmt::Display for ApprovalMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Default => "default",
            Self::Plan => "plan",
            Self::AutoEdit => "auto-edit",
            Self::Auto => "auto",
            Self::Yolo => "yolo",
            Self::Unknown(name) => name,
        })
    }
}
