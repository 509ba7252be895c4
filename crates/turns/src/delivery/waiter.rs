//! The hook that waits beside an idle session of an agent, so that the session reads a person's message at
//! once.
//!
//! At most one hook waits for each session. The hook holds a lock, which the system frees if the process
//! dies. Desks test the lock to find whether a hook waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::delivery::message_claims::Reader;
use crate::error::Error;
use crate::sessions::read_moment::lock_of;
use crate::store::file_lock::FileLock;
use crate::store::session_address::Address;
use crate::store::tree_store::TreeStore;
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::Kind;

/// The longest wait for the lock: the previous hook may still be ending, or a desk may be testing the lock.
const PATIENCE: Duration = Duration::from_millis(500);

/// A hook that waits for messages to one session.
#[derive(Debug)]
pub struct Waiter {
    store: TreeStore,
    session: Address,
    /// The number of lines in the log when the wait began.
    records: usize,
    seen: Option<[Option<(u64, SystemTime)>; 2]>,
    lock: PathBuf,
    _held: FileLock,
}

impl Waiter {
    /// Begins to wait at the end of a turn, before or after that end is in the log. `None` if another hook
    /// waits for the session, or the working tree around the directory has no store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn begin(dirs: &TurnDirs, directory: &Path, reader: &Reader) -> Result<Option<Self>, Error> {
        let Ok(tree) = dirs.working_tree(directory) else { return Ok(None) };
        let store = TreeStore::of(dirs.state(), &tree.top);
        if !store.file("tree").exists() {
            return Ok(None);
        }
        let records = store.log().read()?.len();
        let session = reader.address();
        let name = lock_of(&session);
        let Some(held) = store.try_lock(&name, Instant::now() + PATIENCE)? else { return Ok(None) };
        let lock = store.file(&name);
        Ok(Some(Self { store, session, records, seen: None, lock, _held: held }))
    }

    /// Whether one of the two logs was written since the last call. The first call returns true.
    pub fn take_news(&mut self) -> bool {
        let state = |path: &Path| {
            let found = fs::metadata(path).ok()?;
            Some((found.len(), found.modified().ok()?))
        };
        let now = Some([state(&self.store.file("log")), state(self.store.comments().path())]);
        std::mem::replace(&mut self.seen, now) != now
    }

    /// Whether the wait is over: the session's next prompt has come, or the store is gone.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn is_over(&self) -> Result<bool, Error> {
        if !self.store.file("tree").exists() || !self.lock.exists() {
            return Ok(true);
        }
        let log = self.store.log().read()?;
        // A shorter log was cleared or trimmed meanwhile: then all of its lines are searched.
        let since = log.get(self.records..).unwrap_or(&log);
        Ok(since.iter().any(|record| record.kind == Kind::Prompt && record.is_of(&self.session)))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // This process holds the lock, so no other process needs its file.
        let _ = fs::remove_file(&self.lock);
    }
}
