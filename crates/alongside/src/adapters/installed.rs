//! The record of one installation: the files that were written, and what they held before.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The installation for one editor or agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Installed {
    /// The version of this program that installed it.
    pub(crate) version: String,
    pub(crate) files: Vec<InstalledFile>,
    /// The directories that were made for the files, outermost first.
    #[serde(default)]
    pub(crate) directories: Vec<PathBuf>,
    /// Copies of files as they were before.
    #[serde(default)]
    pub(crate) backups: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InstalledFile {
    pub(crate) path: PathBuf,
    /// The text without the adapter; `None` if the file would not exist.
    pub(crate) before: Option<String>,
    /// The text that was written.
    pub(crate) after: String,
}
