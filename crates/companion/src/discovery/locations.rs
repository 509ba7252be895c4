//! The directories in which agents search for discovery files.

use std::path::PathBuf;

use alongside_contract::family::{DiscoveryFile, FAMILIES};

use crate::persistence::app_dirs::{AppDirs, SearchDirectory};

/// The directories of every row of the table of families.
pub(super) fn searched(dirs: &AppDirs) -> impl Iterator<Item = (&'static DiscoveryFile, SearchDirectory)> {
    let rows = FAMILIES.iter().flat_map(|family| family.files);
    rows.flat_map(|row| dirs.resolve(row.directory).into_iter().map(move |searched| (row, searched)))
}

/// The directories of discovery files.
pub(crate) fn directories(dirs: &AppDirs) -> impl Iterator<Item = PathBuf> {
    searched(dirs).map(|(_, searched)| searched.path())
}

/// Removes empty directories in which other users could create none of their own.
pub(crate) fn remove_empty(dirs: &AppDirs) {
    searched(dirs).for_each(|(_, searched)| searched.remove_empty());
}
