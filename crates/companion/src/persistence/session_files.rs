//! The files of one session in the journal: its records, and large texts in files of their own.
//!
//! A record repeats the whole state of a session. Without the large texts it is short, so it is appended; and
//! each large text is written once, unchanged, however many records follow.

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
const MIN_LARGE_TEXT_BYTES: usize = 64 << 10;
/// The extension of a file with a large text.
const TEXT_EXTENSION: &str = "text";

/// A text of a record.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredText {
    Short(Arc<str>),
    /// A large text in a file of its own, beside the file of the record.
    InFile {
        file: String,
    },
}

impl StoredText {
    /// Returns the text of a record, which it reads from a file in `directory` if the text has a file of its
    /// own.
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
    /// The text, kept in memory so that no other text gets its address.
    text: Arc<str>,
    name: String,
}

/// The files that this process has created for a session.
#[derive(Debug)]
pub(super) struct SessionFiles {
    path: PathBuf,
    /// `None` before the first record, and after a record that could not be written.
    records: Option<JournalFile>,
    texts: Vec<TextFile>,
}

impl SessionFiles {
    /// Returns the files for a session whose records are in the file at `path`. Touches no file.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, records: None, texts: Vec::new() }
    }

    /// Writes the large texts that are new, and then the record. Removes the texts that the session no longer
    /// has.
    ///
    /// # Errors
    /// When the file cannot be written. The next write then replaces the file of records.
    pub(super) fn put(&mut self, known: &KnownSession) -> io::Result<()> {
        let record = known.clone().map_texts(|text| self.store(text))?;
        // If the write fails, the file of records is forgotten, so that nothing is appended to it.
        self.records = Some(JournalFile::put(self.records.take(), &self.path, &record)?);
        let directory = self.path.parent().unwrap_or(Path::new(""));
        for unused in self.texts.extract_if(.., |stored| !contains_text(known, &stored.text)) {
            // A file that cannot be removed is removed with the session.
            let _ = fs::remove_file(directory.join(unused.name));
        }
        Ok(())
    }

    fn store(&mut self, text: Arc<str>) -> io::Result<StoredText> {
        if text.len() < MIN_LARGE_TEXT_BYTES {
            return Ok(StoredText::Short(text));
        }
        if let Some(stored) = self.texts.iter().find(|file| Arc::ptr_eq(&file.text, &text)) {
            return Ok(StoredText::InFile { file: stored.name.clone() });
        }
        // The name is random, because a record of an earlier process may name a file of that process.
        let session = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{session}-{:016x}.{TEXT_EXTENSION}", private_files::random());
        private_files::write(&self.directory().join(&name), text.as_bytes())?;
        self.texts.push(TextFile { text, name: name.clone() });
        Ok(StoredText::InFile { file: name })
    }

    /// Whether [`put`](Self::put) appends one record, and touches no file of a text.
    pub(super) fn appends(&self, known: &KnownSession) -> bool {
        let is_stored = |text: &Arc<str>| self.texts.iter().any(|stored| Arc::ptr_eq(&stored.text, text));
        let has_room = self.records.as_ref().is_some_and(|file| file.has_room_for(short_bytes(known)));
        has_room
            && known.texts().all(|text| text.len() < MIN_LARGE_TEXT_BYTES || is_stored(text))
            && self.texts.iter().all(|stored| contains_text(known, &stored.text))
    }

    /// Whether all files still exist.
    pub(super) fn exist(&self) -> bool {
        (self.records.is_none() || self.path.exists())
            && self.texts.iter().all(|stored| self.directory().join(&stored.name).exists())
    }

    /// Iterates over the paths of the files, beginning with the file of records.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let texts = self.texts.iter().map(|stored| self.directory().join(&stored.name));
        std::iter::once(self.path.clone()).chain(texts)
    }

    pub(super) fn remove(self) {
        for file in self.files() {
            // If a file stays, a successor continues a session to which no agent returns.
            let _ = fs::remove_file(file);
        }
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// Returns the size of the texts that are part of a session's record, in bytes.
pub(super) fn short_bytes(known: &KnownSession) -> u64 {
    known.texts().map(|text| text.len()).filter(|length| *length < MIN_LARGE_TEXT_BYTES).sum::<usize>() as u64
}

fn contains_text(known: &KnownSession, text: &Arc<str>) -> bool {
    known.texts().any(|other| Arc::ptr_eq(other, text))
}
