//! The directories of the stores, of the drafts and of the person's settings.
//!
//! An agent starts its hook with its own variables, so no variable decides where a store is. The hook and
//! every command use `.local/state/alongside/turns` in the home directory that the user database names. The
//! only exception is for tests: a command in whose environment `ALONGSIDE_RUNTIME_DIR` is set uses the state
//! directory that the variables name. For the same purpose, a hook has the option `--state-dir`.

use std::path::{Path, PathBuf};

use alongside_common::runtime_dirs::VARIABLE;
use alongside_common::settings::Settings;
use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use alongside_platform::paths::Canonical as _;
use alongside_platform::{directories, files};

use crate::error::Error;
use crate::working_tree::WorkingTree;

/// The directories and settings that a store needs.
#[derive(Debug, Clone)]
pub struct TurnDirs {
    state: PathBuf,
    app_dirs: AppDirs,
    excludes: Vec<String>,
}

impl TurnDirs {
    /// Returns the directories of a host, a desk, or a command of a person. Blocks: the system may ask a
    /// directory service.
    pub fn of_this_process() -> Self {
        let app_dirs = AppDirs::of_this_process();
        let is_replaced = std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty());
        match is_replaced {
            true => Self::in_state(app_dirs.state.clone(), app_dirs),
            false => Self::of_user(app_dirs),
        }
    }

    /// Returns the directories of a hook, with this state directory. Without `state`, uses the state
    /// directory that depends on no variable. Blocks.
    pub fn of_hook(state: Option<PathBuf>) -> Self {
        let app_dirs = AppDirs::of_this_process();
        match state {
            Some(state) => Self::in_state(state, app_dirs),
            None => Self::of_user(app_dirs),
        }
    }

    fn of_user(app_dirs: AppDirs) -> Self {
        let is_ours = |home: &PathBuf| home.metadata().is_ok_and(|found| files::is_ours(&found));
        let state = match directories::home_in_database().filter(is_ours) {
            Some(home) => home.join(".local/state/alongside"),
            None => app_dirs.state.clone(),
        };
        Self::in_state(state, app_dirs)
    }

    /// Returns the directories with this state directory. If the settings have a mistake, the settings
    /// exclude no file. A text that they would have excluded then stays in a private directory.
    fn in_state(state: PathBuf, app_dirs: AppDirs) -> Self {
        let excludes = Settings::load(None, &[]).map(|settings| settings.excludes()).unwrap_or_default();
        Self { state, app_dirs, excludes }
    }

    /// Returns directories that are all below one directory, for tests.
    pub fn below(directory: &Path) -> Self {
        let app_dirs = AppDirs::below(directory);
        Self { state: app_dirs.state.clone(), app_dirs, excludes: Vec::new() }
    }

    /// Returns the state directory, in which the stores are.
    pub fn state(&self) -> &Path {
        &self.state
    }

    pub(crate) fn drafts(&self) -> Drafts {
        Drafts::open(&self.app_dirs)
    }

    pub(crate) fn excludes(&self) -> &[String] {
        &self.excludes
    }

    /// Returns the path of the person's ignore file for all repositories, as git determines it.
    pub(crate) fn ignore_file(&self) -> Option<PathBuf> {
        alongside_companion::git_ignore_file(&self.app_dirs)
    }

    /// Returns the working tree around a directory, as [`WorkingTree::around_or_at`] finds it.
    ///
    /// # Errors
    /// When the directory is in no working tree.
    pub(crate) fn working_tree(&self, directory: &Path) -> Result<WorkingTree, Error> {
        let tree = WorkingTree::around_or_at(directory, &self.homes());
        tree.ok_or("this directory is no working tree".into())
    }

    /// Returns the home directories. None of them counts as a working tree, whatever it holds.
    pub(crate) fn homes(&self) -> Vec<PathBuf> {
        let homes = [Some(self.app_dirs.home.clone()), directories::home_in_database()];
        homes.into_iter().flatten().filter_map(|home| home.canonical().ok()).collect()
    }
}
