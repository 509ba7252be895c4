//! The companion that a run checks, for the head of the report.

use std::path::PathBuf;

/// Who was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// `host:port`.
    pub address: String,
    /// What it calls itself in `initialize`; none if it did not get so far.
    pub server: Option<String>,
    /// The editor, as its discovery file names it.
    pub editor: Option<String>,
    /// The file that led to it.
    pub file: Option<PathBuf>,
}
