//! Promises: a line in the log, written before the first file of a finish is undone, that a message about the
//! undo will be sent to the agent. The process that undoes holds a lock until it has sent the message. If it
//! dies, the system frees the lock, and the next look sends the list of undone changes.

use std::path::Path;
use std::time::{Duration, Instant};

use alongside_companion::turns::source::{ChangeBack, NewRound};
use alongside_desk::now_ms;
use alongside_platform::paths;

use crate::comments::lock;
use crate::comments::round_size;
use crate::error::Error;
use crate::snapshots::compared_trees::ComparedTrees;
use crate::snapshots::left_out_files::MAX_FILE;
use crate::store::comment_line::{Line, Promise};
use crate::store::escaped_path::escape;
use crate::store::file_lock::FileLock;
use crate::store::hash::hash;
use crate::store::tree_store::TreeStore;
use crate::store::turn_log::Record;
use crate::working_tree::file_place::FilePlace;

/// The longest time that this process waits for another one that finishes a review.
const PATIENCE: Duration = Duration::from_secs(5);
/// The lock that a process holds from the promise until the round is sent.
const PROMISE_LOCK: &str = "promise-lock";

/// A promise that this process is to keep. Dropping it takes the promise back if no round has kept it.
#[derive(Debug)]
pub(crate) struct HeldPromise {
    store: TreeStore,
    _lock: FileLock,
    stays: bool,
}

impl HeldPromise {
    /// Leaves the promise in the log, so that the next look tries to keep it.
    pub(crate) fn leave(mut self) {
        self.stays = true;
    }
}

/// Writes the promise into the log that this round is sent once its changes are undone.
///
/// # Errors
/// When the log cannot be written.
pub(crate) fn promise(store: &TreeStore, look: &str, round: &NewRound) -> Result<HeldPromise, Error> {
    let held = store.lock(PROMISE_LOCK, Instant::now() + PATIENCE)?;
    let NewRound { mut undone, comments, .. } = round.clone();
    round_size::cut_texts(&mut undone);
    let _lock = lock(store)?;
    let all = store.comments().read()?;
    if all.promise.is_some() {
        return Err("an earlier undo is still to be told".into());
    }
    let promise = Some(Promise { undone, comments, look: look.to_owned(), number: Some(all.lines) });
    store.comments().append([&Line::Promised { promise, at: now_ms() }])?;
    Ok(HeldPromise { store: store.clone(), _lock: held, stays: false })
}

impl Drop for HeldPromise {
    /// Takes a promise back that no round has kept: no file was undone, or the person has read that no
    /// message was sent.
    fn drop(&mut self) {
        // After a panic, the person has read no result, so the promise stays.
        if self.stays || std::thread::panicking() {
            return;
        }
        let Ok(_lock) = lock(&self.store) else { return };
        let log = self.store.comments();
        if log.read().is_ok_and(|all| all.promise.is_some()) {
            // If the line cannot be written, the next look sends the list of undone changes.
            let _ = log.append([&Line::Promised { promise: None, at: now_ms() }]);
        }
    }
}

/// Returns the promise of a process that has died: its look, and the round with the changes that were undone
/// before. The caller drops the returned promise when the round is sent, and leaves it if the round cannot be
/// sent.
pub(crate) fn broken(
    store: &TreeStore,
    top: &Path,
) -> Result<Option<(ComparedTrees, NewRound, HeldPromise)>, Error> {
    let Some(promise) = store.comments().read()?.promise else { return Ok(None) };
    // If there is no lock, another process is keeping the promise.
    let Some(held) = store.try_lock(PROMISE_LOCK, Instant::now())? else { return Ok(None) };
    // Before this process got the lock, another one may have kept the promise.
    if store.comments().read()?.promise.as_ref() != Some(&promise) {
        return Ok(None);
    }
    let log = store.log().read()?;
    let kept = HeldPromise { store: store.clone(), _lock: held, stays: false };
    let Some(look) = ComparedTrees::of_name(&promise.look) else { return Ok(None) };
    let is_undone = |change: &ChangeBack| is_undone(&log, look.at, top, &change.path);
    let undone = promise.undone.into_iter().filter(is_undone).collect();
    Ok(Some((look, NewRound { undone, comments: promise.comments, ..NewRound::default() }, kept)))
}

/// Whether by the log a file was about to be undone, and the file holds the text of that undo.
fn is_undone(log: &[Record], since: u64, top: &Path, path: &str) -> bool {
    let name = escape(path.as_bytes());
    let mut undone = log.iter().rev().filter(|record| record.at >= since).filter_map(|it| it.undone.as_ref());
    let last = undone.find(|undone| undone.path == name);
    let Some(undone) = last.filter(|undone| !undone.is_back) else { return false };
    let below = paths::from_bytes(path.as_bytes());
    let place = below.and_then(|below| FilePlace::find(top, &below).ok().flatten());
    let now = place.and_then(|place| place.read(MAX_FILE).ok());
    now.map(|bytes| hash(&bytes)) == undone.after
}
