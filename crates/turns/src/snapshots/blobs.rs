//! Reads the content of files from snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use alongside_platform::paths;

use crate::error::Error;
use crate::git::tree_diff::{Side, SideKind};
use crate::snapshots::tree_access::TreeAccess;

/// A file or link of a snapshot, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) kind: SideKind,
    /// The content of a file, or the target of a link.
    pub(crate) bytes: Vec<u8>,
}

/// The contents of some files in two snapshots.
#[derive(Debug)]
pub(crate) struct Blobs {
    before: BTreeMap<Vec<u8>, Option<Blob>>,
    now: BTreeMap<Vec<u8>, Option<Blob>>,
}

impl Blobs {
    /// Reads the files of two snapshots, each given by its tree and the paths in it.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn read(
        access: &TreeAccess,
        before: (&str, &[&Path]),
        now: (&str, &[&Path]),
    ) -> Result<Self, Error> {
        let (before, now) = (read_all(access, before.0, before.1)?, read_all(access, now.0, now.1)?);
        Ok(Self { before, now })
    }

    /// Returns the file of the first snapshot at a path; `None` if there is no file.
    ///
    /// # Errors
    /// When git no longer has the content.
    pub(crate) fn before(&self, path: &Path) -> Result<Option<Blob>, Error> {
        get(&self.before, path)
    }

    /// Returns the file of the second snapshot at a path; `None` if there is no file.
    ///
    /// # Errors
    /// As [`before`](Self::before).
    pub(crate) fn now(&self, path: &Path) -> Result<Option<Blob>, Error> {
        get(&self.now, path)
    }
}

fn get(blobs: &BTreeMap<Vec<u8>, Option<Blob>>, path: &Path) -> Result<Option<Blob>, Error> {
    let found = blobs.get(&paths::to_bytes(path)).cloned();
    found.map(|blob| blob.ok_or(LOST_TEXT_REASON.into())).transpose()
}

/// The reason why a text cannot be read: its object is gone from the project's repository.
const LOST_TEXT_REASON: &str = "git no longer has the text of before";

/// Reads the file of a tree at a path; `None` if there is no file.
///
/// # Errors
/// When git fails, or no longer has the content.
pub(crate) fn read(access: &TreeAccess, tree: &str, below: &Path) -> Result<Option<Blob>, Error> {
    get(&read_all(access, tree, &[below])?, below)
}

/// Reads the files of a tree at several paths. Git is started twice, for any number of paths. The result
/// lacks the paths at which there is no file, and has `None` for content that git no longer has.
///
/// # Errors
/// When git fails.
pub(crate) fn read_all(
    access: &TreeAccess,
    tree: &str,
    below: &[&Path],
) -> Result<BTreeMap<Vec<u8>, Option<Blob>>, Error> {
    let names: BTreeSet<Vec<u8>> = below.iter().map(|path| paths::to_bytes(path)).collect();
    let args = ["ls-tree", "-z", "--full-tree", tree, "--"].map(OsString::from);
    let wanted = names.iter().filter_map(|name| Some(paths::from_bytes(name)?.into_os_string()));
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let output = access.git.run(args.into_iter().chain(wanted), None)?;
    let entry = |line: &[u8]| {
        let place = line.iter().position(|byte| *byte == b'\t')?;
        let (head, name) = (std::str::from_utf8(&line[..place]).ok()?, &line[place + 1..]);
        let mut head = head.split(' ');
        let (mode, kind, object) = (head.next()?, head.next()?, head.next()?);
        let side = Side { mode: mode.into(), object: object.into() };
        (names.contains(name) && kind == "blob").then(|| (name.to_vec(), side))
    };
    let sides: Vec<(Vec<u8>, Side)> = output.split(|byte| *byte == 0).filter_map(entry).collect();
    let objects: Vec<&str> = sides.iter().map(|(_, side)| &*side.object).collect();
    let contents = read_objects(access, &objects)?.into_iter();
    let blob = |((name, side), bytes): (&(Vec<u8>, Side), Option<_>)| {
        (name.clone(), bytes.map(|bytes| Blob { kind: side.kind(), bytes }))
    };
    Ok(sides.iter().zip(contents).map(blob).collect())
}

/// Reads the contents of objects, in their order; `None` for an object that git no longer has.
///
/// # Errors
/// When git fails.
pub(crate) fn read_objects(access: &TreeAccess, objects: &[&str]) -> Result<Vec<Option<Vec<u8>>>, Error> {
    if objects.is_empty() {
        return Ok(Vec::new());
    }
    let wanted: String = objects.iter().map(|object| format!("{object}\n")).collect();
    let output = access.git.run(["cat-file", "--batch"], Some(wanted.into_bytes()))?;
    let mut rest = output.as_slice();
    let content = |_| {
        let bytes = next_object(&mut rest).ok_or("git writes objects otherwise")?;
        Ok(bytes.map(<[u8]>::to_vec))
    };
    objects.iter().map(content).collect()
}

/// Splits the first object off git's answers: `Some(None)` if git does not have it, `None` if the answers
/// have another form.
fn next_object<'a>(answers: &mut &'a [u8]) -> Option<Option<&'a [u8]>> {
    let end = answers.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&answers[..end]).ok()?;
    *answers = &answers[end + 1..];
    if head.ends_with(" missing") {
        return Some(None);
    }
    let size: usize = head.rsplit(' ').next()?.parse().ok()?;
    let content = answers.get(..size)?;
    *answers = answers.get(size + 1..)?;
    Some(Some(content))
}

/// Whether a tree has a directory at this path.
///
/// # Errors
/// When git fails.
pub(crate) fn has_directory(access: &TreeAccess, tree: &str, below: &Path) -> Result<bool, Error> {
    let args = ["ls-tree", "-z", "-d", "--full-tree", tree, "--"].map(OsString::from);
    Ok(!access.git.run(args.into_iter().chain([below.as_os_str().to_owned()]), None)?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_missing_objects_are_read_in_order() {
        let mut answers = b"aa blob 3\na\nb\nbb missing\ncc blob 0\n\ndd blob 9\nshort".as_slice();
        assert_eq!(next_object(&mut answers), Some(Some(b"a\nb".as_slice())));
        assert_eq!(next_object(&mut answers), Some(None));
        assert_eq!(next_object(&mut answers), Some(Some(b"".as_slice())));
        assert_eq!(next_object(&mut answers), None);
    }
}
