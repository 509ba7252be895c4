//! The recovery store: the journals on disk. Each living companion has a journal and a lock; a crashed one
//! leaves its journal until it is back, or for two weeks.
//!
//! A file has one record per line, and the last whole record counts. Changes are appended, because an agent
//! waits for each write: ext4 writes a file that replaces another to the disk at once, which takes fifteen
//! times as long, and now and then 4 ms.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::app_dirs::AppDirs;
use super::drafts::KEPT_FOR;
use super::journal::{Changes, Journal, KnownSession};
use super::private_files::{self, PathTrust};

/// The largest journal: it holds the texts of all open reviews. A larger file is no journal.
const MAX_BYTES: u64 = 1 << 30;

/// A file with about so many records begins anew, which takes up to 4 ms: for one agent of a hundred.
const MAX_RECORDS: u64 = 128;

/// The bounds of the size in bytes at which a file begins anew.
const MAX_FILE_BYTES: std::ops::RangeInclusive<u64> = (256 << 10)..=(4 << 20);

/// One journal, locked against other companions.
#[derive(Debug)]
pub(crate) struct RecoveryStore {
    state: PathBuf,
    path: PathBuf,
    /// The files of sessions that this process has written.
    session_files: BTreeSet<PathBuf>,
    /// The journal begins with a record of this process.
    is_begun: bool,
    /// Held until the process ends, however it ends.
    lock: File,
}

/// The least that must be readable of a damaged journal.
#[derive(Debug, Deserialize)]
struct PortAndToken {
    port: u16,
    token: String,
}

fn directory(state: &Path) -> PathBuf {
    state.join("journal")
}

fn create_directory(state: &Path) -> io::Result<()> {
    private_files::directory(state, Path::new("journal"), PathTrust::Own)
}

