//! The files of one session in the journal: its records, and large texts in files of their own.
//!
//! A record repeats all that is open in a session. Without the large texts it is short, so it is appended;
//! and a text is written once, as it is, however many records follow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_platform::untrusted::{self, Whose};
use serde::{Deserialize, Serialize};

use super::journal::KnownSession;
use super::journal_file::JournalFile;
use super::private_files;

/// The least size of a large text, in bytes.
const LARGE: usize = 64 << 10;
/// The extension of a file with a large text.
const EXTENSION: &str = "text";

/// A text of a record.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredText {
    Short(Arc<str>),
    /// A large text, in a file of its own beside the record's.
    InFile {
        file: String,
    },
}

impl StoredText {
    /// Reads the text of a record in `directory`, if it is in a file of its own.
    pub(super) fn read(self, directory: &Path, limit: u64) -> io::Result<Arc<str>> {
        match self {
            Self::Short(text) => Ok(text),
            Self::InFile { file } if Path::new(&file).file_name().is_some_and(|name| *name == *file) => {
                let bytes = untrusted::read(&directory.join(file), limit, Whose::Ours)?;
                let text = String::from_utf8(bytes).map_err(io::Error::other)?;
                Ok(text.into())
            }
            Self::InFile { file } => Err(io::Error::other(format!("{file:?} is no name of a file"))),
        }
    }
}

/// A file with a large text.
#[derive(Debug)]
struct TextFile {
    /// Kept, so that no other text has its address.
    text: Arc<str>,
    name: String,
}

/// The files that this process has begun for a session.
#[derive(Debug)]
pub(super) struct SessionFiles {
    path: PathBuf,
    /// `None` before the first record, and after one that could not be written.
    records: Option<JournalFile>,
    texts: Vec<TextFile>,
}

impl SessionFiles {
    /// Files for a session whose records are in the file at `path`. Touches nothing.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, records: None, texts: Vec::new() }
    }

    /// Writes the large texts that are new, then the record, and removes the texts that it no longer has.
    ///
    /// # Errors
    /// When the disk refuses; the next write begins the records anew.
    pub(super) fn put(&mut self, known: &KnownSession) -> io::Result<()> {
        let record = known.clone().with_texts(|text| self.store(text))?;
        // Nothing is appended to a file whose last write failed.
        self.records = Some(JournalFile::put(self.records.take(), &self.path, &record)?);
        let directory = self.path.parent().unwrap_or(Path::new(""));
        for unused in self.texts.extract_if(.., |stored| !has(known, &stored.text)) {
            // A file that cannot be removed goes with the session.
            let _ = fs::remove_file(directory.join(unused.name));
        }
        Ok(())
    }

    fn store(&mut self, text: Arc<str>) -> io::Result<StoredText> {
        if text.len() < LARGE {
            return Ok(StoredText::Short(text));
        }
        if let Some(known) = self.texts.iter().find(|stored| Arc::ptr_eq(&stored.text, &text)) {
            return Ok(StoredText::InFile { file: known.name.clone() });
        }
        // A record of an earlier process may name a file of that process.
        let session = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{session}-{:016x}.{EXTENSION}", private_files::random());
        private_files::write(&self.directory().join(&name), text.as_bytes())?;
        self.texts.push(TextFile { text, name: name.clone() });
        Ok(StoredText::InFile { file: name })
    }

    /// Whether [`put`](Self::put) appends one record, and touches no file of a text.
    pub(super) fn appends(&self, known: &KnownSession) -> bool {
        let is_stored = |text: &Arc<str>| self.texts.iter().any(|stored| Arc::ptr_eq(&stored.text, text));
        let has_room = self.records.as_ref().is_some_and(|file| file.has_room_for(short_bytes(known)));
        has_room
            && known.texts().all(|text| text.len() < LARGE || is_stored(text))
            && self.texts.iter().all(|stored| has(known, &stored.text))
    }

    /// Whether all files are still there.
    pub(super) fn are_there(&self) -> bool {
        (self.records.is_none() || self.path.exists())
            && self.texts.iter().all(|stored| self.directory().join(&stored.name).exists())
    }

    /// The files, the one with the records first.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let texts = self.texts.iter().map(|stored| self.directory().join(&stored.name));
        std::iter::once(self.path.clone()).chain(texts)
    }

    pub(super) fn remove(self) {
        for file in self.files() {
            // A file that stays is a session that no agent comes back to.
            let _ = fs::remove_file(file);
        }
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// The bytes of the texts that are part of a session's record.
pub(super) fn short_bytes(known: &KnownSession) -> u64 {
    known.texts().map(|text| text.len()).filter(|length| *length < LARGE).sum::<usize>() as u64
}

fn has(known: &KnownSession, text: &Arc<str>) -> bool {
    known.texts().any(|other| Arc::ptr_eq(other, text))
}
