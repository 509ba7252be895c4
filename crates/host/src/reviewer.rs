//! The host that reviews for an agent's hook, or hears of its snapshots: the one that serves a directory. A
//! hook starts none.

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

/// How long a host that has crashed is waited for: its desks start it again.
const RESTART_TIMEOUT: Duration = Duration::from_secs(3);
/// How often it is dialled meanwhile.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// How long a hook may take to tell of a snapshot: it holds no agent up.
const TELL_WITHIN: Duration = Duration::from_millis(200);
/// How long the write to a host may take that was reached.
const WRITE_WITHIN: Duration = Duration::from_millis(20);

/// A hook's search for hosts, in one registry after the other. An agent decides on the variables of its hook,
/// so a host that a variable leads to never comes before one that is found without.
#[derive(Debug, Clone)]
pub struct HookSearch {
    registries: Vec<Registry>,
}

/// The host that serves a directory.
#[derive(Debug)]
pub struct Reviewer {
    registry: Registry,
    entry: Entry,
}

/// The host has crashed, and its desks have not started it again yet.
#[derive(Debug)]
pub struct Restarting;

impl HookSearch {
    /// A search in these directories, in this order.
    pub fn within(directories: impl IntoIterator<Item = RuntimeDirs>) -> Self {
        Self { registries: directories.into_iter().map(Registry::in_directories).collect() }
    }

    /// Every directory that is searched, for a person to read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.registries.iter().flat_map(|registry| registry.directories().paths())
    }

    /// The host of the directory's own repository, or else of a directory above. Of several, the one that the
    /// person turned to last. `None` if none listens there.
    ///
    /// # Errors
    /// When desks wait for a host that has crashed.
    pub async fn reviewer_of(&self, dir: &Path) -> Result<Option<Reviewer>, Restarting> {
        // A directory that does not exist yet is in the one above it.
        let dir = dir.ancestors().find(|dir| dir.exists()).unwrap_or(dir).to_owned();
        let until = Instant::now() + RESTART_TIMEOUT;
        for registry in &self.registries {
            while let Some(found) = look_in(registry, &dir).await {
                match found {
                    Found::Listening(entry) => {
                        return Ok(Some(Reviewer { registry: registry.clone(), entry: *entry }));
                    }
                    Found::Awaited if Instant::now() >= until => return Err(Restarting),
                    Found::Awaited => tokio::time::sleep(RETRY_INTERVAL).await,
                }
            }
        }
        Ok(None)
    }

    /// Tells the host of a directory that a snapshot of its working tree was taken, so that desks hear of it.
    /// Takes 200 ms at most, and never fails: a desk that is opened later finds everything in the store.
    pub async fn tell_turn(&self, dir: &Path, kind: SnapshotKind) {
        if let Some(listener) = self.listener(dir).await {
            listener.tell(kind).await;
        }
    }

    /// The host of a directory, for one message about its turns that may not take any time later. Takes
    /// 200 ms at most.
    pub async fn listener(&self, dir: &Path) -> Option<TurnListener> {
        let dialled = tokio::time::timeout(TELL_WITHIN, self.dial(dir)).await;
        if dialled.is_err() {
            tracing::debug!("no host was reached in time");
        }
        let stream = dialled.ok().flatten()?;
        Some(TurnListener { stream, directory: dir.to_owned() })
    }

    async fn dial(&self, dir: &Path) -> Option<Stream> {
        for registry in &self.registries {
            let Some(Found::Listening(entry)) = look_in(registry, dir).await else { continue };
            if let Ok(stream) = registry.dial(&entry.name).await {
                return Some(stream);
            }
        }
        None
    }
}

/// A host that listens, and has not been told yet.
#[derive(Debug)]
pub struct TurnListener {
    stream: Stream,
    directory: PathBuf,
}

impl TurnListener {
    /// Tells it that a snapshot of its working tree was taken. A write into a socket with an empty buffer,
    /// which waits for nobody; for a host that is broken, 20 ms at most.
    pub async fn tell(self, kind: SnapshotKind) {
        let taken = SnapshotTaken { directory: self.directory, kind };
        let told = tokio::time::timeout(WRITE_WITHIN, socket::tell_snapshot(self.stream, &taken)).await;
        if !matches!(told, Ok(Ok(()))) {
            tracing::debug!("no host was told of the snapshot");
        }
    }
}

/// The outcome of a look into a registry.
enum Found {
    Listening(Box<Entry>),
    /// A host that has crashed, and whose port its desks hold.
    Awaited,
}

/// The host that serves a directory, among those of a registry.
async fn look_in(registry: &Registry, dir: &Path) -> Option<Found> {
    // A home on another machine may not answer, and the hook has to be in time.
    let looked = {
        let (registry, dir) = (registry.clone(), dir.to_owned());
        tokio::task::spawn_blocking(move || serving(&registry, &dir)).await
    };
    let serving = looked.unwrap_or_else(|_| serving(registry, dir));
    let mut is_held = false;
    for entry in serving {
        if registry.dial(&entry.name).await.is_ok() {
            return Some(Found::Listening(Box::new(entry)));
        }
        is_held |= entry.addresses.iter().any(|address| is_taken(*address));
    }
    is_held.then_some(Found::Awaited)
}

/// The entries of hosts that serve a directory, those of its own repository first. Blocks.
fn serving(registry: &Registry, dir: &Path) -> Vec<Entry> {
    let serving = registry.entries().into_iter().filter(|entry| entry.serves(dir));
    let (mut serving, above): (Vec<_>, Vec<_>) = serving.partition(|entry| entry.serves_in_project(dir));
    serving.extend(above);
    serving
}

impl Reviewer {
    /// Whether a file lies in a project that the host serves.
    pub fn serves(&self, file: &Path) -> bool {
        file.parent().is_some_and(|dir| self.entry.serves(dir))
    }

    /// Has a proposal reviewed.
    ///
    /// # Errors
    /// When the host goes away before the verdict, or speaks no version of the protocol that this program
    /// does.
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
    async fn the_host_of_a_directory_hears_of_its_snapshots() {
        let base = tempfile::tempdir().unwrap();
        let project = base.path().join("project");
        std::fs::create_dir_all(project.join("sub")).unwrap();
        let directories = RuntimeDirs::only(&base.path().join("run"));
        let search = HookSearch::within([directories.clone()]);
        // Nobody is there, and nobody is held up.
        search.tell_turn(&project, SnapshotKind::End).await;

        let registry = Registry::in_directories(directories);
        let (at, listener) = registry.listen("h").unwrap();
        let pid = std::process::id();
        let entry = Entry { name: "h".into(), pid, roots: vec![project.clone()], ..Entry::default() };
        registry.write(&at, &entry).unwrap();
        let heard = tokio::spawn(async move {
            loop {
                let stream = listener.accept().await.unwrap();
                // A look whether the host listens says nothing.
                if let Ok(Some(FirstRequest::TurnTaken(taken))) = receive(stream, "1").await {
                    return taken;
                }
            }
        });
        let directory = project.join("sub");
        search.tell_turn(&directory, SnapshotKind::Prompt).await;
        search.tell_turn(base.path(), SnapshotKind::End).await;
        let heard = tokio::time::timeout(Duration::from_secs(30), heard).await.unwrap().unwrap();
        assert_eq!(heard, SnapshotTaken { directory, kind: SnapshotKind::Prompt });
    }
}
