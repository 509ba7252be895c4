//! One file of the journal: one record a line, of which the last complete record counts.
//!
//! Changes are appended to the open file, because an agent waits for each write. Replacing the file would
//! take fifteen times as long, and sometimes 4 ms, because ext4 writes the replacement to the disk at once.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;

use super::private_files;
#[cfg(test)]
use super::private_files::disk_steps::step;

/// The number of records after which a file is replaced. The replacement takes up to 4 ms, so only one agent
/// in a hundred waits for it.
const MAX_RECORDS: u64 = 128;

/// The bounds of the size in bytes from which a file is replaced.
pub(super) const MAX_FILE_BYTES: std::ops::RangeInclusive<u64> = (256 << 10)..=(4 << 20);

/// Returns the largest size of a file whose largest record has this size, in bytes.
fn max_file_bytes(largest_record: u64) -> u64 {
    MAX_RECORDS.saturating_mul(largest_record).clamp(*MAX_FILE_BYTES.start(), *MAX_FILE_BYTES.end())
}

/// A file that this process has created. Only this process writes to it, under the journal's lock.
#[derive(Debug)]
pub(super) struct JournalFile {
    file: File,
    bytes: u64,
    /// The length of the largest record, in bytes.
    largest_record: u64,
}

impl JournalFile {
    /// Appends a record to the file if it has room. Otherwise replaces it with a file of this record.
    ///
    /// # Errors
    /// When the file cannot be written. The next write then has to replace the file.
    pub(super) fn put(file: Option<Self>, path: &Path, record: &impl Serialize) -> io::Result<Self> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let bytes = line.len() as u64;
        match file
            .filter(|file| file.bytes.saturating_add(bytes) <= max_file_bytes(file.largest_record.max(bytes)))
        {
            Some(mut file) => {
                file.append(path, &line)?;
                Ok(file)
            }
            None => Ok(Self { file: private_files::create(path, &line)?, bytes, largest_record: bytes }),
        }
    }

    /// Whether a record with this size of text is appended. Escapes at most double the size of usual texts.
    pub(super) fn has_room_for(&self, text: u64) -> bool {
        self.bytes.saturating_add(text.saturating_mul(2)) <= max_file_bytes(self.largest_record.max(text))
    }

    /// Appends a line. If the process is killed meanwhile, the file may end with a part of it.
    fn append(&mut self, #[cfg_attr(not(test), expect(unused))] path: &Path, line: &[u8]) -> io::Result<()> {
        let bytes = line.len() as u64;
        (self.bytes, self.largest_record) = (self.bytes + bytes, self.largest_record.max(bytes));
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
