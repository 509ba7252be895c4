//! The directories in which agents search for discovery files.

use std::path::PathBuf;

use alongside_contract::family::FAMILIES;

use crate::persistence::app_dirs::AppDirs;

/// Where discovery files are.
pub(crate) fn directories(dirs: &AppDirs) -> impl Iterator<Item = PathBuf> {
    let rows = FAMILIES.iter().flat_map(|family| family.files);
    rows.flat_map(|row| dirs.resolve(row.directory)).map(|place| place.path())
}

/// Removes directories where others could make none.
pub(crate) fn remove_empty(dirs: &AppDirs) {
    let rows = FAMILIES.iter().flat_map(|family| family.files);
    rows.flat_map(|row| dirs.resolve(row.directory)).for_each(|place| place.remove_empty());
}
