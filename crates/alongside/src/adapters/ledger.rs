//! What was installed, written down, so that exactly that can be taken out again: a private file among our
//! state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_companion::private::{self, PathTrust};
use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::Rest;
use super::change::{self, Change, Done};
use crate::failure::Hint as _;

/// The file's name.
const NAME: &str = "installed.json";

/// Everything that was installed, by the name of the adapter.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    #[serde(default)]
    installed: BTreeMap<String, Installed>,
}

/// What was installed for one editor or agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Installed {
    /// By which version of this program.
    pub(crate) version: String,
    /// The files.
    pub(crate) files: Vec<Written>,
    /// The directories that were made for them, outermost first.
    #[serde(default)]
    pub(crate) directories: Vec<PathBuf>,
    /// Copies of what was there before.
    #[serde(default)]
    pub(crate) backups: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    /// What it would hold without us; `None` if it would not be there.
    pub(crate) before: Option<String>,
    /// What it held when we were done.
    pub(crate) after: String,
}

impl Ledger {
    /// Reads it; one that is not there is empty.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(crate) fn read(state: &Path) -> anyhow::Result<Self> {
        let path = state.join(NAME);
        let Some(text) = change::read(&path)? else {
            return Ok(Self::default());
        };
        serde_json::from_str(&text)
            .with_context(|| format!("cannot read what is installed from {}", path.display()))
            .hint("move that file away: what was installed is then yours to take out by hand")
    }

    /// Writes it; an empty one is no file.
    ///
    /// # Errors
    /// When our state cannot be written.
    pub(crate) fn write(&self, state: &Path) -> anyhow::Result<()> {
        let path = state.join(NAME);
        if self.installed.is_empty() {
            return change::put(&path, None);
        }
        let (base, name) = (state.parent().unwrap_or(state), state.file_name().unwrap_or_default());
        private::directory(base, Path::new(name), PathTrust::Own)
            .and_then(|()| private::write(&path, serde_json::to_string(self)?.as_bytes()))
            .with_context(|| format!("cannot write down what is installed in {}", path.display()))
    }

    /// What was installed under that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Installed> {
        self.installed.get(name)
    }

    /// The names of all that is installed.
    pub(crate) fn names(&self) -> Vec<String> {
        self.installed.keys().cloned().collect()
    }

    /// Writes down changes that were made.
    pub(crate) fn add(&mut self, name: &str, changes: &[Change], done: Done) {
        let entry = self.installed.entry(name.to_owned()).or_default();
        env!("CARGO_PKG_VERSION").clone_into(&mut entry.version);
        entry.directories.extend(done.directories);
        entry.backups.extend(done.backups);
        for change in changes {
            let known = entry.files.iter().position(|file| file.path == change.path);
            let known = known.map(|at| entry.files.remove(at));
            let Some(after) = change.after.clone() else { continue };
            let before = match (known, &change.before) {
                (Some(known), Some(now)) if *now != known.after => without_us(name, known, now),
                (Some(known), _) => known.before,
                (None, before) => before.clone(),
            };
            entry.files.push(Written { path: change.path.clone(), before, after });
        }
    }

    /// Forgets what was installed under that name.
    pub(crate) fn remove(&mut self, name: &str) {
        self.installed.remove(name);
    }
}

/// What a file would hold without us, which somebody has changed since we wrote it.
fn without_us(name: &str, known: Written, now: &str) -> Option<String> {
    match super::take_out(name, &known, now) {
        Ok(Rest::Text(rest)) => Some(rest),
        Ok(Rest::Nothing) => None,
        Ok(Rest::Kept(_)) | Err(_) => known.before,
    }
}
