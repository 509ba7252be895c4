//! One file of the journal: a record per line, of which the last whole one counts.
//!
//! Changes are appended to the open file, because an agent waits for each write: ext4 writes a file that
//! replaces another to the disk at once, which takes fifteen times as long, and now and then 4 ms.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;

use super::private_files;
#[cfg(test)]
use super::private_files::disk_steps::step;

/// The number of records at which a file begins anew. That takes up to 4 ms, which so only one agent in a
/// hundred waits.
const MAX_RECORDS: u64 = 128;

/// The bounds of the size in bytes at which a file begins anew.
pub(super) const MAX_FILE_BYTES: std::ops::RangeInclusive<u64> = (256 << 10)..=(4 << 20);

/// The largest size of a file whose largest record has so many bytes.
fn limit(record: u64) -> u64 {
    MAX_RECORDS.saturating_mul(record).clamp(*MAX_FILE_BYTES.start(), *MAX_FILE_BYTES.end())
}

/// A file that this process has begun. It alone writes to the file, under the journal's lock.
#[derive(Debug)]
pub(super) struct JournalFile {
    file: File,
    bytes: u64,
    /// The length of the largest record, in bytes.
    largest: u64,
}

impl JournalFile {
    /// Appends a record to a file that is begun and has room, or begins the file anew.
    ///
    /// # Errors
    /// When the disk refuses; the file then has to begin anew.
    pub(super) fn put(begun: Option<Self>, path: &Path, record: &impl Serialize) -> io::Result<Self> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let bytes = line.len() as u64;
        match begun.filter(|begun| begun.bytes.saturating_add(bytes) <= limit(begun.largest.max(bytes))) {
            Some(mut begun) => {
                begun.append(path, &line)?;
                Ok(begun)
            }
            None => Ok(Self { file: private_files::create(path, &line)?, bytes, largest: bytes }),
        }
    }

    /// Whether a record with so many bytes of text is appended: escapes at most double usual texts.
    pub(super) fn has_room_for(&self, text: u64) -> bool {
        self.bytes.saturating_add(text.saturating_mul(2)) <= limit(self.largest.max(text))
    }

    /// A process that is killed meanwhile may append a part.
    fn append(&mut self, #[cfg_attr(not(test), expect(unused))] path: &Path, line: &[u8]) -> io::Result<()> {
        let bytes = line.len() as u64;
        (self.bytes, self.largest) = (self.bytes + bytes, self.largest.max(bytes));
        #[cfg(test)]
        let line = {
            let (part, rest) = line.split_at(line.len() / 2);
            self.file.write_all(part)?;
            step(path);
            rest
        };
        self.file.write_all(line)?;
        #[cfg(test)]
        step(path);
        Ok(())
    }
}
