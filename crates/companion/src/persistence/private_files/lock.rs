//! Lock files, which their owner may remove while other processes wait for them.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use alongside_platform::files::leads_to;
use alongside_platform::private::open_for_appending;

/// Locks this file, and creates it if needed; `None` while another process has the lock. Dropping the file
/// releases the lock. The process with the lock may remove the file.
///
/// # Errors
/// When the file cannot be created or locked.
pub fn try_lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = open_for_appending(path)?;
        match file.try_lock() {
            // If the path leads to another file, the locked one was removed, and others lock a new file of
            // that name.
            Ok(()) if leads_to(path, &file) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
