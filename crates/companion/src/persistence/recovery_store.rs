//! The recovery store: the journals on disk. Each live companion has a journal and a lock. A crashed
//! companion leaves its journal until its successor starts, or for two weeks.
//!
//! The files stay open. The main loop checks now and then whether another program has removed them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::app_dirs::AppDirs;
use super::drafts::RETENTION;
use super::journal::{Journal, JournalChanges, KnownSession};
use super::journal_file::JournalFile;
use super::private_files::{self, PathTrust};
use super::session_files::{SessionFiles, StoredText, short_bytes};

/// The largest journal, in bytes: it has the texts of all open reviews. A larger file is no journal.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;

/// The largest size of text that is written on the calling thread, in bytes.
const MAX_INLINE_BYTES: u64 = 64 << 10;

/// One journal, locked against other companions.
#[derive(Debug)]
pub(crate) struct RecoveryStore {
    state_directory: PathBuf,
    path: PathBuf,
    /// The journal's own file, once this process has created it.
    own_file: Option<JournalFile>,
    /// The files of sessions that this process has created, by the session's id.
    sessions: BTreeMap<String, SessionFiles>,
    /// The lock, kept until the process ends in any way.
    lock: File,
}

/// The part of a damaged journal that must be readable.
#[derive(Debug, Deserialize)]
struct PortAndToken {
    port: u16,
    token: String,
}

fn directory(state_directory: &Path) -> PathBuf {
    state_directory.join("journal")
}

fn create_directory(state_directory: &Path) -> io::Result<()> {
    private_files::directory(state_directory, Path::new("journal"), PathTrust::Own)
}

