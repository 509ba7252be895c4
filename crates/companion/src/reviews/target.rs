//! The target of a proposal, a file on disk: read once, checked for changes, never written.

use std::fs::{self, Metadata};
use std::hash::Hasher as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_desk::without_error_codes;
use alongside_platform::files::is_absent;
use alongside_platform::untrusted::{self, Bounded, Whose};
use twox_hash::XxHash3_64;

use super::line_endings::{NormalizedOriginal, normalize, whole_file_only};

/// The largest file that is read, in bytes. No person reviews a larger file line by line.
const MAX_BYTES: u64 = 1 << 30;
/// The largest file that is read on the calling thread, in bytes.
const MAX_CACHED_BYTES: u64 = 64 << 10;
/// The longest path, in bytes. No system opens a longer path, and a review keeps its path while it waits.
const MAX_PATH_BYTES: usize = 32 << 10;
/// The age of a modification from which every further one changes the modification time.
const TIME_PRECISION: Duration = Duration::from_secs(2);
/// The number of bytes that are read at once for a hash.
const CHUNK_BYTES: usize = 64 << 10;

/// The state of a target when it was read, which suffices to detect a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    stat: Stat,
    content: Content,
}

/// The kind (`true` for a file), length and modification time of the target, read without opening it; `None`
/// if the target does not exist.
type Stat = Option<(bool, u64, Option<SystemTime>)>;

/// The content of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Absent,
    Unreadable,
    /// The hash of the content.
    Text(u64),
}

impl Fingerprint {
    /// Creates the fingerprint of a target with this text, which was not read from disk; `None` for an absent
    /// target.
    pub(super) fn of_text(text: Option<&str>) -> Self {
        Self {
            stat: text.map(|text| (true, text.len() as u64, None)),
            content: text.map_or(Content::Absent, |text| Content::Text(XxHash3_64::oneshot(text.as_bytes()))),
        }
    }

    /// Whether the target had no metadata when it was read: the file did not exist.
    pub(crate) fn is_absent(&self) -> bool {
        self.stat.is_none()
    }

    /// Whether the file could not be opened because it did not exist.
    pub(crate) fn is_gone(&self) -> bool {
        self.content == Content::Absent
    }

    /// Whether the target exists and cannot be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.content == Content::Unreadable
    }

    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        self.content != other.content
    }

    /// Whether the file is certainly unchanged since it was read. Opens nothing.
    pub(crate) fn is_surely_current(&self, file_path: &str) -> bool {
        let is_old = |modified: SystemTime| modified.elapsed().is_ok_and(|age| age > TIME_PRECISION);
        let is_dated = self.stat.is_none_or(|(_, _, modified)| modified.is_some_and(is_old));
        is_dated && !self.is_outdated(file_path)
    }

    /// Whether the file may have changed since it was read. Opens nothing, so it is quick enough for the main
    /// loop.
    pub(crate) fn is_outdated(&self, file_path: &str) -> bool {
        stat(fs::metadata(file_path).ok().as_ref()) != self.stat
    }
}

/// The reason, for the agent, why a proposal for a target cannot be shown.
pub(crate) type BadTarget = String;

/// A target that is opened, if it can be opened.
#[derive(Debug)]
pub(crate) struct OpenTarget {
    stat: Stat,
    opened: io::Result<Bounded>,
}

impl OpenTarget {
    /// Opens a target. Blocks briefly.
    pub(crate) fn open(file_path: &str) -> Result<Self, BadTarget> {
        let (path, found) = check_path(file_path)?;
        Ok(Self::of(&found, open(path)))
    }

    /// Opens and reads a small target that the system has in memory; `None` for any other target.
    pub(crate) fn open_cached(file_path: &str) -> Option<Result<Self, BadTarget>> {
        match check_path(file_path) {
            Ok((path, found)) => {
                let opened = untrusted::open_cached(path, MAX_CACHED_BYTES, Whose::Anybodys)?;
                Some(Ok(Self::of(&found, opened)))
            }
            Err(bad) => Some(Err(bad)),
        }
    }

    fn of(found: &io::Result<Metadata>, opened: io::Result<Bounded>) -> Self {
        let found = opened.as_ref().map(Bounded::metadata).ok().or(found.as_ref().ok());
        Self { stat: stat(found), opened }
    }

    /// Returns the size in bytes, or 0 for a target that cannot be opened.
    pub(crate) fn size(&self) -> u64 {
        self.opened.as_ref().map_or(0, |opened| opened.metadata().len())
    }

    /// Whether the file has further names, as hard links do.
    pub(crate) fn has_other_names(&self) -> bool {
        self.opened.as_ref().is_ok_and(Bounded::has_other_names)
    }

    /// Returns the path with links resolved, if the system reports it.
    pub(super) fn real_path(&self) -> Option<PathBuf> {
        self.opened.as_ref().ok()?.real_path()
    }

    /// Reads the original, and converts it to the form of a proposal. Blocks.
    pub(crate) fn read(self, proposed: &str) -> (NormalizedOriginal, Fingerprint) {
        let read = self.opened.and_then(Bounded::whole);
        let hash = read.as_ref().map(|bytes| XxHash3_64::oneshot(bytes));
        let fingerprint = Fingerprint { stat: self.stat, content: content(hash) };
        let normalized = match read {
            Ok(bytes) => normalize(Some(bytes), proposed),
            Err(error) if is_absent(&error) => normalize(None, proposed),
            Err(error) => {
                let why = format!("the file on disk cannot be read ({error})");
                whole_file_only(&without_error_codes(&why))
            }
        };
        (normalized, fingerprint)
    }
}

