//! The files of a project on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// A path below the top directory, in bytes.
pub(super) type Name = Vec<u8>;

/// A file, a link or a pipe.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Entry {
    File { bytes: Vec<u8>, is_program: bool },
    Link { target: Vec<u8> },
    Pipe,
}

/// The attributes of an entry that no snapshot contains: its mode, and its number of hard links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) mode: u32,
    pub(super) links: u64,
}

/// All entries below a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) entries: BTreeMap<Name, Entry>,
    pub(super) attributes: BTreeMap<Name, Attributes>,
    pub(super) directories: BTreeSet<Name>,
}

/// The treatment of a file by alongside, which depends on the file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Snapshots contain the file.
    Kept,
    /// Git ignores the file.
    Ignored,
    /// Snapshots leave the file out, because such files mostly contain secrets.
    LeftOut,
}

impl Class {
    pub(super) fn of(name: &[u8]) -> Self {
        let mut parts = name.strip_suffix(b"/").unwrap_or(name).split(|byte| *byte == b'/');
        match () {
            () if parts.clone().any(|part| part.eq_ignore_ascii_case(b".env")) => Self::LeftOut,
            () if parts.clone().any(|part| part.ends_with(b".ign")) => Self::Ignored,
            () if parts.next() == Some(b"build") && name.contains(&b'/') => Self::Ignored,
            () => Self::Kept,
        }
    }
}

impl Tree {
    /// Reads all entries, except for the git directory.
    pub(super) fn read(top: &Path) -> Result<Self> {
        let mut tree = Self::default();
        let mut waiting = vec![PathBuf::new()];
        while let Some(below) = waiting.pop() {
            for entry in fs::read_dir(top.join(&below))? {
                let entry = entry?;
                let path = below.join(entry.file_name());
                if path == Path::new(".git") {
                    continue;
                }
                let metadata = entry.metadata()?;
                let name = name(&path);
                if metadata.is_dir() {
                    tree.directories.insert(name);
                    waiting.push(path);
                    continue;
                }
                let attributes = Attributes { mode: metadata.mode(), links: metadata.nlink() };
                tree.attributes.insert(name.clone(), attributes);
                tree.entries.insert(name, content(&entry.path(), &metadata)?);
            }
        }
        Ok(tree)
    }

    /// Returns the files and links that a snapshot contains.
    pub(super) fn kept(&self) -> BTreeMap<Name, Entry> {
        let is_kept =
            |(name, entry): &(&Name, &Entry)| Class::of(name) == Class::Kept && **entry != Entry::Pipe;
        self.entries.iter().filter(is_kept).map(|(name, entry)| (name.clone(), entry.clone())).collect()
    }

    /// Whether no file can be written at a path, because a parent is a file, or the path is a directory.
    pub(super) fn is_taken(&self, name: &[u8]) -> bool {
        let above = path(name).ancestors().skip(1).map(|above| above.as_os_str().as_bytes().to_vec());
        above.into_iter().any(|above| self.entries.contains_key(&above)) || self.directories.contains(name)
    }

    /// Returns the empty directories.
    pub(super) fn empty_directories(&self) -> BTreeSet<&Name> {
        let all = self.entries.keys().chain(&self.directories);
        let full: BTreeSet<_> = all.filter_map(|name| path(name).parent()).map(name_of).collect();
        self.directories.iter().filter(|directory| !full.contains(&directory[..])).collect()
    }
}

fn name_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

fn content(path: &Path, metadata: &Metadata) -> Result<Entry> {
    Ok(match () {
        () if metadata.is_symlink() => {
            Entry::Link { target: fs::read_link(path)?.into_os_string().into_vec() }
        }
        () if metadata.is_file() => {
            let bytes = fs::read(path).with_context(|| path.display().to_string())?;
            Entry::File { bytes, is_program: metadata.mode() & 0o100 != 0 }
        }
        () => Entry::Pipe,
    })
}

pub(super) fn name(path: &Path) -> Name {
    path.as_os_str().as_bytes().to_vec()
}

pub(super) fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// Returns a path for messages.
pub(super) fn shown(name: &[u8]) -> String {
    name.escape_ascii().to_string()
}

/// A file of a git directory: its mode, modification time and content.
pub(super) type RepositoryFile = (u32, (i64, i64), Vec<u8>);

/// Reads the files of a git directory. Times of objects are 0, because git updates the time of an existing
/// object instead of writing it again.
pub(super) fn repository(git: &Path) -> Result<BTreeMap<PathBuf, RepositoryFile>> {
    let mut all = BTreeMap::new();
    for path in crate::sandbox::files_below(git) {
        let metadata = path.symlink_metadata()?;
        let bytes = fs::read(&path).unwrap_or_default();
        let is_object = path.strip_prefix(git).is_ok_and(|below| below.starts_with("objects"));
        let modified = if is_object { (0, 0) } else { (metadata.mtime(), metadata.mtime_nsec()) };
        all.insert(path, (metadata.mode(), modified, bytes));
    }
    Ok(all)
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File { bytes, is_program } => {
                let kind = if *is_program { "program" } else { "file" };
                write!(f, "{kind} \"{}\"", bytes.escape_ascii())
            }
            Self::Link { target } => write!(f, "link to \"{}\"", target.escape_ascii()),
            Self::Pipe => write!(f, "pipe"),
        }
    }
}
