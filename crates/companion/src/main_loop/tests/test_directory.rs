//! The directory of a test. A dropped companion still writes and removes its last files on its runtime, so
//! the directory is removed when that has ended as well, with the thread of the test.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static HELD: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
}

pub(super) struct TestDirectory(PathBuf);

impl TestDirectory {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let path = directory.path().to_owned();
        HELD.with_borrow_mut(|held| held.push(directory));
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}
