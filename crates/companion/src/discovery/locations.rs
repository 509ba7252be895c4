//! The directories in which agents search for discovery files.

use std::path::PathBuf;

use alongside_contract::family::FAMILIES;

use crate::persistence::app_dirs::AppDirs;

/// The directories of discovery files.
pub(crate) fn directories(dirs: &AppDirs) -> impl Iterator<Item = PathBuf> {
    let rows = FAMILIES.iter().flat_map(|family| family.files);
    rows.flat_map(|row| dirs.resolve(row.directory)).map(|searched| searched.path())
}

/// Removes empty directories in which other users could create none of their own.
pub(crate) fn remove_empty(dirs: &AppDirs) {
    let rows = FAMILIES.iter().flat_map(|family| family.files);
    rows.flat_map(|row| dirs.resolve(row.directory)).for_each(|searched| searched.remove_empty());
}