/// Iterates over all files in the directory of a journal's sessions.
fn session_files(journal: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(journal.with_extension("")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Returns the file of a session's records. The id of a session is a secret, so the name is a hash of it.
fn session_file(journal: &Path, session: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    session.hash(&mut hasher);
    journal.with_extension("").join(format!("{:016x}.json", hasher.finish()))
}

fn is_record(file: &Path) -> bool {
    file.extension().is_some_and(|kind| kind == "json")
}

/// Removes a journal, and then the files of its sessions.
fn remove(journal: &Path) {
    let _ = fs::remove_file(journal);
    let _ = fs::remove_dir_all(journal.with_extension(""));
}

impl RecoveryStore {
    /// Locks the journal of this [name](super::journal::name); `None` while another companion has the lock.
    pub(crate) fn take(state_directory: &Path, name: &str) -> io::Result<Option<Self>> {
        create_directory(state_directory)?;
        let path = directory(state_directory).join(format!("{name}.json"));
        let lock = private_files::try_lock(&path.with_extension("lock"))?;
        Ok(lock.map(|lock| Self {
            state_directory: state_directory.to_owned(),
            path,
            own_file: None,
            sessions: BTreeMap::new(),
            lock,
        }))
    }

    /// Reads the journal that a crashed companion left behind. Of a damaged journal, port and token suffice
    /// to report that its sessions are lost; without them, it is an error.
    pub(crate) fn left_behind(&self) -> io::Result<Option<Journal>> {
        let json = match untrusted::read(&self.path, MAX_JOURNAL_BYTES, Whose::Ours) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let mut journal: Journal = last_record(&json).or_else(|_| {
            let PortAndToken { port, token } = last_record(&json)?;
            Ok::<_, io::Error>(Journal { port, token, is_damaged: true, ..Journal::default() })
        })?;
        // An empty token would admit every client.
        if journal.token.is_empty() || journal.port == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has no port and token"));
        }
        for file in session_files(&self.path).filter(|file| is_record(file)) {
            let read = untrusted::read(&file, MAX_JOURNAL_BYTES, Whose::Ours);
            match read.and_then(|json| self.read_large_texts(last_record(&json)?)) {
                Ok(known) => {
                    journal.last_review = journal.last_review.max(known.last_review);
                    journal.sessions.push(known);
                }
                Err(error) => {
                    tracing::warn!(%error, "the journal of a session cannot be read");
                    journal.is_damaged = true;
                }
            }
        }
        Ok(Some(journal))
    }

    /// Writes the changes. A record is either complete or absent, and the journal is valid after each file.
    /// If the changes have all sessions, restores files that another program has removed.
    pub(crate) fn write(&mut self, changes: &JournalChanges) -> io::Result<()> {
        let JournalChanges { journal, ended_ids, is_all } = changes;
        if *is_all {
            self.restart(&journal.sessions)?;
        }
        // The own file is written before a session is removed, because the file of a session has the last
        // review's id, too.
        if self.own_file.is_none() || !ended_ids.is_empty() {
            self.own_file = Some(JournalFile::put(self.own_file.take(), &self.path, journal)?);
        }
        if self.sessions.is_empty() && !journal.sessions.is_empty() {
            self.create_session_directory()?;
        }
        for known in &journal.sessions {
            let path = session_file(&self.path, &known.id);
            let files = self.sessions.entry(known.id.clone()).or_insert_with(|| SessionFiles::new(path));
            files.put(known)?;
        }
        for files in ended_ids.iter().filter_map(|id| self.sessions.remove(id)) {
            files.remove();
        }
        if *is_all {
            self.remove_other_files();
        }
        Ok(())
    }

    /// Whether writing these changes only appends a few kilobytes to files that are open.
    pub(crate) fn appends_little(&self, changes: &JournalChanges) -> bool {
        let JournalChanges { journal, ended_ids, is_all } = changes;
        let known = &journal.sessions;
        !is_all && ended_ids.is_empty() && self.own_file.is_some() && {
            let appends =
                |known: &KnownSession| self.sessions.get(&known.id).is_some_and(|files| files.appends(known));
            known.iter().map(short_bytes).sum::<u64>() <= MAX_INLINE_BYTES && known.iter().all(appends)
        }
    }

    /// Restores lock and directory, and removes the records of all sessions but these. This comes before the
    /// new port and token are written: a session of the old port and token must not count as known with the
    /// new ones.
    fn restart(&mut self, sessions: &[KnownSession]) -> io::Result<()> {
        let lock = self.path.with_extension("lock");
        if !private_files::leads_to(&lock, &self.lock) {
            create_directory(&self.state_directory)?;
            self.lock = private_files::try_lock(&lock)?.ok_or_else(|| {
                io::Error::new(io::ErrorKind::ResourceBusy, "another companion of this project holds it now")
            })?;
        }
        (self.own_file, self.sessions) = (None, BTreeMap::new());
        let to_keep: BTreeSet<_> = sessions.iter().map(|known| session_file(&self.path, &known.id)).collect();
        for file in session_files(&self.path).filter(|file| is_record(file) && !to_keep.contains(file)) {
            // If a file stays, a successor continues a session to which no agent returns.
            let _ = fs::remove_file(file);
        }
        Ok(())
    }

    /// Removes the files of earlier processes: unfinished files, and texts that no record names any more.
    fn remove_other_files(&self) {
        let own: BTreeSet<_> = self.sessions.values().flat_map(SessionFiles::files).collect();
        for file in session_files(&self.path).filter(|file| !own.contains(file)) {
            let _ = fs::remove_file(file);
        }
    }

    fn create_session_directory(&self) -> io::Result<()> {
        let below = self.path.with_extension("");
        let below = below.strip_prefix(&self.state_directory).map_err(io::Error::other)?;
        private_files::directory(&self.state_directory, below, PathTrust::Own)
    }

    /// Returns the session of a record, with its large texts.
    fn read_large_texts(&self, record: KnownSession<StoredText>) -> io::Result<KnownSession> {
        let directory = self.path.with_extension("");
        record.map_texts(|text| text.read(&directory, MAX_JOURNAL_BYTES))
    }

    /// Whether all files still exist.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
            && self.sessions.values().all(SessionFiles::exist)
            && private_files::leads_to(&self.path.with_extension("lock"), &self.lock)
    }

    /// Removes the journal, because its companion has stopped normally.
    pub(crate) fn retire(self) {
        let lock = self.path.with_extension("lock");
        if private_files::leads_to(&lock, &self.lock) {
            remove(&self.path);
            // The lock is still held, so that processes that wait for it find the file removed.
            let _ = fs::remove_file(lock);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Parses the last complete record. An incomplete one was cut off by a crash, before any agent relied on it.
fn last_record<T: DeserializeOwned>(file: &[u8]) -> io::Result<T> {
    let mut records = file.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let last = serde_json::from_slice(records.next().unwrap_or_default());
    Ok(last.or_else(|error| serde_json::from_slice(records.next().ok_or(error)?))?)
}

/// Whether a live companion has the lock of the journal of this name.
pub(crate) fn is_kept(dirs: &AppDirs, name: &str) -> bool {
    let lock = File::open(directory(&dirs.state).join(format!("{name}.lock")));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

/// Whether a journal of this name exists: its companion lives, or has crashed.
pub(crate) fn was_left(dirs: &AppDirs, name: &str) -> bool {
    directory(&dirs.state).join(format!("{name}.json")).exists()
}

/// Removes journals that were left for two weeks, locks without a journal, and unfinished files.
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
            Ok(age) => age > RETENTION,
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
