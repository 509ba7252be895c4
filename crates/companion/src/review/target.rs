//! The file on disk that a proposal is about: read once when it comes, watched while it waits, never written.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::alignment::{Aligned, align, whole};

/// What a target was when its proposal came, enough to see that it has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// Length and time of modification; `None` for a file that does not exist.
    cheap: Option<(u64, Option<SystemTime>)>,
    /// Hash of the content; 0 where it could not be read.
    content: u64,
}

impl Fingerprint {
    /// Whether there was no file.
    pub(crate) fn is_absent(&self) -> bool {
        self.cheap.is_none()
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
    #[error("this is a directory, not a file: {0}")]
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
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(BadTarget::Directory(file_path.to_owned())),
        Ok(found) if !found.is_file() => return Err(BadTarget::Special(file_path.to_owned())),
        _ => {}
    }
    let (content, fingerprint) = content(path);
    let aligned = match content {
        Ok(bytes) => align(Some(bytes), proposed),
        Err(error) if does_not_exist(&error) => align(None, proposed),
        Err(error) => whole(&format!("the file on disk cannot be read ({error})")),
    };
    Ok((aligned, fingerprint))
}

/// Whether the target is no longer what it was. Looks at the content only if length or time differ. Blocks.
pub(crate) fn has_changed(file_path: &str, before: &Fingerprint) -> bool {
    let path = Path::new(file_path);
    cheap(fs::metadata(path).ok().as_ref()) != before.cheap && content(path).1.content != before.content
}

fn content(path: &Path) -> (io::Result<Vec<u8>>, Fingerprint) {
    let cheap = cheap(fs::metadata(path).ok().as_ref());
    let content = fs::read(path);
    let mut hasher = DefaultHasher::new();
    content.as_ref().ok().hash(&mut hasher);
    (content, Fingerprint { cheap, content: hasher.finish() })
}

fn cheap(found: Option<&Metadata>) -> Option<(u64, Option<SystemTime>)> {
    found.map(|found| (found.len(), found.modified().ok()))
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
        assert_eq!(read("/dev/zero", "x").unwrap_err(), BadTarget::Special("/dev/zero".into()));
    }

    #[test]
    fn a_target_changes_with_its_content_and_not_with_a_touch() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sub/../a b\n.txt");
        fs::create_dir(directory.path().join("sub")).unwrap();
        let name = path.to_str().unwrap();
        let (_, absent) = read(name, "x").unwrap();
        fs::write(&path, "one").unwrap();
        assert!(has_changed(name, &absent));
        let (aligned, before) = read(name, "x").unwrap();
        assert_eq!(aligned.original.as_deref(), Some("one"));
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(!has_changed(name, &before));
        fs::write(&path, "two").unwrap();
        assert!(has_changed(name, &before));
        fs::remove_file(&path).unwrap();
        assert!(has_changed(name, &before));
    }
}
