//! The file on disk that a proposal is about: read once when it comes, watched while it waits, never written.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use alongside_platform::untrusted::{self, Bounded, Whose};

use super::line_endings::{Aligned, align, whole};

/// A file that is larger than this is not read: nobody reviews it line by line.
const MAX_BYTES: u64 = 1 << 30;
/// How much is read at once where only the hash is wanted.
const CHUNK: usize = 64 << 10;

/// What a target was when it was read, enough to see that it has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    cheap: Cheap,
    content: Content,
}

/// What can be seen without opening it: kind, length and time of modification; `None` for a file that does
/// not exist.
type Cheap = Option<(bool, u64, Option<SystemTime>)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Absent,
    Unreadable,
    /// A hash of it.
    Text(u64),
}

impl Fingerprint {
    /// Whether there was no file.
    pub(crate) fn is_absent(&self) -> bool {
        self.cheap.is_none()
    }

    /// Whether the content was another one.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        self.content != other.content
    }

    /// Whether the file may have changed since. Only looks, and opens nothing: quick enough for the loop.
    pub(crate) fn is_outdated(&self, file_path: &str) -> bool {
        cheap(fs::metadata(file_path).ok().as_ref()) != self.cheap
    }
}

/// A proposal that cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadTarget {
    #[error("filePath is empty")]
    Empty,
    #[error("filePath must be absolute, and this is not: {0}")]
    Relative(String),
    #[error("filePath contains a NUL character")]
    Nul,
    #[error("this names a directory, not a file: {0}")]
    Directory(String),
    #[error("this is not an ordinary file: {0}")]
    Special(String),
}

/// Reads the target of a proposal. Blocks.
pub(crate) fn read(file_path: &str, proposed: &str) -> Result<(Aligned, Fingerprint), BadTarget> {
    if file_path.is_empty() {
        return Err(BadTarget::Empty);
    }
    if file_path.contains('\0') {
        return Err(BadTarget::Nul);
    }
    let path = Path::new(file_path);
    if !path.is_absolute() {
        return Err(BadTarget::Relative(file_path.to_owned()));
    }
    if names_a_directory(file_path) {
        return Err(BadTarget::Directory(file_path.to_owned()));
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(BadTarget::Directory(file_path.to_owned())),
        Ok(found) if !found.is_file() => return Err(BadTarget::Special(file_path.to_owned())),
        _ => {}
    }
    let (content, fingerprint) = read_whole(path);
    let aligned = match content {
        Ok(bytes) => align(Some(bytes), proposed),
        Err(error) if does_not_exist(&error) => align(None, proposed),
        Err(error) => whole(&format!("the file on disk cannot be read ({error})")),
    };
    Ok((aligned, fingerprint))
}

/// How many bytes the target says that it has, as far as they would be read. Blocks briefly.
pub(crate) fn size(file_path: &str) -> u64 {
    fs::metadata(file_path).map_or(0, |found| if found.len() > MAX_BYTES { 0 } else { found.len() })
}

/// Whether nothing but a directory can be there, also if nothing is.
fn names_a_directory(file_path: &str) -> bool {
    let last = file_path.rsplit(std::path::is_separator).next().unwrap_or_default();
    matches!(last, "" | "." | "..")
}

/// Looks at the target again, whatever it is now. Blocks as long as reading takes.
pub(crate) fn look(file_path: &str) -> Fingerprint {
    let path = Path::new(file_path);
    let cheap = cheap(fs::metadata(path).ok().as_ref());
    let mut chunk = vec![0; CHUNK];
    let mut hash = DefaultHasher::new();
    let read = open(path).and_then(|mut file| {
        loop {
            let length = fill(&mut file, &mut chunk)?;
            if length == 0 {
                return Ok(hash.finish());
            }
            hash.write(&chunk[..length]);
        }
    });
    Fingerprint { cheap, content: content(read.as_ref().copied()) }
}

