//! The host that reviews for an agent's hook: the one that serves a directory. A hook starts none.

use std::path::Path;
use std::time::Duration;

use alongside_desk::socket::{self, JoinError};
use alongside_desk::{HookProposal, StoodBack, Verdict};
use alongside_platform::ports::is_taken;
use interprocess::local_socket::tokio::Stream;
use tokio::time::Instant;

use super::entry::Entry;
use super::registry::Registry;

/// How long a host that has crashed is waited for: its desks start it again.
const RESTART_TIMEOUT: Duration = Duration::from_secs(3);
/// How often it is dialled meanwhile.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The host that serves a directory.
pub struct Reviewer {
    registry: Registry,
    entry: Entry,
}

/// The host has crashed, and its desks have not started it again yet.
pub struct Restarting;

impl Reviewer {
    /// The host of the directory's own repository, or else of a directory above. Of several, the one that the
    /// person turned to last. `None` if none listens there.
    ///
    /// # Errors
    /// When desks wait for a host that has crashed.
    pub async fn of(dir: &Path) -> Result<Option<Self>, Restarting> {
        let Some(registry) = Registry::existing() else { return Ok(None) };
        // A directory that does not exist yet is in the one above it.
        let dir = dir.ancestors().find(|dir| dir.exists()).unwrap_or(dir);
        let until = Instant::now() + RESTART_TIMEOUT;
        loop {
            let serving = registry.entries().into_iter().filter(|entry| entry.serves(dir));
            let (own, above): (Vec<_>, Vec<_>) = serving.partition(|entry| entry.serves_in_project(dir));
            let mut is_held = false;
            for entry in own.into_iter().chain(above) {
                if registry.dial(&entry.name).await.is_ok() {
                    return Ok(Some(Self { registry, entry }));
                }
                is_held |= entry.addresses.iter().any(|address| is_taken(*address));
            }
            if !is_held {
                return Ok(None);
            }
            if Instant::now() >= until {
                return Err(Restarting);
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    /// Whether a file lies in a project that the host serves.
    pub fn serves(&self, file: &Path) -> bool {
        file.parent().is_some_and(|dir| self.entry.serves(dir))
    }

    /// Has a proposal reviewed.
    ///
    /// # Errors
    /// When the host goes away before the verdict, or is older than this program.
    pub async fn review(&self, proposal: &HookProposal) -> Result<Verdict, JoinError> {
        socket::propose(self.dial().await?, proposal).await
    }

    /// Tells desks of a tool call that goes on without a review.
    ///
    /// # Errors
    /// As [`review`](Self::review).
    pub async fn stand_back(&self, told: &StoodBack) -> Result<(), JoinError> {
        socket::stand_back(self.dial().await?, told).await
    }

    async fn dial(&self) -> Result<Stream, JoinError> {
        Ok(self.registry.dial(&self.entry.name).await?)
    }
}
