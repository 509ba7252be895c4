//! A lock of the store. It is freed by a call and not by closing its file alone: a child that another thread
//! is just starting has a copy of the file until it becomes git, and would keep the lock until then.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use alongside_companion::private;

/// See the module. The lock is free again once this is dropped, and at the end of the process.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock of this file; `None` while somebody else has it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Self>> {
        Ok(private::try_lock(path)?.map(Self))
    }

    /// Whether somebody else has the lock of this file. Two that ask at once see none of each other.
    pub(crate) fn is_taken(path: &Path) -> bool {
        let Ok(file) = File::open(path) else { return false };
        let is_taken = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let _ = file.unlock();
        is_taken
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file frees it, too, if later.
        let _ = self.0.unlock();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_in_a_child_keeps_no_lock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let lock = Lock::take(&path).unwrap().unwrap();
        // As a child has it before it becomes another program.
        let _copy = lock.0.try_clone().unwrap();
        assert!(Lock::take(&path).unwrap().is_none() && Lock::is_taken(&path));
        drop(lock);
        assert!(!Lock::is_taken(&path));
        assert!(Lock::take(&path).unwrap().is_some());
    }
}
