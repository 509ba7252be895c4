//! The companion that a run checks, for the head of the report.

use std::path::PathBuf;

/// The companion of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// `host:port`.
    pub address: String,
    /// The name and version that the companion gives in `initialize`; none if it did not answer that.
    pub server: Option<String>,
    /// The editor, as its discovery file names it.
    pub editor: Option<String>,
    /// The discovery file by which it was found.
    pub file: Option<PathBuf>,
}
