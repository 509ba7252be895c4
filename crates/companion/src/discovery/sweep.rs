//! Removes discovery files of killed companions. One stale file can hide a living companion, for agents try a
//! single file. Only files that we wrote, and whose companion does not answer, go.

use std::path::PathBuf;

use alongside_contract::discovery::Record;

use super::record_file::answers;
use super::{locations, lock, record_file};
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::private_files;

/// Removes the discovery files of companions that do not answer, and returns the paths. Blocks.
pub(crate) fn sweep(dirs: &AppDirs, own_token: &str) -> Vec<PathBuf> {
    let directories = locations::searched(dirs).filter_map(|(_, searched)| searched.open().ok());
    for directory in directories {
        private_files::remove_unfinished_in(&directory);
    }
    let mut removed = Vec::new();
    let mut asked: Vec<(Record, bool)> = Vec::new();
    // A file with our port and another token is a predecessor's, whose token is burned.
    for file in record_file::ours(dirs).into_iter().filter(|file| !file.has_token(own_token)) {
        let known =
            asked.iter().find(|(record, _)| record.is_same_companion(&file.record)).map(|(_, alive)| *alive);
        let is_alive = known.unwrap_or_else(|| answers(&file.record));
        if known.is_none() {
            asked.push((file.record.clone(), is_alive));
        }
        if !is_alive {
            tracing::info!(path = %file.path.display(), "removing a stale discovery file");
            file.remove();
            // The companion may have made these, and made them for this file only.
            let made = file.path.parent().map(|directory| locations::of_agent(dirs, directory));
            for directory in made.into_iter().flatten().rev() {
                // Fails while anybody has something in it.
                let _ = std::fs::remove_dir(directory);
            }
            removed.push(file.path);
        }
    }
    for lock in lock::all(dirs).into_iter().filter(|lock| !lock.has_token(own_token) && lock.is_left()) {
        tracing::info!(path = %lock.path().display(), "removing a stale lock file");
        lock.remove();
        removed.push(lock.path());
    }
    locations::remove_empty(dirs);
    removed
}

/// Removes the files of our companions that do not answer. Blocks for half a second per companion.
pub fn remove_stale_files(dirs: &AppDirs) -> Vec<PathBuf> {
    // No companion has this token.
    sweep(dirs, "")
}
