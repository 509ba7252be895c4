//! The files that alongside itself leaves on a machine: discovery files, sockets, journal and logs. A running
//! companion keeps its files.

use std::path::{Path, PathBuf};

use alongside_companion::AppDirs;
use alongside_companion::drafts::Drafts;
use anyhow::Context as _;

use crate::adapters::change;
use crate::adapters::user_environment::UserEnvironment;
use crate::host::{self, Registry};

/// The directories below our state that go. Drafts need a consent of their own.
const STATE_DIRECTORIES: [&str; 3] = ["journal", "log", "reserve"];

pub(super) struct OwnFiles {
    /// Directories that hold our files only.
    directories: Vec<PathBuf>,
    /// The process and the projects of each running companion.
    running: Vec<(u32, Vec<PathBuf>)>,
}

impl OwnFiles {
    /// Looks for the files. While a companion runs, none of them can go.
    pub(super) async fn find(user: &UserEnvironment) -> Self {
        let running: Vec<_> = host::reports()
            .await
            .into_iter()
            .map(|report| (report.status.pid, report.status.roots.iter().map(PathBuf::from).collect()))
            .collect();
        if !running.is_empty() {
            return Self { directories: Vec::new(), running };
        }
        let state = STATE_DIRECTORIES.iter().map(|name| user.state.join(name));
        let sockets = Registry::open().ok().map(|registry| registry.directory().to_owned());
        let directories = state.chain(sockets).filter(|path| path.is_dir()).collect();
        Self { directories, running }
    }

    /// Whether no directory is to be removed. Stale discovery files go without being shown.
    pub(super) fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }

    /// The list that a person reads before they agree.
    pub(super) fn preview(&self, user: &UserEnvironment) -> String {
        let is_nothing = self.directories.is_empty() && self.running.is_empty();
        let mut text = if is_nothing { String::new() } else { "Files of alongside itself:\n".into() };
        for directory in &self.directories {
            text.push_str(&format!("  remove   {}\n", user.shown(directory)));
        }
        for (pid, roots) in &self.running {
            let roots: Vec<_> = roots.iter().map(|root| user.shown(root)).collect();
            text.push_str(&format!(
                "  stays    the companion of {} (process {pid}), which runs, and its files\n           \
                 (close its editor and desks, or run `alongside host --stop {pid}`; then repeat this)\n",
                roots.join(", ")
            ));
        }
        text
    }

    /// Removes the directories, and the discovery files of companions that do not answer.
    pub(super) fn remove(self) -> anyhow::Result<()> {
        let dirs = AppDirs::of_this_process();
        for path in alongside_companion::remove_stale_files(&dirs) {
            // A directory with files of agents or others stays.
            let _ = std::fs::remove_dir(path.parent().unwrap_or(Path::new("/")));
        }
        for directory in &self.directories {
            std::fs::remove_dir_all(directory)
                .with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        let drafts = Drafts::open(&dirs).directory();
        change::remove_empty(&[dirs.state, drafts]);
        Ok(())
    }
}
