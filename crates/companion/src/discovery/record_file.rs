//! A discovery file on disk: found, read, written and removed in an open directory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use alongside_contract::discovery::{Record, WRITER};
use alongside_contract::token;
use alongside_platform::directory::Directory;
use alongside_platform::untrusted;

use super::liveness::CompanionKey;
use super::locations::{self, SearchedFile};
use crate::persistence::app_dirs::AppDirs;
use crate::persistence::private_files::LinkedCopies;

/// The largest discovery file that is read, in bytes. A record has a few hundred.
const MAX_BYTES: u64 = 1 << 20;

/// A discovery file, and its record.
#[derive(Debug, Clone)]
pub(super) struct RecordFile {
    /// The open directory of the file, because the directory's path may lead elsewhere by now.
    pub(super) directory: Arc<Directory>,
    pub(super) path: PathBuf,
    pub(super) record: Record,
}

/// Lists all discovery files that our companions wrote, in any process.
pub(super) fn list_ours(dirs: &AppDirs) -> Vec<RecordFile> {
    // A name with one number in it matches two rows, so the files are collected by path.
    let mut files = BTreeMap::new();
    for place in locations::search_places(dirs) {
        let (SearchedFile::Record(row), Ok(directory)) = (place.kind, place.directory.open()) else {
            continue;
        };
        let directory = Arc::new(directory);
        let names = directory.names().unwrap_or_default();
        let matching = names.iter().filter(|name| name.to_str().is_some_and(|name| row.matches(name)));
        let ours = matching.filter_map(|name| read_ours(&directory, name));
        files.extend(ours.map(|file| (file.path.clone(), file)));
    }
    files.into_values().collect()
}

/// Reads a file if we wrote it. In a shared directory, any user can create a file of such a name.
pub(super) fn read_ours(directory: &Arc<Directory>, name: &OsStr) -> Option<RecordFile> {
    let json = untrusted::read_ours(directory, name, MAX_BYTES).ok()?;
    let record: Record = serde_json::from_slice(&json).ok()?;
    let is_ours = record.writer.as_deref() == Some(WRITER);
    is_ours.then(|| RecordFile { directory: directory.clone(), path: directory.path().join(name), record })
}

impl RecordFile {
    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Returns the companion that the file names, with the part of the token that is common to all agents.
    pub(super) fn companion(&self) -> CompanionKey {
        let token = self.record.auth_token.as_deref().map(|token| token::split(token).0.to_owned());
        (self.record.port, token)
    }

    pub(super) fn read_again(&self) -> Option<Self> {
        read_ours(&self.directory, self.name())
    }

    /// Whether the file is on disk with this record.
    pub(super) fn is_on_disk(&self) -> bool {
        self.read_again().is_some_and(|there| there.record == self.record)
    }

    /// Whether nothing has this name, not even a dangling link.
    pub(super) fn is_free(&self) -> bool {
        !self.directory.has(self.name())
    }

    /// Whether another user has created something of this name.
    pub(super) fn is_foreign(&self) -> bool {
        self.directory.is_anothers(self.name())
    }

    pub(super) fn write(&self, copies: &mut LinkedCopies) -> io::Result<()> {
        copies.put(&self.directory, self.name(), serde_json::to_vec(&self.record)?)
    }

    /// Removes the file if it still leads to the same companion.
    pub(super) fn remove(&self) {
        if self.read_again().is_some_and(|now| now.companion() == self.companion()) {
            // Another process may have removed the file meanwhile.
            let _ = self.directory.remove(self.name());
        }
    }
}
