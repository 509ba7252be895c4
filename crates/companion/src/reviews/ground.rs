//! The directories by which the place of a change is judged.

use std::path::{Path, PathBuf};

use crate::persistence::app_dirs::AppDirs;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The projects, without links.
    pub(crate) roots: &'a [PathBuf],
    /// The directories of the user; `None` where nobody's settings count.
    dirs: Option<&'a AppDirs>,
    /// Something may accept the change without a person: all that protects a file is looked for.
    pub(super) is_thorough: bool,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(roots: &'a [PathBuf], dirs: Option<&'a AppDirs>) -> Self {
        Self { roots, dirs, is_thorough: true }
    }

    /// A person decides anyway, and wants to know as soon as possible.
    pub(super) fn thorough_if(self, may_be_accepted: bool) -> Self {
        Self { is_thorough: may_be_accepted, ..self }
    }

    pub(super) fn home(&self) -> Option<&'a Path> {
        self.dirs.map(|dirs| &*dirs.home)
    }

    /// The user's settings of other programs.
    pub(super) fn config(&self) -> Option<&'a Path> {
        self.dirs.map(|dirs| &*dirs.config)
    }

    /// Whether a directory lies in a project: anybody may have filled it.
    pub(super) fn is_in_project(&self, directory: &Path) -> bool {
        self.roots.iter().any(|root| directory.starts_with(root))
    }
}
