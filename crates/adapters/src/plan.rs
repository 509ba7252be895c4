//! The state of an adapter, and the changes that install or remove it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use alongside_agent::find::Surroundings;
use alongside_common::person_file;
use alongside_platform::files::Links;

use super::change::{self, Change};
use super::installation::Installation;

/// An editor's program on this machine.
#[derive(Debug, Clone)]
pub struct EditorProgram {
    /// The executable file.
    pub path: PathBuf,
    /// The version; `None` if the program does not print one.
    pub version: Option<String>,
}

/// Whether an editor has its adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterState {
    /// The editor has no adapter.
    NotInstalled,
    /// Installed, and as this version of the program would install it.
    Current,
    /// Installed by version `by`, and different from what this version would install.
    Outdated {
        /// The version of this program that installed it.
        by: String,
    },
    /// Installed, but not by `alongside install`.
    ByHand {
        /// The file or directory that holds the adapter.
        at: PathBuf,
    },
}

impl AdapterState {
    /// Returns the state of an adapter that was found as a part of the person's file `at`.
    pub(super) fn of_part(at: PathBuf, installed: Option<&Installation>) -> Self {
        match installed {
            None => Self::ByHand { at },
            Some(installed) if installed.version == env!("CARGO_PKG_VERSION") => Self::Current,
            Some(installed) => Self::Outdated { by: installed.version.clone() },
        }
    }
}

/// The texts of files after earlier plans that are not carried out yet. A later plan begins with these texts.
pub type EarlierTexts = BTreeMap<PathBuf, String>;

/// The changes of an installation.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that change.
    pub changes: Vec<Change>,
    /// The file of an extension, which the editor itself installs.
    pub extension: Option<Vec<u8>>,
    /// The changes in one sentence each, if they are long.
    pub summary: Option<String>,
    /// The setting of an agent that changes, its new value, and the file.
    pub changed_setting: Option<String>,
    /// Sentences that the person reads before they agree.
    pub notes: Vec<String>,
}

impl Plan {
    /// Whether there is nothing to install.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.extension.is_none()
    }

    /// Adds a change of a person's file, unless the file holds `after` already.
    pub(super) fn change_person_file(&mut self, path: PathBuf, before: Option<String>, after: String) {
        if before.as_deref().unwrap_or_default() != after {
            let links = Links::Followed;
            self.changes.push(Change { path, before, after: Some(after), is_person_file: true, links });
        }
    }

    /// As [`Self::change_person_file`], for settings of an agent, which may lie in the project.
    ///
    /// # Errors
    /// When a link leads to the file, and links are refused there.
    pub(super) fn change_settings(
        &mut self,
        path: PathBuf,
        before: Option<String>,
        after: String,
        here: &Surroundings,
    ) -> anyhow::Result<()> {
        let links = person_file::links_to(&path, &here.home, &here.cwd);
        self.change_person_file(path, before, after);
        self.changes.iter_mut().for_each(|change| change.links = links);
        change::check_links(&self.changes)
    }
}

/// The rest of a file after its adapter is removed.
#[derive(Debug, PartialEq, Eq)]
pub enum Remainder {
    /// The file keeps this text.
    Text(String),
    /// The file is removed.
    Nothing,
    /// The file stays as it is, for this reason.
    Unchanged(String),
}
