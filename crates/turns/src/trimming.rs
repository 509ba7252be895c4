//! Removes old stores and shrinks large ones. A store is removed after 14 days without a turn. If all stores
//! together hold more than 1 GB, the least recently used store is removed first. In every store, lines
//! older than 14 days are removed. The store in use always stays: if need be, it shrinks to its baseline and
//! its newest snapshot.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use alongside_companion::private;

use crate::comments::compaction::compact;
use crate::error::Error;
use crate::git::Git;
use crate::snapshots::compared_trees::baseline;
use crate::store::json_lines;
use crate::store::tree_store::{SNAPSHOT_LOCK, TreeStore};
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::Record;
use crate::turn_review::notes;

/// The time for which a store, or a snapshot, is kept.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// The largest size of all stores together, in bytes.
pub const MAX_BYTES: u64 = 1 << 30;

/// The least time between two trimmings.
const MIN_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// The option of `git prune` that keeps younger objects, since a running look may need them.
const KEEP_YOUNGER: &str = "--expire=1.hour.ago";
/// The file whose modification time is the time of the last trimming.
const LAST_TRIMMING: &str = "turns/trimmed";

/// Whether the last trimming is long enough ago. Without a store, no trimming is due.
pub fn is_due(dirs: &TurnDirs) -> bool {
    let at = dirs.state().join(LAST_TRIMMING).metadata().and_then(|found| found.modified());
    at.map_or(dirs.state().join("turns").exists(), |at| at.elapsed().map_or(true, |age| age > MIN_INTERVAL))
}

/// Removes old stores and lines, and then the least recently used stores until the others fit into
/// `max_bytes`. Never removes the store of the working tree at `current`.
///
/// # Errors
/// When the time cannot be stored. A file that cannot be removed stays until the next trimming.
pub fn trim(dirs: &TurnDirs, current: &Path, max_bytes: u64, until: Instant) -> Result<(), Error> {
    private::write(&dirs.state().join(LAST_TRIMMING), b"")?;
    let kept_for = u64::try_from(KEPT_FOR.as_millis()).unwrap_or(u64::MAX);
    let oldest = alongside_desk::now_ms().saturating_sub(kept_for);
    let mut stores = Vec::new();
    for (store, top) in TreeStore::all(dirs.state()) {
        let used = store.file("log").metadata().and_then(|found| found.modified());
        let used = used.unwrap_or(SystemTime::UNIX_EPOCH);
        let is_current = top == current;
        if !is_current && used.elapsed().is_ok_and(|age| age > KEPT_FOR) {
            remove(&store, until);
            continue;
        }
        log_failure(retain_records(&store, &top, until, |_, record| record.at >= oldest));
        log_failure(compact(&store, oldest, until));
        stores.push((is_current, used, size(&store.file(""), until), store));
    }
    // Sorted by the time of their last use, with the store in use at the end.
    stores.sort_by_key(|(is_current, used, ..)| (*is_current, *used));
    let mut bytes: u64 = stores.iter().map(|(_, _, bytes, _)| bytes).sum();
    for (is_current, _, own, store) in stores {
        if bytes <= max_bytes {
            break;
        }
        if is_current {
            let log = store.log().read()?;
            let needed = [baseline(&log), log.iter().rposition(|record| record.tree.is_some())];
            log_failure(retain_records(&store, current, until, |place, _| needed.contains(&Some(place))));
        } else {
            remove(&store, until);
        }
        bytes -= own;
    }
    Ok(())
}

fn log_failure(trimmed: Result<(), Error>) {
    if let Err(fault) = trimmed {
        tracing::debug!(%fault, "a store of turns was not trimmed");
    }
}

fn remove(store: &TreeStore, until: Instant) {
    // A prompt that holds the lock at this moment keeps its store.
    if let Ok(_lock) = store.lock(SNAPSHOT_LOCK, until) {
        let _ = store.remove(until);
    }
}

/// Removes the lines of the log for which `keep` is false, and the objects that no other line needs.
fn retain_records(
    store: &TreeStore,
    top: &Path,
    until: Instant,
    keep: impl Fn(usize, &Record) -> bool,
) -> Result<(), Error> {
    let _lock = store.lock(SNAPSHOT_LOCK, until)?;
    let log = store.log().read()?;
    let kept = log.iter().enumerate().filter(|(place, record)| keep(*place, record));
    let kept: Vec<Record> = kept.map(|(_, record)| record.clone()).collect();
    if kept.len() == log.len() {
        return Ok(());
    }
    private::write(&store.file("log"), &json_lines::text(&kept)?)?;
    let names: Vec<&str> = kept.iter().filter_map(|record| record.left.as_deref()).collect();
    for list in fs::read_dir(store.file("left")).into_iter().flatten().flatten() {
        if !names.iter().any(|name| list.file_name() == *name) {
            let _ = fs::remove_file(list.path());
        }
    }
    let git = Git::new(store.repository(), top, until)?.with_index(&store.file("index"));
    let trees = kept.iter().filter_map(|record| record.tree.clone());
    let rounds = store.comments().read()?.rounds.into_iter().filter_map(|round| round.trees);
    let rounds: Vec<String> = rounds.flat_map(|trees| [trees.shown, trees.sent]).collect();
    let oldest = kept.first().map_or(u64::MAX, |record| record.at);
    let noted = notes::trim(store, oldest)?;
    let trees = trees.chain(existing(&git, &[rounds, noted].concat())?);
    let arguments = ["prune", KEEP_YOUNGER, "--"].map(str::to_owned);
    git.run(arguments.into_iter().chain(trees), None).map(drop)
}

/// Returns those of `trees` that the repository has. Rounds may name trees of a store that was removed.
fn existing(git: &Git, trees: &[String]) -> Result<Vec<String>, Error> {
    let wanted: String = trees.iter().map(|tree| format!("{tree}\n")).collect();
    let output = git.run(["cat-file", "--batch-check=%(objectname)"], Some(wanted.into_bytes()))?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(output.lines().filter(|line| !line.ends_with(" missing")).map(str::to_owned).collect())
}

/// Returns the size of all files in a directory, in bytes, as far as it can be measured until the deadline.
fn size(directory: &Path, until: Instant) -> u64 {
    let (mut bytes, mut directories) = (0, vec![directory.to_owned()]);
    while let Some(next) = directories.pop().filter(|_| Instant::now() < until) {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => directories.push(entry.path()),
                Ok(found) => bytes += found.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