/// Checks whether the path can name the target of a proposal. Returns the path with its metadata. Opens
/// nothing, because opening a device can have an effect.
fn check_path(file_path: &str) -> Result<(&Path, io::Result<Metadata>), BadTarget> {
    if file_path.is_empty() {
        return Err("filePath is empty".to_owned());
    }
    if file_path.contains('\0') {
        return Err("filePath contains a NUL character".to_owned());
    }
    if file_path.len() > MAX_PATH_BYTES {
        return Err(format!("filePath is longer than {MAX_PATH_BYTES} bytes"));
    }
    let path = Path::new(file_path);
    if !path.is_absolute() {
        return Err(format!("filePath must be absolute, and this is not: {file_path}"));
    }
    let is_directory = || Err(format!("this names a directory, not a file: {file_path}"));
    if names_a_directory(file_path) {
        return is_directory();
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => is_directory(),
        Ok(found) if !found.is_file() => Err(format!("this is not an ordinary file: {file_path}")),
        found => Ok((path, found)),
    }
}

/// Whether the path can only name a directory, even if nothing exists there.
fn names_a_directory(file_path: &str) -> bool {
    let last = file_path.rsplit(std::path::is_separator).next().unwrap_or_default();
    matches!(last, "" | "." | "..")
}

/// Reads the current state of a target, of any kind. Blocks as long as reading takes.
pub(crate) fn fingerprint(file_path: &str) -> Fingerprint {
    let path = Path::new(file_path);
    let stat = stat(fs::metadata(path).ok().as_ref());
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut hash = XxHash3_64::new();
    let read = open(path).and_then(|mut file| {
        loop {
            match file.read(&mut chunk) {
                Ok(0) => return Ok(hash.finish()),
                Ok(length) => hash.write(&chunk[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    });
    Fingerprint { stat, content: content(read.as_ref().copied()) }
}

fn open(path: &Path) -> io::Result<Bounded> {
    untrusted::open(path, MAX_BYTES, Whose::Anybodys)
}

fn content(hash: Result<u64, &io::Error>) -> Content {
    match hash {
        Ok(hash) => Content::Text(hash),
        Err(error) if is_absent(error) => Content::Absent,
        Err(_) => Content::Unreadable,
    }
}

fn stat(found: Option<&Metadata>) -> Stat {
    found.map(|found| (found.is_file(), found.len(), found.modified().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file_path: &str, proposed: &str) -> Result<(NormalizedOriginal, Fingerprint), BadTarget> {
        OpenTarget::open(file_path).map(|target| target.read(proposed))
    }

    #[test]
    fn a_bad_target_names_the_reason() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap();
        let why = |path: &str| read(path, "x").unwrap_err();
        assert_eq!(why(""), "filePath is empty");
        assert_eq!(why("a/b"), "filePath must be absolute, and this is not: a/b");
        assert_eq!(why(&format!("{path}/a\0b")), "filePath contains a NUL character");
        let is_directory = |path: &str| format!("this names a directory, not a file: {path}");
        assert_eq!(why(path), is_directory(path));
        for suffix in ["missing/", "missing/.", "missing/..", "file/"] {
            fs::write(directory.path().join("file"), "x").unwrap();
            let path = format!("{path}/{suffix}");
            assert_eq!(why(&path), is_directory(&path), "{suffix}");
        }
        #[cfg(unix)]
        assert_eq!(why("/dev/zero"), "this is not an ordinary file: /dev/zero");
    }

    #[test]
    fn a_target_changes_with_its_content_and_not_with_a_touch() {
        let directory = tempfile::tempdir().unwrap();
        // No file of Windows has a line end in its name.
        let name = if cfg!(unix) { "a b\n.txt" } else { "a b.txt" };
        let path = directory.path().join("sub/..").join(name);
        fs::create_dir(directory.path().join("sub")).unwrap();
        let name = path.to_str().unwrap();
        let (_, absent) = read(name, "x").unwrap();
        assert!(!absent.is_outdated(name));
        fs::write(&path, "one").unwrap();
        assert!(absent.is_outdated(name) && fingerprint(name).differs_from(&absent));
        let (normalized, before) = read(name, "x").unwrap();
        assert_eq!(normalized.original.as_deref(), Some("one"));
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(before.is_outdated(name));
        let touched = fingerprint(name);
        assert!(!touched.differs_from(&before) && !touched.is_outdated(name), "the new state is known");
        fs::write(&path, "two").unwrap();
        assert!(fingerprint(name).differs_from(&before));
        fs::remove_file(&path).unwrap();
        assert!(fingerprint(name).differs_from(&before));
        #[cfg(unix)]
        {
            crate::make_pipe(&path);
            let pipe = fingerprint(name);
            assert!(pipe.differs_from(&before) && pipe.differs_from(&absent) && !pipe.is_outdated(name));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_target_without_a_size_is_not_read_without_end() {
        // The file reports the size 0, and has 64 gigabytes and more.
        let (normalized, fingerprint) = read("/proc/self/pagemap", "x").unwrap();
        assert!(normalized.whole_file_only.is_some_and(|why| why.contains("larger")));
        assert_eq!(fingerprint.content, Content::Unreadable);
        assert_eq!(super::fingerprint("/proc/self/pagemap").content, Content::Unreadable);
    }

    #[test]
    fn reading_and_hashing_give_the_same_fingerprint() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let name = path.to_str().unwrap();
        for length in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES] {
            fs::write(&path, vec![b'x'; length]).unwrap();
            assert_eq!(read(name, "x").unwrap().1, fingerprint(name), "{length}");
        }
    }
}