/// Reads until the buffer is full or the file ends, so that a hash never depends on how it was read.
fn fill(file: &mut impl io::Read, chunk: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < chunk.len() {
        match file.read(&mut chunk[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

fn read_whole(path: &Path) -> (io::Result<Vec<u8>>, Fingerprint) {
    let cheap = cheap(fs::metadata(path).ok().as_ref());
    let read = open(path).and_then(Bounded::whole);
    let hash = read.as_ref().map(|bytes| {
        let mut hash = DefaultHasher::new();
        bytes.chunks(CHUNK).for_each(|chunk| hash.write(chunk));
        hash.finish()
    });
    let content = content(hash);
    (read, Fingerprint { cheap, content })
}

fn open(path: &Path) -> io::Result<Bounded> {
    untrusted::open(path, MAX_BYTES, Whose::Anybodys)
}

fn content(hash: Result<u64, &io::Error>) -> Content {
    match hash {
        Ok(hash) => Content::Text(hash),
        Err(error) if does_not_exist(error) => Content::Absent,
        Err(_) => Content::Unreadable,
    }
}

fn cheap(found: Option<&Metadata>) -> Cheap {
    found.map(|found| (found.is_file(), found.len(), found.modified().ok()))
}

fn does_not_exist(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_target_says_why() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap();
        assert_eq!(read("", "x").unwrap_err(), BadTarget::Empty);
        assert_eq!(read("a/b", "x").unwrap_err(), BadTarget::Relative("a/b".into()));
        assert_eq!(read("/a\0b", "x").unwrap_err(), BadTarget::Nul);
        assert_eq!(read(path, "x").unwrap_err(), BadTarget::Directory(path.into()));
        for names_one in ["missing/", "missing/.", "missing/..", "file/"] {
            fs::write(directory.path().join("file"), "x").unwrap();
            let path = format!("{path}/{names_one}");
            assert_eq!(read(&path, "x").unwrap_err(), BadTarget::Directory(path), "{names_one}");
        }
        assert_eq!(read("/dev/zero", "x").unwrap_err(), BadTarget::Special("/dev/zero".into()));
    }

    #[test]
    fn a_target_changes_with_its_content_and_not_with_a_touch() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sub/../a b\n.txt");
        fs::create_dir(directory.path().join("sub")).unwrap();
        let name = path.to_str().unwrap();
        let (_, absent) = read(name, "x").unwrap();
        assert!(!absent.is_outdated(name));
        fs::write(&path, "one").unwrap();
        assert!(absent.is_outdated(name) && look(name).differs_from(&absent));
        let (aligned, before) = read(name, "x").unwrap();
        assert_eq!(aligned.original.as_deref(), Some("one"));
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(before.is_outdated(name));
        let touched = look(name);
        assert!(!touched.differs_from(&before) && !touched.is_outdated(name), "one look is enough");
        fs::write(&path, "two").unwrap();
        assert!(look(name).differs_from(&before));
        fs::remove_file(&path).unwrap();
        assert!(look(name).differs_from(&before));
        #[cfg(unix)]
        {
            crate::pipe(&path);
            let pipe = look(name);
            assert!(pipe.differs_from(&before) && pipe.differs_from(&absent) && !pipe.is_outdated(name));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_target_that_says_no_size_is_not_read_without_end() {
        // It says 0, and has 64 gigabytes and more.
        let (aligned, fingerprint) = read("/proc/self/pagemap", "x").unwrap();
        assert!(aligned.whole_file_only.is_some_and(|why| why.contains("larger")));
        assert_eq!(fingerprint.content, Content::Unreadable);
        assert_eq!(look("/proc/self/pagemap").content, Content::Unreadable);
    }

    #[test]
    fn what_is_read_whole_and_what_is_only_hashed_agree() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let name = path.to_str().unwrap();
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            fs::write(&path, vec![b'x'; length]).unwrap();
            assert_eq!(read(name, "x").unwrap().1, look(name), "{length}");
        }
    }
}
