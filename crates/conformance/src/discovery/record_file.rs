//! Reads discovery files and their directories, in which others may have put anything.

use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};

/// The largest file that is read, in bytes: a record has a few hundred.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// Reads a file that should be a record, in a directory that other users may write to.
pub(crate) fn record(path: &Path) -> std::io::Result<Vec<u8>> {
    untrusted::read(path, MAX_RECORD_BYTES, Whose::Anybodys)
}

/// Returns the paths in a directory, sorted; none if it cannot be listed.
pub(crate) fn list(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
