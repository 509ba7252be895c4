//! The directory of a test, with a project and places for the files of a companion. The runtime of a dropped
//! companion still writes and removes its last files, so the directory lives until the test's thread ends.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use alongside_rig::sandbox::files_below;
use tempfile::TempDir;

thread_local! {
    /// The directories of this thread's tests.
    static HELD: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
}

/// A directory that outlives the companion.
pub(crate) struct TestDirectory(PathBuf);

impl TestDirectory {
    pub(crate) fn new() -> Self {
        let directory = companion_directory();
        let path = directory.path().to_owned();
        HELD.with_borrow_mut(|held| held.push(directory));
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the paths of the files below these of its directories.
    pub(crate) fn files_below(&self, directories: &[&str]) -> Vec<PathBuf> {
        directories.iter().flat_map(|name| files_below(self.0.join(name))).collect()
    }
}

/// Creates a directory as [`AppDirs::below`](alongside_companion::AppDirs::below) needs it.
pub(crate) fn companion_directory() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory for a test");
    for name in ["project", "tmp", "home", "state"] {
        std::fs::create_dir(directory.path().join(name)).expect("a directory in it");
    }
    directory
}
