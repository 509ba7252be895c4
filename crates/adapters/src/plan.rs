//! An adapter's state, and the changes that installing or removing it makes.

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
    /// The file that is started.
    pub path: PathBuf,
    /// `None` if the program does not print one.
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
    /// Present at `at`, but not from `alongside install`.
    ByHand {
        /// The file or directory that it was found in.
        at: PathBuf,
    },
}

impl AdapterState {
    /// The state of an adapter that was found as a part of the person's file `at`.
    pub(super) fn of_part(at: PathBuf, installed: Option<&Installation>) -> Self {
        match installed {
            None => Self::ByHand { at },
            Some(installed) if installed.version == env!("CARGO_PKG_VERSION") => Self::Current,
            Some(installed) => Self::Outdated { by: installed.version.clone() },
        }
    }
}

/// The texts that files get by changes that have not been made yet: a change after them begins there.
pub type EarlierTexts = BTreeMap<PathBuf, String>;

/// The changes of an installation.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that change.
    pub changes: Vec<Change>,
    /// The file of an extension, which the editor itself installs.
    pub extension: Option<Vec<u8>>,
    /// Long changes in one sentence.
    pub summary: Option<String>,
    /// The setting of an agent that changes, its new value, and the file.
    pub changed_setting: Option<String>,
    /// Remarks for the person to read before they agree.
    pub notes: Vec<String>,
}

impl Plan {
    /// Whether everything is installed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.extension.is_none()
    }

    /// Adds a change of a person's file, unless the file holds `after` already.
    pub(super) fn change_person_file(&mut self, path: PathBuf, before: Option<String>, after: String) {
        if before.as_deref().unwrap_or_default() != after {
            let links = Links::Followed;
            self.changes.push(Change { path, before, after: Some(after), is_theirs: true, links });
        }
    }

    /// The same for settings of an agent, which may lie in the project.
    ///
    /// # Errors
    /// When a link leads to the file that is not to be followed.
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
    /// The file goes.
    Nothing,
    /// The file stays as it is, for this reason.
    Unchanged(String),
}
