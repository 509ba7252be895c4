//! The hook that waits beside an idle session of an agent, so that a person's message is read at once.
//!
//! One waits for each session. It holds a lock meanwhile, which the system frees if the process dies: by
//! that, desks know whether somebody waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::claims::Reader;
use crate::fault::Fault;
use crate::log::{Kind, Record};
use crate::places::Places;
use crate::read_moment::lock_of;
use crate::shelf::Shelf;
use crate::shelf_lock::Lock;
use crate::working_tree::WorkingTree;

/// How long the one before may need to end, and a look of a desk at the lock.
const PATIENCE: Duration = Duration::from_millis(500);

/// A wait for the messages to one session.
#[derive(Debug)]
pub struct Waiter {
    shelf: Shelf,
    reader: Reader,
    /// The number of records before the wait.
    records: usize,
    seen: Option<[Option<(u64, SystemTime)>; 2]>,
    lock: PathBuf,
    _held: Lock,
}

impl Waiter {
    /// Begins to wait, after the event of an end that stands in the log or is about to. `None` if another one
    /// waits for the session, or no turn was noted in the working tree around the directory.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn begin(places: &Places, directory: &Path, reader: &Reader) -> Result<Option<Self>, Fault> {
        let Some(tree) = WorkingTree::around_or_at(directory, &places.homes()) else { return Ok(None) };
        let shelf = Shelf::of(places.state(), &tree.top);
        if !shelf.file("tree").exists() {
            return Ok(None);
        }
        let records = shelf.log().read()?.len();
        let name = lock_of(&reader.agent, &reader.session);
        let held = match shelf.lock(&name, Instant::now() + PATIENCE) {
            Ok(held) => held,
            Err(Fault::Late) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let lock = shelf.file(&name);
        Ok(Some(Self { shelf, reader: reader.clone(), records, seen: None, lock, _held: held }))
    }

    /// Whether something has been written since the last call; at first, always.
    pub fn take_news(&mut self) -> bool {
        let state = |path: &Path| {
            let found = fs::metadata(path).ok()?;
            Some((found.len(), found.modified().ok()?))
        };
        let now = Some([state(&self.shelf.file("log")), state(self.shelf.comments().path())]);
        std::mem::replace(&mut self.seen, now) != now
    }

    /// Whether there is nothing left to wait for: the session's next prompt has come, or the store is gone.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn is_over(&self) -> Result<bool, Fault> {
        if !self.shelf.file("tree").exists() || !self.lock.exists() {
            return Ok(true);
        }
        let log = self.shelf.log().read()?;
        // A log that was forgotten begins anew.
        let since = log.get(self.records..).unwrap_or(&log);
        let is_prompt = |record: &Record| {
            let of_session = record.agent == self.reader.agent && record.session == self.reader.session;
            record.kind == Kind::Prompt && of_session
        };
        Ok(since.iter().any(is_prompt))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        // Nobody else holds it.
        let _ = fs::remove_file(&self.lock);
    }
}
