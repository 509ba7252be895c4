//! The entry of a host: everything that others know of it without asking, and need to start it again.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use alongside_desk::socket::Owner;
use alongside_platform::process;
use serde::{Deserialize, Serialize};

/// This program's version, as entries and greetings name it.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The file of a host in the [registry](super::registry).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    /// The host's name: that of its socket.
    pub(crate) name: String,
    pub(crate) pid: u32,
    /// The program's version.
    pub(crate) version: String,
    pub(crate) roots: Vec<PathBuf>,
    /// The editor that the host belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<Owner>,
    /// The editor is gone, and may come back.
    #[serde(default)]
    pub(crate) hidden: bool,
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

impl Entry {
    /// Whether an editor that comes may have the host: it has no owner, or one that is gone.
    pub(crate) fn is_free(&self) -> bool {
        let lives = |owner: &Owner| process::look_up(owner.pid).is_some();
        self.hidden || !self.owner.as_ref().is_some_and(lives)
    }

    /// Whether every one of these directories is at or below a root of the host.
    pub(crate) fn serves(&self, dirs: &[PathBuf]) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let roots: Vec<_> = self.roots.iter().map(|root| real(root)).collect();
        dirs.iter().all(|dir| roots.iter().any(|root| real(dir).starts_with(root)))
    }
}
