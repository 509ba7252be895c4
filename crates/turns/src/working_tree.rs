//! Finds the working tree around a directory. The top of the tree is the directory that holds `.git`. The
//! setting `core.worktree` is ignored: with it, a repository could name a directory elsewhere.

pub(crate) mod file_place;
pub(crate) mod repository;

use alongside_platform::paths::Canonical as _;
use std::path::{Path, PathBuf};

use crate::working_tree::repository::Repository;

/// A working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkingTree {
    /// The canonical path of its top.
    pub(crate) top: PathBuf,
    /// Its repository; `None` for a directory outside of every repository.
    pub(crate) repository: Option<Repository>,
}

impl WorkingTree {
    /// Finds the Git working tree around a directory. A home directory is never a working tree, and neither
    /// is a directory above one.
    pub(crate) fn around(directory: &Path, homes: &[PathBuf]) -> Option<Self> {
        let real = directory.canonical().ok()?;
        for top in real.ancestors() {
            if homes.iter().any(|home| home.starts_with(top)) {
                return None;
            }
            if let Some(repository) = Repository::of_top(top) {
                let tree = Self { top: top.to_owned(), repository: Some(repository) };
                return (!tree.repository.as_ref().is_some_and(|it| it.is_bare)).then_some(tree);
            }
            if Repository::in_directory(top).is_some() {
                return None;
            }
        }
        None
    }

    /// Finds the Git working tree around a directory like [`around`](Self::around). A directory outside of
    /// every repository is a working tree of its own.
    pub(crate) fn around_or_at(directory: &Path, homes: &[PathBuf]) -> Option<Self> {
        let real = directory.canonical().ok().filter(|real| real.is_dir())?;
        Self::around(&real, homes).or_else(|| {
            let holds_a_home = homes.iter().any(|home| home.starts_with(&real));
            let is_in_repository = real.ancestors().any(|above| Repository::in_directory(above).is_some());
            (!holds_a_home && !is_in_repository).then_some(Self { top: real, repository: None })
        })
    }
}
