//! Records when each discovery file is written: watches the directories in which agents search, from before a
//! companion starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use alongside_contract::agents::discovery_files;
use alongside_contract::discovery::Record;
use alongside_contract::family::Directory;
use anyhow::{Context as _, Result};
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::sandbox::Sandbox;
use crate::wire::Address;

/// The time without a new file after which all files count as written.
const QUIET_TIME: Duration = Duration::from_millis(250);

/// A watch on directories.
#[derive(Debug)]
pub(super) struct Watch {
    _watcher: RecommendedWatcher,
    written: mpsc::Receiver<(Instant, Vec<PathBuf>)>,
    /// The discovery files, each with the time of its last write.
    files: BTreeMap<PathBuf, Instant>,
}

impl Watch {
    /// Begins to watch. Creates the directories of every family first, as an earlier start of a companion
    /// would have.
    pub(super) fn begin(sandbox: &Sandbox) -> Result<Self> {
        for row in discovery_files() {
            let directory = match row.directory {
                Directory::Tmp(below) => sandbox.tmp().join(below),
                Directory::Home { below_home, .. } => sandbox.home().join(below_home),
            };
            std::fs::create_dir_all(directory)?;
        }
        let (sender, written) = mpsc::channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let at = Instant::now();
            if let Ok(event) = event
                && is_written(event.kind)
            {
                let _ = sender.send((at, event.paths));
            }
        })?;
        for directory in [sandbox.tmp(), sandbox.home()] {
            watcher
                .watch(&directory, RecursiveMode::Recursive)
                .context("cannot watch for discovery files")?;
        }
        Ok(Self { _watcher: watcher, written, files: BTreeMap::new() })
    }

    /// Collects writes until there is none for `within`. Returns whether all files count as written.
    pub(super) fn collect(&mut self, within: Duration) -> bool {
        while let Ok((at, paths)) = self.written.recv_timeout(within) {
            let records = paths.into_iter().filter(|path| is_discovery_file(path));
            self.files.extend(records.map(|path| (path, at)));
        }
        self.last_written().is_some_and(|written_at| written_at.elapsed() >= QUIET_TIME)
    }

    /// The time at which the last file was written.
    pub(super) fn last_written(&self) -> Option<Instant> {
        self.files.values().max().copied()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files.keys().filter(|path| path.exists()).cloned().collect()
    }
}

fn is_discovery_file(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| discovery_files().any(|row| row.matches(name)))
}

/// Whether an event is a write: reads and changes of metadata do not count.
fn is_written(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => false,
    }
}

/// Reads a discovery file: the address of its companion, and the first directory that the companion serves.
pub(super) fn read(file: &Path) -> Result<(Address, Option<PathBuf>)> {
    let json = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let record: Record = serde_json::from_slice(&json)
        .with_context(|| format!("{} is not a discovery file", file.display()))?;
    let project = std::env::split_paths(&record.workspace_path).find(|root| root.is_dir());
    Ok((Address { port: record.port, token: record.auth_token.unwrap_or_default() }, project))
}
