//! When which discovery files are on disk: the directories in which agents look are watched from before a
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

/// All files are there when none has come for so long.
const SILENCE: Duration = Duration::from_millis(250);

/// A watch on directories.
#[derive(Debug)]
pub(super) struct Watch {
    _watcher: RecommendedWatcher,
    written: mpsc::Receiver<(Instant, Vec<PathBuf>)>,
    /// When each of them was written last.
    files: BTreeMap<PathBuf, Instant>,
}

impl Watch {
    /// Watches; the directories of every family are there already, as after the first time.
    pub(super) fn begin(sandbox: &Sandbox) -> Result<Self> {
        for row in discovery_files() {
            let directory = match row.directory {
                Directory::Tmp(below) => sandbox.tmp().join(below),
                Directory::Home { below_home, .. } => sandbox.home().join(below_home),
            };
            std::fs::create_dir_all(directory)?;
        }
        let (tell, written) = mpsc::channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let at = Instant::now();
            if let Ok(event) = event
                && is_written(event.kind)
            {
                let _ = tell.send((at, event.paths));
            }
        })?;
        for directory in [sandbox.tmp(), sandbox.home()] {
            watcher
                .watch(&directory, RecursiveMode::Recursive)
                .context("cannot watch for discovery files")?;
        }
        Ok(Self { _watcher: watcher, written, files: BTreeMap::new() })
    }

    /// Takes in what comes within this time; true if all files that come are there.
    pub(super) fn look(&mut self, within: Duration) -> bool {
        while let Ok((at, paths)) = self.written.recv_timeout(within) {
            let records = paths.into_iter().filter(|path| is_discovery_file(path));
            self.files.extend(records.map(|path| (path, at)));
        }
        self.newest().is_some_and(|newest| newest.elapsed() >= SILENCE)
    }

    /// When the last file was written.
    pub(super) fn newest(&self) -> Option<Instant> {
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

/// Reading, and what only touches, counts for nothing.
fn is_written(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => false,
    }
}

/// Where a discovery file leads, and the first directory that it serves.
pub(super) fn read(file: &Path) -> Result<(Address, Option<PathBuf>)> {
    let json = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let record: Record =
        serde_json::from_slice(&json).with_context(|| format!("{} is no discovery file", file.display()))?;
    let project = std::env::split_paths(&record.workspace_path).find(|root| root.is_dir());
    Ok((Address { port: record.port, token: record.auth_token.unwrap_or_default() }, project))
}
