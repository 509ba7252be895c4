//! A file with one JSON object on each line. Lines are only appended, so a process that is killed while it
//! writes damages at most the last line.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use alongside_platform::private::open_for_appending;
use alongside_platform::untrusted::{self, Whose};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest file that looks and hooks read, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// The largest file that compaction reads, in bytes.
const MAX_FOR_COMPACTION: u64 = 1 << 30;

/// Reads the values of all lines, oldest first. A line that cannot be parsed, such as a half-written one, is
/// left out.
///
/// # Errors
/// When the file exists and cannot be read.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    read_within(path, MAX_FILE_BYTES)
}

/// Reads a file like [`read`], but also one that has grown too large, so that compaction can shrink it. No
/// agent waits for this.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_large<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    read_within(path, MAX_FOR_COMPACTION)
}

fn read_within<T: DeserializeOwned>(path: &Path, most: u64) -> io::Result<Vec<T>> {
    let bytes = match untrusted::read(path, most, Whose::Ours) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Returns the text of a file with these lines.
///
/// # Errors
/// When a value cannot be written as JSON, which happens with none of our types.
pub(crate) fn text<'a, T: Serialize + 'a>(lines: impl IntoIterator<Item = &'a T>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Appends lines. They are on the disk when this function returns. If the process is killed in between, only
/// the first lines may be in the file.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn append<'a, T: Serialize + 'a>(
    path: &Path,
    lines: impl IntoIterator<Item = &'a T>,
) -> io::Result<()> {
    let mut text = text(lines)?;
    let mut file = open_for_appending(path)?;
    if !ends_a_line(path)? {
        text.insert(0, b'\n');
    }
    file.write_all(&text)?;
    file.sync_data()
}

/// Whether the file ends with a complete line. A killed writer leaves a part of a line.
fn ends_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
