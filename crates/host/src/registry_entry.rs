//! The entry of a host: all that others know of it without asking it, and need to start it again.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use alongside_desk::socket::{EditorProcess, Role};
use alongside_platform::machine::{Boot, Origin};
use alongside_platform::process;
use serde::{Deserialize, Serialize};

use super::project_paths::{holds, holds_in_project};

/// This program's version, for entries and first messages.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The file of a host in the [`Registry`](super::Registry).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The name of the host and of its socket.
    pub name: String,
    /// The host's process.
    pub pid: u32,
    /// The program's version.
    pub(crate) version: String,
    /// The machine and its start: several machines may share a home directory, whose files also survive a
    /// restart. Older releases and other systems omit this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) boot: Option<Boot>,
    pub(crate) roots: Vec<PathBuf>,
    /// The present editors. A host that is started after a crash waits for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) editors: Vec<EditorProcess>,
    /// The present parties without an editor, for the same purpose. Older releases omit this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parties: Vec<PartyRecord>,
    /// The time at which the person last focused a desk of the host, in milliseconds since the Unix epoch.
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
    /// The process id.
    pub(crate) pid: u32,
    pub(crate) role: Role,
    /// The name for people.
    pub(crate) name: String,
}

impl Entry {
    /// Returns where the host runs, or ran, according to its entry.
    pub(crate) fn origin(&self) -> Origin {
        self.boot.as_ref().map_or(Origin::Here, |boot| boot.origin(Boot::here().as_ref()))
    }

    /// Returns the parties without an editor that still run.
    pub(crate) fn living_parties(&self) -> Vec<PartyRecord> {
        self.parties.iter().filter(|party| process::is_alive(party.pid)).cloned().collect()
    }

    /// Returns the projects that the host serves.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Whether a directory is a root of the host, or below one.
    pub fn serves(&self, dir: &Path) -> bool {
        holds(&self.roots, dir)
    }

    /// Whether a directory is a root of the host, or below one in the same project: a repository within
    /// another one is a project of its own.
    pub(crate) fn serves_in_project(&self, dir: &Path) -> bool {
        holds_in_project(&self.roots, dir)
    }
}
