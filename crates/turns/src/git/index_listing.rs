//! Reads the list that git prints of an index: each entry with the size, times and flags of its file.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

use alongside_platform::files;

use crate::error::Error;

/// The mode of a nested repository.
pub(crate) const REPOSITORY: &str = "160000";

/// The flags of an entry whose file git does not compare with the disk: assumed to be unchanged, only
/// intended to be added, or outside of a sparse checkout.
const ASSUME_UNCHANGED: u32 = 1 << 15;
const INTENT_TO_ADD: u32 = 1 << 29;
const SKIP_WORKTREE: u32 = 1 << 30;

/// An entry of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) mode: String,
    pub(crate) object: String,
    /// The side of a merge conflict that the entry holds; 0 without a conflict.
    pub(crate) stage: u8,
    pub(crate) path: Vec<u8>,
    /// The size of the file when git last examined it, in bytes.
    pub(crate) size: u64,
    /// The times that git saw then: the change time (ctime) and the modification time (mtime).
    times: [Duration; 2],
    flags: u32,
}

impl IndexEntry {
    /// Whether the entry stands for a file on disk. A side of a conflict, a file that is only intended to be
    /// added and a file outside of a sparse checkout do not.
    pub(crate) fn counts(&self) -> bool {
        self.stage == 0 && self.flags & (INTENT_TO_ADD | SKIP_WORKTREE) == 0
    }

    /// Whether the file is outside of a sparse checkout.
    pub(crate) fn is_skipped(&self) -> bool {
        self.flags & SKIP_WORKTREE != 0
    }

    /// Whether a file with this metadata is unchanged since git examined it. Git itself reads a file again if
    /// the file has changed in the second in which the index was written. Here the exact times decide.
    pub(crate) fn is_of(&self, found: &Metadata) -> bool {
        let times = [files::changed_at(found), found.modified().ok()];
        let since = |at: Option<SystemTime>| at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        found.len() == self.size && times.map(since) == self.times.map(Some) && !self.times[0].is_zero()
    }

    /// Whether git was configured to assume that the file is unchanged.
    pub(crate) fn is_assumed(&self) -> bool {
        self.flags & ASSUME_UNCHANGED != 0
    }
}

/// The arguments whose output [`parse`] reads.
pub(crate) const LIST: [&str; 4] = ["ls-files", "--stage", "--debug", "-z"];

/// Reads the output of [`LIST`].
///
/// # Errors
/// When the output has another form.
pub(crate) fn parse(output: &[u8]) -> Result<Vec<IndexEntry>, Error> {
    let mut entries = Vec::new();
    let mut rest = output;
    while !rest.is_empty() {
        let (entry, after) = parse_one(rest).ok_or("git lists its index otherwise")?;
        entries.push(entry);
        rest = after;
    }
    Ok(entries)
}

/// Reads one entry: `MODE OBJECT STAGE\tPATH\0`, and five lines: `  ctime: S:N`, `  mtime: S:N`, two more,
/// and `  size: SIZE\tflags: HEX`.
fn parse_one(text: &[u8]) -> Option<(IndexEntry, &[u8])> {
    let (head, text) = split(text, b'\t')?;
    let (path, mut text) = split(text, 0)?;
    let mut lines = [b"".as_slice(); 5];
    for line in &mut lines {
        (*line, text) = split(text, b'\n')?;
    }
    let [changed, modified, _, _, last] = lines;
    let last = std::str::from_utf8(last).ok()?;
    let (size, flags) = last.trim_start().strip_prefix("size: ")?.split_once("\tflags: ")?;
    let mut head = std::str::from_utf8(head).ok()?.split(' ');
    let entry = IndexEntry {
        mode: head.next()?.to_owned(),
        object: head.next()?.to_owned(),
        stage: head.next()?.parse().ok()?,
        path: path.to_vec(),
        size: size.parse().ok()?,
        times: [time(changed)?, time(modified)?],
        flags: u32::from_str_radix(flags, 16).ok()?,
    };
    Some((entry, text))
}

/// Reads a time, `  NAME: SECONDS:NANOSECONDS` since the Unix epoch.
fn time(line: &[u8]) -> Option<Duration> {
    let mut parts = std::str::from_utf8(line).ok()?.split(':').skip(1);
    Some(Duration::new(parts.next()?.trim().parse().ok()?, parts.next()?.parse().ok()?))
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().position(|byte| *byte == at)?;
    Some((&text[..place], &text[place + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_with_line_ends_in_paths_and_with_flags_are_read() {
        let one = |path: &str, size: u64, flags: &str| {
            format!(
                "100644 7898 0\t{path}\0  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 0\tgid: 0\n  \
                 size: {size}\tflags: {flags}\n"
            )
        };
        let text = [one("a\nb", 2, "0"), one("c\t", 0, "40004000"), one("d", 1, "8000")].concat();
        let entries = parse(text.as_bytes()).unwrap();
        assert_eq!(entries[0].path, b"a\nb");
        assert!(entries[0].counts() && !entries[0].is_assumed());
        assert!(!entries[1].counts() && entries[1].is_skipped());
        assert!(entries[2].counts() && entries[2].is_assumed());
        assert!(parse(b"something else").is_err() && parse(b"").unwrap().is_empty());
    }
}
