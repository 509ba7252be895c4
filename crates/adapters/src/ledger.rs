//! The ledger: a private file in our state directory that lists everything that was installed, so that
//! exactly this can be removed again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_common::failure::Hint as _;
use alongside_common::person_file::PersonFile;
use alongside_companion::private::{self, PathTrust};
use alongside_platform::files::Links;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::change::{self, Change, CreatedPaths};
use super::installation::{Installation, InstalledFile};
use super::plan::{Plan, Remainder};
use super::removal::remove_adapter;

const FILE_NAME: &str = "installed.json";

/// Everything that was installed, by the id of the adapter.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    #[serde(default)]
    installed: BTreeMap<String, Installation>,
}

impl Ledger {
    /// Reads the ledger in the directory `state`. A missing file is an empty ledger.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn read(state: &Path) -> anyhow::Result<Self> {
        let path = state.join(FILE_NAME);
        let Some(text) = change::read(&path)? else {
            return Ok(Self::default());
        };
        serde_json::from_str(&text)
            .with_context(|| format!("cannot read the list of installed files in {}", path.display()))
            .hint("move that file away, and remove by hand what was installed")
    }

    /// Writes the ledger, or removes the file if the ledger is empty.
    ///
    /// # Errors
    /// When our state directory cannot be written.
    pub fn write(&self, state: &Path) -> anyhow::Result<()> {
        let path = state.join(FILE_NAME);
        if self.installed.is_empty() {
            let file = PersonFile::find(&path, Links::Followed)?;
            return file.as_ref().map_or(Ok(()), PersonFile::remove);
        }
        let (base, name) = (state.parent().unwrap_or(state), state.file_name().unwrap_or_default());
        private::directory(base, Path::new(name), PathTrust::Own)
            .and_then(|()| private::write(&path, serde_json::to_string(self)?.as_bytes()))
            .with_context(|| format!("cannot write the list of installed files to {}", path.display()))
    }

    /// Returns the installation of the adapter `id`, if there is one.
    pub fn get(&self, id: &str) -> Option<&Installation> {
        self.installed.get(id)
    }

    /// Returns the ids of all installed adapters.
    pub fn ids(&self) -> Vec<String> {
        self.installed.keys().cloned().collect()
    }

    /// Makes the changes of `plan` and writes the ledger with them into the directory `state`, or does
    /// neither.
    ///
    /// # Errors
    /// When a file has changed since the plan or cannot be written.
    pub fn make(&mut self, id: &str, plan: &Plan, state: &Path) -> anyhow::Result<()> {
        let created = change::make(&plan.changes, true)?;
        self.add(id, &plan.changes, created);
        self.write(state).inspect_err(|_| {
            for change in plan.changes.iter().rev() {
                // The person sees only the error of the ledger.
                let _ = change::write_or_remove(change, change.before.as_deref());
            }
        })
    }

    /// Adds changes that were made to the installation of `id`.
    fn add(&mut self, id: &str, changes: &[Change], created: CreatedPaths) {
        let entry = self.installed.entry(id.to_owned()).or_default();
        env!("CARGO_PKG_VERSION").clone_into(&mut entry.version);
        entry.directories.extend(created.directories);
        entry.backups.extend(created.backups);
        for change in changes {
            let index = entry.files.iter().position(|file| file.path == change.path);
            let earlier = index.map(|index| entry.files.remove(index));
            let Some(after) = change.after.clone() else { continue };
            let before = match (earlier, &change.before) {
                (Some(earlier), Some(now)) if *now != earlier.after => without_adapter(id, earlier, now),
                (Some(earlier), _) => earlier.before,
                (None, before) => before.clone(),
            };
            let in_project = change.links == Links::Refused;
            entry.files.push(InstalledFile { path: change.path.clone(), before, after, in_project });
        }
    }

    /// Removes an adapter from the ledger, except for the files in `left`, which still hold the adapter.
    pub fn remove(&mut self, id: &str, left: &[PathBuf]) {
        if let Some(installed) = self.installed.get_mut(id) {
            installed.files.retain(|file| left.contains(&file.path));
        }
        self.installed.retain(|known, installed| known != id || !installed.files.is_empty());
    }
}

/// Returns the text of a file without the adapter. The file was changed after the installation, and holds
/// `now`.
fn without_adapter(id: &str, file: InstalledFile, now: &str) -> Option<String> {
    match remove_adapter(id, &file, now) {
        Ok(Remainder::Text(rest)) => Some(rest),
        Ok(Remainder::Nothing) => None,
        Ok(Remainder::Unchanged(_)) | Err(_) => file.before,
    }
}
