//! The directories by which the place of a change is judged: the projects, and the user's directories.

use std::path::{Path, PathBuf};

use crate::persistence::app_dirs::AppDirs;
use crate::rule::{Rule, RulesOf};

/// The directories and rules by which places are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The projects, with links resolved.
    pub(crate) roots: &'a [PathBuf],
    /// The directories of the user; `None` if no user's settings count.
    pub(super) dirs: Option<&'a AppDirs>,
    /// The function that reads the rules of a repository within a project. Without it, the repository has no
    /// rules.
    rules_of: Option<RulesOf>,
    /// Whether every protection of a file is searched for, because a rule or grant may accept the change.
    pub(super) is_thorough: bool,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(roots: &'a [PathBuf], dirs: Option<&'a AppDirs>) -> Self {
        Self { roots, dirs, rules_of: None, is_thorough: true }
    }

    /// Sets the function that reads the rules of repositories within a project.
    pub(crate) fn with_rules_of(self, rules_of: Option<RulesOf>) -> Self {
        Self { rules_of, ..self }
    }

    /// Sets whether every protection is searched for: only if a rule or grant may accept the change.
    /// Otherwise a person decides, and gets the proposal sooner.
    pub(crate) fn with_thorough_search(self, is_thorough: bool) -> Self {
        Self { is_thorough, ..self }
    }

    pub(super) fn home(&self) -> Option<&'a Path> {
        self.dirs.map(|dirs| &*dirs.home)
    }

    /// Returns the rules of the repository in a directory; `None` if they cannot be read. Reads the disk.
    pub(super) fn rules_of(&self, repository: &Path) -> Option<Vec<Rule>> {
        self.rules_of.map_or_else(|| Some(Vec::new()), |read| read(repository))
    }

    /// Whether a directory, with links resolved, is a project.
    pub(super) fn is_root(&self, directory: &Path) -> bool {
        self.roots.iter().any(|root| root == directory)
    }

    /// Whether a directory lies in a project, whose files may come from other people.
    pub(super) fn is_in_project(&self, directory: &Path) -> bool {
        self.roots.iter().any(|root| directory.starts_with(root))
    }
}
