//! What alongside itself leaves on a machine: discovery files, sockets, the journal and logs. What a running
//! companion needs stays.

use std::path::{Path, PathBuf};

use alongside_companion::Places;
use alongside_companion::drafts::Drafts;
use anyhow::Context as _;

use crate::adapters::change;
use crate::adapters::machine::Machine;
use crate::host::{self, Registry};

/// The directories of our state that go; drafts are asked for by themselves.
const STATE: [&str; 3] = ["journal", "log", "reserve"];

/// What was found.
pub(super) struct Traces {
    /// Directories that are ours alone.
    directories: Vec<PathBuf>,
    /// Companions that run: process and projects.
    running: Vec<(u32, Vec<PathBuf>)>,
}

impl Traces {
    /// Looks for what is there.
    pub(super) async fn look(machine: &Machine) -> Self {
        let running: Vec<_> = host::reports()
            .await
            .into_iter()
            .map(|report| (report.status.pid, report.status.roots.iter().map(PathBuf::from).collect()))
            .collect();
        if !running.is_empty() {
            return Self { directories: Vec::new(), running };
        }
        let state = STATE.iter().map(|name| machine.state.join(name));
        let sockets = Registry::open().ok().map(|registry| registry.directory().to_owned());
        let directories = state.chain(sockets).filter(|path| path.is_dir()).collect();
        Self { directories, running }
    }

    /// Whether there is nothing to remove. Discovery files that the dead left go in any case.
    pub(super) fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }

    /// For a person.
    pub(super) fn shown(&self, machine: &Machine) -> String {
        let is_nothing = self.directories.is_empty() && self.running.is_empty();
        let mut text = if is_nothing { String::new() } else { "What alongside itself has left:\n".into() };
        for directory in &self.directories {
            text.push_str(&format!("  remove   {}\n", machine.shown(directory)));
        }
        for (pid, roots) in &self.running {
            let roots: Vec<_> = roots.iter().map(|root| machine.shown(root)).collect();
            text.push_str(&format!(
                "  stays    the companion of {}, which runs (process {pid}), and what it needs\n           \
                 (close its editor and desks, or `alongside host --stop {pid}`; then repeat this)\n",
                roots.join(", ")
            ));
        }
        text
    }

    /// Removes it, and the discovery files of companions that do not answer.
    pub(super) fn remove(self) -> anyhow::Result<()> {
        let places = Places::of_this_process();
        for path in alongside_companion::remove_stale_files(&places) {
            // What agents or others have put there keeps it.
            let _ = std::fs::remove_dir(path.parent().unwrap_or(Path::new("/")));
        }
        for directory in &self.directories {
            std::fs::remove_dir_all(directory)
                .with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        let drafts = Drafts::open(&places).directory();
        change::remove_empty(&[places.state, drafts]);
        Ok(())
    }
}
