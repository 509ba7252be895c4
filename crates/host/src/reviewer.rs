//! Finds the host that serves a directory, for a hook with a proposal or a snapshot. A hook never starts a
//! host.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_desk::socket::{self, JoinError};
use alongside_desk::{HookProposal, SnapshotKind, SnapshotTaken, Verdict};
use alongside_platform::ports::is_taken;
use interprocess::local_socket::tokio::Stream;
use tokio::time::Instant;

use super::registry::Registry;
use super::registry_entry::Entry;

/// The time for which a hook waits for the desks to restart a crashed host.
const RESTART_TIMEOUT: Duration = Duration::from_secs(3);
/// The time between two attempts to connect meanwhile.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The time limit for reporting a snapshot, so that no agent has to wait for long.
const REPORT_TIMEOUT: Duration = Duration::from_millis(200);
/// The time limit for the write to a connected host.
const WRITE_TIMEOUT: Duration = Duration::from_millis(20);

/// A hook's search for hosts, in one registry after the other. The agent chooses the variables of its hook,
/// so a registry that a variable names is searched last.
#[derive(Debug, Clone)]
pub struct HookSearch {
    registries: Vec<Registry>,
}

/// A host that serves a directory, and has the proposals of hooks reviewed.
#[derive(Debug)]
pub struct Reviewer {
    registry: Registry,
    entry: Entry,
}

/// The error for a host that has crashed and that its desks have not started again yet.
#[derive(Debug)]
pub struct Restarting;

impl HookSearch {
    /// Creates a search in these directories, in this order.
    pub fn within(directories: impl IntoIterator<Item = RuntimeDirs>) -> Self {
        Self { registries: directories.into_iter().map(Registry::in_directories).collect() }
    }

    /// Returns every directory that is searched, for people.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.registries.iter().flat_map(|registry| registry.directories().paths())
    }

    /// Returns the host of the directory's own repository or, without one, of a directory above. Among
    /// several hosts, returns the one that was focused last. `None` if no host listens.
    ///
    /// # Errors
    /// When a host has crashed and its desks are restarting it.
    pub async fn reviewer_of(&self, dir: &Path) -> Result<Option<Reviewer>, Restarting> {
        // A directory that does not exist yet counts as its parent.
        let dir = dir.ancestors().find(|dir| dir.exists()).unwrap_or(dir).to_owned();
        let until = Instant::now() + RESTART_TIMEOUT;
        for registry in &self.registries {
            while let Some(found) = find_in(registry, &dir).await {
                match found {
                    Found::Listening(entry) => {
                        return Ok(Some(Reviewer { registry: registry.clone(), entry: *entry }));
                    }
                    Found::Crashed if Instant::now() >= until => return Err(Restarting),
                    Found::Crashed => tokio::time::sleep(RETRY_INTERVAL).await,
                }
            }
        }
        Ok(None)
    }

    /// Reports a snapshot to the host of its working tree, so that desks are updated. Takes at most 200 ms,
    /// and never fails: a desk that is opened later reads the store.
    pub async fn report_snapshot(&self, dir: &Path, kind: SnapshotKind) {
        if let Some(reporter) = self.snapshot_reporter(dir).await {
            reporter.report(kind).await;
        }
    }

    /// Connects to the host of a directory in advance, so that [`SnapshotReporter::report`] only has to
    /// write. Takes at most 200 ms.
    pub async fn snapshot_reporter(&self, dir: &Path) -> Option<SnapshotReporter> {
        let dialled = tokio::time::timeout(REPORT_TIMEOUT, self.dial(dir)).await;
        if dialled.is_err() {
            tracing::debug!("no host was reached in time");
        }
        let stream = dialled.ok().flatten()?;
        Some(SnapshotReporter { stream, directory: dir.to_owned() })
    }

    async fn dial(&self, dir: &Path) -> Option<Stream> {
        for registry in &self.registries {
            let Some(Found::Listening(entry)) = find_in(registry, dir).await else { continue };
            if let Ok(stream) = registry.dial(&entry.name).await {
                return Some(stream);
            }
        }
        None
    }
}

