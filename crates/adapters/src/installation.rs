//! One installation as the ledger lists it: the files that were written, and their texts before.

use std::path::{Path, PathBuf};

use alongside_platform::files::Links;
use serde::{Deserialize, Serialize};

use super::change::backup_of;

/// The installation of the adapter for one editor or agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// The version of alongside that made the installation.
    pub(crate) version: String,
    /// The files that were written.
    pub files: Vec<InstalledFile>,
    /// The directories that were made for the files, outermost first.
    #[serde(default)]
    pub directories: Vec<PathBuf>,
    /// The copies of files before the installation.
    #[serde(default)]
    pub backups: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledFile {
    /// The file.
    pub path: PathBuf,
    /// The text before the installation; `None` if there was no file.
    pub before: Option<String>,
    /// The text that was written.
    pub(crate) after: String,
    /// Whether the file lies in a project, whose repository may put links in its place.
    #[serde(default)]
    pub in_project: bool,
}

impl InstalledFile {
    /// Whether symbolic links in the path of this file are followed.
    pub fn links(&self) -> Links {
        if self.in_project { Links::Refused } else { Links::Followed }
    }
}

impl Installation {
    /// Whether symbolic links are followed in `path`: a directory or a copy that was made for one of the
    /// files.
    pub fn link_policy_of(&self, path: &Path) -> Links {
        let belongs_to_path =
            |file: &&InstalledFile| file.path.starts_with(path) || backup_of(&file.path) == path;
        let mut links = self.files.iter().filter(belongs_to_path).map(InstalledFile::links);
        if links.any(|links| links == Links::Refused) { Links::Refused } else { Links::Followed }
    }
}