/// All files in the directory of a journal's sessions.
fn session_files(journal: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(journal.with_extension("")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Removes a journal, and the files of its sessions after it.
fn remove(journal: &Path) {
    let _ = fs::remove_file(journal);
    let _ = fs::remove_dir_all(journal.with_extension(""));
}

impl RecoveryStore {
    /// Locks the journal of this [name](super::journal::name); `None` while another companion has it.
    pub(crate) fn take(state: &Path, name: &str) -> io::Result<Option<Self>> {
        create_directory(state)?;
        let path = directory(state).join(format!("{name}.json"));
        let lock = private_files::try_lock(&path.with_extension("lock"))?;
        Ok(lock.map(|lock| Self {
            state: state.to_owned(),
            path,
            session_files: BTreeSet::new(),
            is_begun: false,
            lock,
        }))
    }

    /// The journal that a crashed companion left behind. Port and token of a damaged one are enough to tell
    /// agents that their sessions are gone; without them it is an error.
    pub(crate) fn left_behind(&self) -> io::Result<Option<Journal>> {
        let json = match untrusted::read(&self.path, MAX_BYTES, Whose::Ours) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let mut journal: Journal = newest(&json).or_else(|_| {
            let PortAndToken { port, token } = newest(&json)?;
            Ok::<_, io::Error>(Journal { port, token, is_damaged: true, ..Journal::default() })
        })?;
        // An empty token would admit everybody.
        if journal.token.is_empty() || journal.port == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has no port and token"));
        }
        for file in
            session_files(&self.path).filter(|file| file.extension().is_some_and(|kind| kind == "json"))
        {
            let read = untrusted::read(&file, MAX_BYTES, Whose::Ours);
            match read.and_then(|json| newest::<KnownSession>(&json)) {
                Ok(known) => journal.sessions.push(known),
                Err(error) => {
                    tracing::warn!(%error, "the journal of a session cannot be read");
                    journal.is_damaged = true;
                }
            }
        }
        Ok(Some(journal))
    }

    /// Writes the changes. A record is either whole or not there, and after each file the journal is one that
    /// a companion could have left. Restores the directories if somebody has removed them.
    pub(crate) fn write(&mut self, changes: &Changes) -> io::Result<()> {
        let lock = self.path.with_extension("lock");
        if !private_files::leads_to(&lock, &self.lock) {
            create_directory(&self.state)?;
            self.lock = private_files::try_lock(&lock)?.ok_or_else(|| {
                io::Error::new(io::ErrorKind::ResourceBusy, "another companion of this project holds it now")
            })?;
        }
        let Changes { journal, gone, is_all } = changes;
        let changed: Vec<_> =
            journal.sessions.iter().map(|known| (self.session_file(&known.id), known)).collect();
        self.is_begun &= !is_all;
        if *is_all {
            // Before the new port and token: no session of the old ones may count as known with the new ones.
            self.session_files.clear();
            for file in session_files(&self.path).filter(|file| !changed.iter().any(|(one, _)| one == file)) {
                // A file that stays is a session that no agent comes back to.
                let _ = fs::remove_file(file);
            }
        }
        // Before the sessions: it holds the number of their newest review.
        let is_begun = std::mem::take(&mut self.is_begun);
        put(&self.path, journal, is_begun)?;
        self.is_begun = true;
        if !changed.is_empty() && !self.path.with_extension("").is_dir() {
            let below = self.path.with_extension("");
            let below = below.strip_prefix(&self.state).map_err(io::Error::other)?;
            private_files::directory(&self.state, below, PathTrust::Own)?;
        }
        for (file, known) in changed {
            // Nothing is appended to a file whose last write failed.
            let is_begun = self.session_files.remove(&file);
            put(&file, known, is_begun)?;
            self.session_files.insert(file);
        }
        for id in gone {
            let file = self.session_file(id);
            if self.session_files.remove(&file) {
                // As above.
                let _ = fs::remove_file(file);
            }
        }
        Ok(())
    }

    /// The file of a session. Its id is a secret, so the name is a hash.
    fn session_file(&self, session: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        self.path.with_extension("").join(format!("{:016x}.json", hasher.finish()))
    }

    /// Whether all files are still there.
    pub(crate) fn is_there(&self) -> bool {
        self.path.exists()
            && self.session_files.iter().all(|file| file.exists())
            && private_files::leads_to(&self.path.with_extension("lock"), &self.lock)
    }

    /// Removes the journal: its companion has stopped normally.
    pub(crate) fn retire(self) {
        let lock = self.path.with_extension("lock");
        if private_files::leads_to(&lock, &self.lock) {
            remove(&self.path);
            // While the lock is held, so that those who wait for it find the file gone.
            let _ = fs::remove_file(lock);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Appends a record to a file that is begun and has room, or begins the file anew.
fn put(path: &Path, record: &impl Serialize, is_begun: bool) -> io::Result<()> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    let max = MAX_RECORDS.saturating_mul(line.len() as u64);
    let max = max.clamp(*MAX_FILE_BYTES.start(), *MAX_FILE_BYTES.end());
    match is_begun && private_files::append(path, &line, max)? {
        true => Ok(()),
        false => private_files::write(path, &line),
    }
}

/// The last whole record. No agent was told of a record that a crash cut off.
fn newest<T: DeserializeOwned>(file: &[u8]) -> io::Result<T> {
    let mut records = file.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let last = serde_json::from_slice(records.next().unwrap_or_default());
    Ok(last.or_else(|error| serde_json::from_slice(records.next().ok_or(error)?))?)
}

/// Whether a living companion holds the journal of this name.
pub(crate) fn is_kept(dirs: &AppDirs, name: &str) -> bool {
    let lock = File::open(directory(&dirs.state).join(format!("{name}.lock")));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

/// Whether a journal of this name exists: its companion lives, or has crashed.
pub(crate) fn was_left(dirs: &AppDirs, name: &str) -> bool {
    directory(&dirs.state).join(format!("{name}.json")).exists()
}

/// Removes journals that were left two weeks ago, locks without a journal, and unfinished files.
pub(crate) fn sweep(dirs: &AppDirs) {
    let directory = directory(&dirs.state);
    private_files::remove_unfinished(&directory);
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let lock = entry.path();
        if lock.extension().is_none_or(|extension| extension != "lock") {
            continue;
        }
        let json = lock.with_extension("json");
        let age =
            json.metadata().and_then(|found| found.modified()).map(|at| at.elapsed().unwrap_or_default());
        let is_expired = match age {
            Ok(age) => age > KEPT_FOR,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_expired && let Ok(Some(_held)) = private_files::try_lock(&lock) {
            remove(&json);
            let _ = fs::remove_file(lock);
        }
    }
}

#[cfg(test)]
mod tests;
