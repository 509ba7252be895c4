//! Finds the host that may review a tool call: the host of the file that the tool would write, through links
//! and in any directory, or else the host of the agent's directory.

use std::path::{Path, PathBuf};

use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_companion::real_path;
use alongside_host::{HookSearch, Restarting, Reviewer};

/// A search for hosts, for a call in a directory.
pub(super) struct ReviewingHosts {
    directory: PathBuf,
    search: HookSearch,
}

impl ReviewingHosts {
    /// Creates the search for a call in an absolute directory. `only`: the only directory in which to search.
    pub(super) async fn of(directory: PathBuf, only: Option<PathBuf>) -> Self {
        let search = move || match &only {
            Some(only) => HookSearch::within([RuntimeDirs::only(only)]),
            None => HookSearch::within(RuntimeDirs::of_hook(|name| std::env::var_os(name))),
        };
        // The system may ask a slow directory service for the user's home, so that must not block the
        // timeout.
        let search = tokio::task::spawn_blocking(search.clone()).await.unwrap_or_else(|_| search());
        Self { directory, search }
    }

    /// Returns the agent's directory.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Finds the host of the agent's directory.
    ///
    /// # Errors
    /// As [`HookSearch::reviewer_of`].
    pub(super) async fn of_directory(&self) -> Result<Option<Reviewer>, Restarting> {
        self.search.reviewer_of(&self.directory).await
    }

    /// Finds the host of the file to which a path leads, or else of the path itself.
    ///
    /// # Errors
    /// As [`HookSearch::reviewer_of`].
    pub(super) async fn of_file(&self, path: &Path) -> Result<Option<Reviewer>, Restarting> {
        let path = self.directory.join(path);
        let readings = real_path::readings(&path);
        let mut places: Vec<PathBuf> = readings.iter().map(|path| real_path::resolve(path)).collect();
        places.push(path);
        let mut directories: Vec<&Path> = places.iter().filter_map(|place| place.parent()).collect();
        directories.dedup();
        for directory in directories {
            if let Some(reviewer) = self.search.reviewer_of(directory).await? {
                return Ok(Some(reviewer));
            }
        }
        Ok(None)
    }

    /// Finds the host of one of these files, or else of the agent's directory.
    ///
    /// # Errors
    /// As [`HookSearch::reviewer_of`].
    pub(super) async fn of_any(
        &self,
        files: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<Option<Reviewer>, Restarting> {
        for file in files {
            if let Some(reviewer) = self.of_file(file.as_ref()).await? {
                return Ok(Some(reviewer));
            }
        }
        self.of_directory().await
    }
}
