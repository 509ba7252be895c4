//! Reads discovery files as carefully as agents should: only the user's own small regular files. An error in
//! a file does not hide the others.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use alongside_contract::discovery::Record;
use alongside_contract::family::DiscoveryFile;
use alongside_platform::files;

use super::agent_environment::Surroundings;
use super::search_result::{SkipReason, Skipped};

/// The largest record, in bytes. Usual records have a few hundred.
const MAX_BYTES: u64 = 1 << 20;

/// Returns the files of a row, sorted by name. A directory that does not exist has no files.
pub(super) fn names(row: &DiscoveryFile, here: &Surroundings) -> Result<Vec<PathBuf>, Option<Skipped>> {
    let directory = here.resolve(row.directory);
    let entries = std::fs::read_dir(&directory).map_err(|error| {
        let told = error.kind() != std::io::ErrorKind::NotFound;
        told.then(|| Skipped { path: directory.clone(), reason: SkipReason::Unreadable(error) })
    })?;
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| row.matches(name)))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    Ok(paths)
}

/// The users whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owners {
    OnlyUs,
    Anybody,
}

/// Whether a file belongs to this user. Also true if its owner is unknown, since the file does not exist
/// then.
pub(super) fn is_ours(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |found| files::is_ours(&found))
}

/// Reads one record.
pub(super) fn read(path: &Path, owners: Owners) -> Result<Record, SkipReason> {
    // Checked before the file is opened, because opening a device may have an effect, and checked again after
    // that, because the path may have another file by then.
    let is_small = |found: &std::fs::Metadata| found.is_file() && found.len() <= MAX_BYTES;
    if !is_small(&std::fs::metadata(path).map_err(SkipReason::Unreadable)?) {
        return Err(SkipReason::NotAFile);
    }
    let file = files::open_without_waiting(path, files::Links::Followed).map_err(SkipReason::Unreadable)?;
    let opened = file.metadata().map_err(SkipReason::Unreadable)?;
    if !is_small(&opened) {
        return Err(SkipReason::NotAFile);
    }
    if owners == Owners::OnlyUs && !files::is_ours(&opened) {
        return Err(SkipReason::NotOurs);
    }
    let mut json = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut json).map_err(SkipReason::Unreadable)?;
    serde_json::from_slice(&json).map_err(SkipReason::Malformed)
}

/// Returns the time at which a file was written, or the epoch if that is unknown.
pub(super) fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
