//! The removal of discovery files of killed companions. One stale file can hide a live companion, because
//! agents try a single file. Only files that we wrote, and whose companion does not answer, are removed. A
//! companion in another network cannot be asked, so its files stay while a process that they name lives
//! there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_platform::directory::Directory;
use alongside_platform::process;

use super::liveness::{CompanionKey, is_listening};
use super::locations::{self, SearchedFile};
use super::{lock, record_file};
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::private_files;

/// Removes the discovery files of companions that do not answer, and returns the paths. Blocks.
pub(crate) fn sweep(dirs: &AppDirs, own_token: &str) -> Vec<PathBuf> {
    let mut found = BTreeMap::new();
    for place in locations::search_places(dirs) {
        let Ok(directory) = place.directory.open().map(Arc::new) else { continue };
        private_files::remove_unfinished_in(&directory);
        for name in directory.names().unwrap_or_default() {
            if let Some(companion) = companion_in(place.kind, &directory, &name) {
                found.insert(directory.path().join(name), (place.kind, directory.clone(), companion));
            }
        }
    }
    // A file with our port and another token is that of a predecessor, whose token is no longer valid.
    found.retain(|_, (.., (_, token))| token.as_deref() != Some(own_token));
    let mut is_live = BTreeMap::new();
    found.retain(|_, (.., companion)| {
        !*is_live.entry(companion.clone()).or_insert_with(|| is_listening(companion))
    });
    found.retain(|path, (kind, directory, _)| {
        let name = path.file_name().unwrap_or_default();
        !processes_in(*kind, directory, name).into_iter().any(process::is_in_other_network)
    });
    for (path, (kind, directory, companion)) in &found {
        tracing::info!(path = %path.display(), "removing a stale discovery file");
        let name = path.file_name().unwrap_or_default();
        if companion_in(*kind, directory, name).as_ref() == Some(companion) {
            // Another process may have removed the file meanwhile.
            let _ = directory.remove(name);
        }
        // The companion may have created the directories, for this file only.
        locations::remove_empty_of_agent(dirs, directory.path());
    }
    locations::remove_empty(dirs);
    found.into_keys().collect()
}

/// Returns the companion of ours to which a file leads.
fn companion_in(kind: SearchedFile, directory: &Arc<Directory>, name: &OsStr) -> Option<CompanionKey> {
    match kind {
        SearchedFile::Record(row) if !row.matches(name.to_str()?) => None,
        SearchedFile::Record(_) => Some(record_file::read_ours(directory, name)?.companion()),
        SearchedFile::Lock => Some(lock::read_ours(directory, name)?.companion()),
    }
}

/// Returns the processes that a file of ours names.
fn processes_in(kind: SearchedFile, directory: &Arc<Directory>, name: &OsStr) -> Vec<u32> {
    match kind {
        SearchedFile::Record(row) => {
            let parent = record_file::read_ours(directory, name).and_then(|file| file.record.ppid);
            let in_name = name.to_str().and_then(|name| row.pid_in(name));
            parent.into_iter().chain(in_name).collect()
        }
        SearchedFile::Lock => lock::read_ours(directory, name).map(|lock| lock.pid()).into_iter().collect(),
    }
}

/// Removes the empty directories of discovery files below home, with the empty directories of their agents.
/// Several companions may have used them, and the last one does not know which companion created them.
pub fn remove_empty_directories(dirs: &AppDirs) {
    for directory in locations::directories(dirs) {
        locations::remove_empty_of_agent(dirs, &directory);
    }
}

/// Removes the files of our companions that do not answer. Returns the paths. Blocks for half a second per
/// companion.
pub fn remove_stale_files(dirs: &AppDirs) -> Vec<PathBuf> {
    // No companion has this token.
    sweep(dirs, "")
}
