//! The directory of a test, with a project and places for the files of a companion. The runtime of a dropped
//! companion still writes and removes its last files, so the directory lives until the test's thread ends.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
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

    /// The files below these of its directories.
    pub(crate) fn files_below(&self, directories: &[&str]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut directories: Vec<_> = directories.iter().map(|name| self.0.join(name)).collect();
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
                let is_directory = entry.file_type().unwrap().is_dir();
                if is_directory { &mut directories } else { &mut found }.push(entry.path());
            }
        }
        found
    }
}

/// A directory as [`AppDirs::below`](alongside_companion::AppDirs::below) needs it.
pub(crate) fn companion_directory() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory for a test");
    for name in ["project", "tmp", "home", "state"] {
        std::fs::create_dir(directory.path().join(name)).expect("a directory in it");
    }
    directory
}
