//! The directory of a test. A dropped companion still writes and removes its last files on its runtime. So
//! the directory is removed only after the runtime has ended, with the thread of the test.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static DIRECTORIES: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
}

pub(super) struct TestDirectory(PathBuf);

impl TestDirectory {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let path = directory.path().to_owned();
        DIRECTORIES.with_borrow_mut(|directories| directories.push(directory));
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}
