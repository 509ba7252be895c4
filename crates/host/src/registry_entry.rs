//! The entry of a host: everything that others know of it without asking, and need to start it again.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use alongside_desk::socket::{EditorProcess, Role};
use alongside_platform::machine::{Boot, Origin};
use alongside_platform::process;
use serde::{Deserialize, Serialize};

use super::project_paths::{holds, holds_in_project};

/// This program's version, as entries and greetings name it.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The file of a host in the [`Registry`](super::Registry).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The host's name: that of its socket.
    pub name: String,
    /// The host's process.
    pub pid: u32,
    /// The program's version.
    pub(crate) version: String,
    /// The machine: a home may be that of several, and outlives its start. Older releases and other systems
    /// do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) boot: Option<Boot>,
    pub(crate) roots: Vec<PathBuf>,
    /// The editors that are there. A host that is started after a crash waits for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) editors: Vec<EditorProcess>,
    /// Everybody without an editor who is there, likewise. Older releases do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parties: Vec<PartyRecord>,
    /// When a person last turned to the host, in milliseconds since the Unix epoch.
    pub(crate) focused_at: u64,
    /// Every address that the host listens on.
    #[serde(default)]
    pub(crate) addresses: Vec<SocketAddr>,
    /// The settings file that `--config` named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<PathBuf>,
    /// The log that `--log` named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) log: Option<PathBuf>,
}

/// A desk or a keeper without an editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartyRecord {
    /// Its process.
    pub(crate) pid: u32,
    pub(crate) role: Role,
    /// Its name for people.
    pub(crate) name: String,
}

impl Entry {
    /// Where the host runs, or ran, as far as its entry says.
    pub(crate) fn origin(&self) -> Origin {
        self.boot.as_ref().map_or(Origin::Here, |boot| boot.origin(Boot::here().as_ref()))
    }

    /// The parties without an editor that still run.
    pub(crate) fn living_parties(&self) -> Vec<PartyRecord> {
        self.parties.iter().filter(|party| process::is_alive(party.pid)).cloned().collect()
    }

    /// The projects that the host serves.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Whether a directory is at or below a root of the host.
    pub fn serves(&self, dir: &Path) -> bool {
        holds(&self.roots, dir)
    }

    /// The same within one project: a repository within another one is a project of its own.
    pub(crate) fn serves_in_project(&self, dir: &Path) -> bool {
        holds_in_project(&self.roots, dir)
    }
}
