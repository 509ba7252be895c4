//! Finds the files that an undo, or taking one back, has just written. A watcher must not take such a write
//! for a person's save.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_platform::paths;
use alongside_platform::paths::Canonical as _;

use crate::snapshots::left_out_files::MAX_FILE;
use crate::store::escaped_path::escape;
use crate::store::hash::hash;
use crate::store::tree_store::TreeStore;
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::Record;
use crate::working_tree::WorkingTree;
use crate::working_tree::file_place::FilePlace;

/// The longest time between the line of an undo in the log and the write of its file.
const WRITTEN_WITHIN: Duration = Duration::from_secs(10);

/// Returns the files of `files` that are still as an undo, or taking one back, has written them. Blocks.
pub fn own_writes(dirs: &TurnDirs, files: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut logs: BTreeMap<PathBuf, Vec<Record>> = BTreeMap::new();
    let homes = dirs.homes();
    let mut is_own = |file: &PathBuf| {
        let directory = file.parent()?.canonical().ok()?;
        let top = WorkingTree::around_or_at(&directory, &homes)?.top;
        let below = directory.join(file.file_name()?).strip_prefix(&top).ok()?.to_owned();
        let read = || TreeStore::of(dirs.state(), &top).log().read().unwrap_or_default();
        let log = logs.entry(top.clone()).or_insert_with(read);
        is_as_written(log, &top, &below)
    };
    files.iter().filter(|file| is_own(file) == Some(true)).cloned().collect()
}

fn is_as_written(log: &[Record], top: &Path, below: &Path) -> Option<bool> {
    let path = escape(&paths::to_bytes(below));
    let of_file = |record: &&Record| record.undone.as_ref().is_some_and(|undone| undone.path == path);
    let record = log.iter().rev().find(of_file)?;
    let wrote = record.undone.as_ref()?.after.as_ref()?;
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(record.at);
    let modified = top.join(below).metadata().ok()?.modified().ok()?;
    // The clock of a file system may be a little behind.
    let apart = modified.duration_since(at).unwrap_or_else(|before| before.duration());
    let place = FilePlace::find(top, below).ok()??;
    Some(apart <= WRITTEN_WITHIN && hash(&place.read(MAX_FILE).ok()?) == *wrote)
}
