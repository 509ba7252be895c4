//! Reads discovery files and their directories, in which others may have put anything.

use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};

/// A record is a few hundred bytes; whatever is larger than this is something else.
const MAX_RECORD: u64 = 1 << 20;

/// Reads what should be a record, in a directory where others may have put anything.
pub(crate) fn record(path: &Path) -> std::io::Result<Vec<u8>> {
    untrusted::read(path, MAX_RECORD, Whose::Anybodys)
}

/// The paths in a directory, sorted; none if it cannot be listed.
pub(crate) fn list(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
