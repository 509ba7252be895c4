//! The places in which agents search for a companion.

use std::path::{Path, PathBuf};

use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::family::{DiscoveryFile, FoundBy};

use crate::persistence::app_dirs::{AppDirs, SearchDirectory};

/// A directory in which an agent searches for one kind of file.
#[derive(Debug)]
pub(super) struct SearchPlace {
    pub(super) agent: FamilyAgent,
    pub(super) kind: SearchedFile,
    /// The agents that read the file, for messages.
    pub(super) readers: &'static str,
    pub(super) directory: SearchDirectory,
}

/// The kind of a file by which agents find a companion.
#[derive(Debug, Clone, Copy)]
pub(super) enum SearchedFile {
    Record(&'static DiscoveryFile),
    Lock,
}

/// Iterates over every place in which an agent of the table searches.
pub(super) fn search_places(dirs: &AppDirs) -> impl Iterator<Item = SearchPlace> {
    let searched = |agent: FamilyAgent| match &agent.family.found_by {
        FoundBy::DiscoveryFiles(rows) => {
            let of_row =
                |row: &'static DiscoveryFile| (agent, SearchedFile::Record(row), row.readers, row.directory);
            rows.iter().map(of_row).collect()
        }
        FoundBy::Lock(rules) => vec![(agent, SearchedFile::Lock, rules.readers, rules.directory)],
    };
    with_family().flat_map(searched).flat_map(move |(agent, kind, readers, directory)| {
        let resolved = dirs.resolve(directory).into_iter();
        resolved.map(move |directory| SearchPlace { agent, kind, readers, directory })
    })
}

/// Iterates over the directories of all places.
pub(crate) fn directories(dirs: &AppDirs) -> impl Iterator<Item = PathBuf> {
    search_places(dirs).map(|place| place.directory.path())
}

/// Removes the empty directories of shared places, so that other users can create their own.
pub(crate) fn remove_empty(dirs: &AppDirs) {
    for place in search_places(dirs) {
        place.directory.remove_empty();
    }
}

/// Removes an agent's own directories around this directory of discovery files, as far as they are empty.
pub(super) fn remove_empty_of_agent(dirs: &AppDirs, directory: &Path) {
    for made in own_directories(dirs, directory).iter().rev() {
        // Fails if the directory is in use, for example by the agent.
        let _ = std::fs::remove_dir(made);
    }
}

/// Returns this directory of discovery files, if it is below home, with the agent's own directory above it.
pub(super) fn own_directories(dirs: &AppDirs, directory: &Path) -> Vec<PathBuf> {
    let mut all = search_places(dirs).map(|place| place.directory);
    let found = all.find(|searched| searched.agent_directory().is_some() && searched.path() == directory);
    let found = found.map(|found| [found.agent_directory().map(Path::to_owned), Some(found.path())]);
    found.into_iter().flatten().flatten().collect()
}
