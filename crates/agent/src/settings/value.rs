//! An effective setting with its source.

use std::fmt;
use std::path::PathBuf;

/// The effective value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective<T> {
    /// The value.
    pub value: T,
    /// The file or the variable that sets it. `None` for the agent's own default.
    pub source: Option<Source>,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Variable(name) => name.fmt(f),
        }
    }
}

/// The approval mode of an agent, by which it does more or less without asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalMode {
    /// Asks before it edits: the only mode that opens diffs.
    Default,
    /// Changes nothing.
    Plan,
    /// Edits without asking.
    AutoEdit,
    /// Asks only about what the agent considers a risk, which edits are not.
    Auto,
    /// Does everything without asking.
    Yolo,
    /// A value that no known release understands.
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