/// A connection to a host for the report of one snapshot.
#[derive(Debug)]
pub struct SnapshotReporter {
    stream: Stream,
    directory: PathBuf,
}

impl SnapshotReporter {
    /// Reports that a snapshot was taken in the directory. The write fits into the empty buffer of the
    /// socket, so it normally does not block. For a broken host, it takes at most 20 ms.
    pub async fn report(self, kind: SnapshotKind) {
        let taken = SnapshotTaken { directory: self.directory, kind };
        let sent = tokio::time::timeout(WRITE_TIMEOUT, socket::report_snapshot(self.stream, &taken)).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::debug!("no host got the report of the snapshot");
        }
    }
}

/// The result of a search in one registry.
enum Found {
    Listening(Box<Entry>),
    /// A host has crashed, and its desks hold its port.
    Crashed,
}

/// Searches the hosts of a registry for the one that serves a directory.
async fn find_in(registry: &Registry, dir: &Path) -> Option<Found> {
    // A home directory on a network file system may not respond, and the hook has a deadline.
    let listed = {
        let (registry, dir) = (registry.clone(), dir.to_owned());
        tokio::task::spawn_blocking(move || entries_serving(&registry, &dir)).await
    };
    let entries = listed.unwrap_or_else(|_| entries_serving(registry, dir));
    let mut is_held = false;
    for entry in entries {
        if registry.dial(&entry.name).await.is_ok() {
            return Some(Found::Listening(Box::new(entry)));
        }
        is_held |= entry.addresses.iter().any(|address| is_taken(*address));
    }
    is_held.then_some(Found::Crashed)
}

/// Returns the entries of hosts that serve a directory, the hosts of its own repository first. Blocks.
fn entries_serving(registry: &Registry, dir: &Path) -> Vec<Entry> {
    let serving = registry.entries().into_iter().filter(|entry| entry.serves(dir));
    let (mut serving, above): (Vec<_>, Vec<_>) = serving.partition(|entry| entry.serves_in_project(dir));
    serving.extend(above);
    serving
}

impl Reviewer {
    /// Whether a file is in a project that the host serves.
    pub fn serves(&self, file: &Path) -> bool {
        file.parent().is_some_and(|dir| self.entry.serves(dir))
    }

    /// Has a proposal reviewed, and returns the verdict.
    ///
    /// # Errors
    /// When the host ends before the verdict, or uses no version of the protocol that this program knows.
    pub async fn review(&self, proposal: &HookProposal) -> Result<Verdict, JoinError> {
        let propose = async |stream: Stream, protocol: u32| socket::propose(stream, proposal, protocol).await;
        self.registry.ask(&self.entry.name, propose).await
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::socket::{FirstRequest, receive};
    use interprocess::local_socket::tokio::prelude::*;

    use super::*;

    #[tokio::test]
    async fn the_host_of_a_directory_receives_its_snapshots() {
        let base = tempfile::tempdir().unwrap();
        let project = base.path().join("project");
        std::fs::create_dir_all(project.join("sub")).unwrap();
        let directories = RuntimeDirs::only(&base.path().join("run"));
        let search = HookSearch::within([directories.clone()]);
        // Without a host, the call returns at once.
        search.report_snapshot(&project, SnapshotKind::End).await;

        let registry = Registry::in_directories(directories);
        let (at, listener) = registry.listen("h").unwrap();
        let pid = std::process::id();
        let entry = Entry { name: "h".into(), pid, roots: vec![project.clone()], ..Entry::default() };
        registry.write(&at, &entry).unwrap();
        let heard = tokio::spawn(async move {
            loop {
                let stream = listener.accept().await.unwrap();
                // A connection that only tests whether the host listens sends no request.
                if let Ok(Some(FirstRequest::TurnTaken(taken))) = receive(stream, "1").await {
                    return taken;
                }
            }
        });
        let directory = project.join("sub");
        search.report_snapshot(&directory, SnapshotKind::Prompt).await;
        search.report_snapshot(base.path(), SnapshotKind::End).await;
        let heard = tokio::time::timeout(Duration::from_secs(30), heard).await.unwrap().unwrap();
        assert_eq!(heard, SnapshotTaken { directory, kind: SnapshotKind::Prompt });
    }
}
