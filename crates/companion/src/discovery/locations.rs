//! The directories in which agents search for discovery files.

use std::path::{Path, PathBuf};

use alongside_contract::agents;
use alongside_contract::family::DiscoveryFile;

use crate::persistence::app_dirs::{AppDirs, SearchDirectory};

/// The directories of every discovery file in the table of agents.
pub(super) fn searched(dirs: &AppDirs) -> impl Iterator<Item = (&'static DiscoveryFile, SearchDirectory)> {
    agents::discovery_files()
        .flat_map(|row| dirs.resolve(row.directory).into_iter().map(move |searched| (row, searched)))
}

/// The directories of lock files, each once.
pub(super) fn lock_directories(dirs: &AppDirs) -> Vec<SearchDirectory> {
    let mut all: Vec<SearchDirectory> = Vec::new();
    for searched in agents::lock_directories().into_iter().flat_map(|directory| dirs.resolve(directory)) {
        if !all.contains(&searched) {
            all.push(searched);
        }
    }
    all
}

/// The directories of discovery files.
pub(crate) fn directories(dirs: &AppDirs) -> impl Iterator<Item = PathBuf> {
    let locks = lock_directories(dirs).into_iter().map(|searched| searched.path());
    searched(dirs).map(|(_, searched)| searched.path()).chain(locks)
}

/// Removes empty directories in which other users could create none of their own.
pub(crate) fn remove_empty(dirs: &AppDirs) {
    for (_, searched) in searched(dirs) {
        searched.remove_empty();
    }
}

/// A directory of discovery files below home, and the agent's own directory above it; empty for another one.
pub(super) fn of_agent(dirs: &AppDirs, directory: &Path) -> Vec<PathBuf> {
    let mut all = searched(dirs).map(|(_, searched)| searched);
    let found = all.find(|searched| searched.agent_directory().is_some() && searched.path() == directory);
    let found = found.map(|found| [found.agent_directory().map(Path::to_owned), Some(found.path())]);
    found.into_iter().flatten().flatten().collect()
}
