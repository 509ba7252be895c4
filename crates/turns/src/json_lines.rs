//! A file with a JSON object a line, only ever appended to, so that a kill in the middle costs at most the
//! last line.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use alongside_platform::private::open_for_appending;
use alongside_platform::untrusted::{self, Whose};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest file that is read, in bytes.
const MAX: u64 = 64 << 20;
/// The largest one that is read to make it smaller.
const MOST: u64 = 1 << 30;

/// Every line that can be read, oldest first. A half-written one is none.
///
/// # Errors
/// When the file exists and cannot be read.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    read_within(path, MAX)
}

/// The same of a file that has grown too large, to make it smaller. No agent waits for that.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_large<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    read_within(path, MOST)
}

fn read_within<T: DeserializeOwned>(path: &Path, most: u64) -> io::Result<Vec<T>> {
    let bytes = match untrusted::read(path, most, Whose::Ours) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Lines as the file has them.
///
/// # Errors
/// When a line has no form as JSON, which none of ours does.
pub(crate) fn text<'a, T: Serialize + 'a>(lines: impl IntoIterator<Item = &'a T>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Adds lines, on the disk: all or, after a kill, the first ones.
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

/// Whether the last writer has finished its line.
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
