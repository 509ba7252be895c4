//! The directory of a test. The runtime of a dropped companion still writes and removes its last files, so
//! the directory lives until the test's thread ends.

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
        let directory = tempfile::tempdir().expect("a directory for a test");
        let path = directory.path().to_owned();
        HELD.with_borrow_mut(|held| held.push(directory));
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}
