//! A lock between processes, held on a file of the store. Dropping the lock frees it explicitly, and not only
//! by closing the file: a child process that another thread is just starting has a copy of the open file
//! until it executes git, and would hold the lock until then.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use alongside_companion::private;

/// A held lock, which is freed when this value is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct FileLock(File);

impl FileLock {
    /// Takes the lock of this file; `None` while another process holds it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Self>> {
        Ok(private::try_lock(path)?.map(Self))
    }

    /// Whether another process holds the lock of this file. The test takes a shared lock, so that two
    /// processes that test at once do not take each other for the holder.
    pub(crate) fn is_taken(path: &Path) -> bool {
        let Ok(file) = File::open(path) else { return false };
        let is_taken = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let _ = file.unlock();
        is_taken
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // If this fails, closing the file frees the lock.
        let _ = self.0.unlock();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_in_a_child_does_not_keep_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let lock = FileLock::take(&path).unwrap().unwrap();
        // A child process has such a copy before it executes another program.
        let _copy = lock.0.try_clone().unwrap();
        assert!(FileLock::take(&path).unwrap().is_none() && FileLock::is_taken(&path));
        drop(lock);
        assert!(!FileLock::is_taken(&path));
        assert!(FileLock::take(&path).unwrap().is_some());
    }
}
