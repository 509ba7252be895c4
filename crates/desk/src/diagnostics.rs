//! The problems that an editor knows in files, as LSP describes them. Agents ask for them.

use serde::{Deserialize, Serialize};

use crate::context::Range;

/// The problems of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiagnostics {
    /// Absolute path.
    pub path: String,
    /// The problems in the file.
    #[serde(default)]
    pub diagnostics: Vec<Diagnostic>,
}

/// A problem in a file: LSP's `Diagnostic`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The place of the problem.
    pub range: Range,
    /// The severity of LSP: 1 error, 2 warning, 3 information, 4 hint. Absent, or another number: an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<u8>,
    /// The code of the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The program that found the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The message.
    #[serde(default)]
    pub message: String,
}

/// The code of a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Code {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}
