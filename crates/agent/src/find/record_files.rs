//! Reading discovery files as carefully as agents should: only the user's own small regular files, and
//! whatever is wrong with one never hides the others.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use alongside_contract::discovery::Record;
use alongside_contract::family::DiscoveryFile;
use alongside_platform::files;

use super::agent_environment::Surroundings;
use super::search_result::{Reason, Skipped};

/// A record is a few hundred bytes; whatever is larger than this is something else.
const MAX_BYTES: u64 = 1 << 20;

/// The files of a row, sorted by name. A directory that does not exist has none.
pub(super) fn names(row: &DiscoveryFile, here: &Surroundings) -> Result<Vec<PathBuf>, Option<Skipped>> {
    let directory = here.resolve(row.directory);
    let entries = std::fs::read_dir(&directory).map_err(|error| {
        let told = error.kind() != std::io::ErrorKind::NotFound;
        told.then(|| Skipped { path: directory.clone(), reason: Reason::Unreadable(error) })
    })?;
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| row.matches(name)))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    Ok(paths)
}

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owners {
    OnlyUs,
    Anybody,
}

/// Whether a file is this user's; also if it cannot be told, for it is not there then.
pub(super) fn is_ours(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |found| files::is_ours(&found))
}

/// Reads one record.
pub(super) fn read(path: &Path, owners: Owners) -> Result<Record, Reason> {
    // Looked at before it is opened, for opening a device may do something; and again, for it may be another
    // one now.
    let is_small = |found: &std::fs::Metadata| found.is_file() && found.len() <= MAX_BYTES;
    if !is_small(&std::fs::metadata(path).map_err(Reason::Unreadable)?) {
        return Err(Reason::NotAFile);
    }
    let file = files::open_without_waiting(path, files::Links::Followed).map_err(Reason::Unreadable)?;
    let opened = file.metadata().map_err(Reason::Unreadable)?;
    if !is_small(&opened) {
        return Err(Reason::NotAFile);
    }
    if owners == Owners::OnlyUs && !files::is_ours(&opened) {
        return Err(Reason::NotOurs);
    }
    let mut json = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut json).map_err(Reason::Unreadable)?;
    serde_json::from_slice(&json).map_err(Reason::Malformed)
}

/// When a file was written; the epoch if that cannot be told.
pub(super) fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
