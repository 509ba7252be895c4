//! Reads the texts in which the lines of comments are found again: files on disk and files of snapshots. Each
//! text is read once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use alongside_companion::turns::source::FoundFile;
use alongside_desk::Side;
use alongside_platform::directory::Entry;
use alongside_platform::paths;

use crate::git::tree_diff;
use crate::snapshots::blobs;
use crate::snapshots::left_out_files::MAX_FILE;
use crate::snapshots::tree_access::TreeAccess;
use crate::working_tree::file_place::FilePlace;

/// The content of a file: `Some(None)` if there is no such file, `None` if the content is not known.
pub(crate) type Known<T = Vec<u8>> = Option<Option<T>>;

/// Caches the texts of files on disk and in snapshots.
pub(crate) struct FileTexts<'a> {
    top: &'a Path,
    /// The working tree whose snapshots are read; `None` if only the disk is read.
    access: Option<&'a TreeAccess>,
    /// The tree of the baseline.
    before: Option<&'a str>,
    /// The files that a look has found changed. Some of them were renamed.
    changed: &'a [FoundFile],
    on_disk: BTreeMap<PathBuf, Known>,
    /// The files of snapshots, by tree and path.
    in_trees: BTreeMap<(String, PathBuf), Known>,
}

impl<'a> FileTexts<'a> {
    /// Creates a cache that reads from disk only.
    pub(crate) fn on_disk(top: &'a Path) -> Self {
        let (on_disk, in_trees) = (BTreeMap::new(), BTreeMap::new());
        Self { top, access: None, before: None, changed: &[], on_disk, in_trees }
    }

    /// Creates a cache that reads from disk and snapshots. `before`: the tree of the baseline.
    pub(crate) fn of_look(access: &'a TreeAccess, before: Option<&'a str>, changed: &'a [FoundFile]) -> Self {
        let on_disk = Self::on_disk(&access.tree.top);
        Self { access: Some(access), before, changed, ..on_disk }
    }

    /// Returns the changed file that had this path before it was renamed.
    pub(crate) fn renamed(&self, path: &Path) -> Option<&'a FoundFile> {
        self.changed.iter().find(|found| found.from.as_deref() == Some(path))
    }

    /// Returns the text of a file: on disk for the new side, and of the baseline for the old one.
    pub(crate) fn get(&mut self, path: &Path, side: Side) -> Known<String> {
        let bytes = match side {
            Side::New => self.now(path)?,
            Side::Old => self.in_tree(self.before?, path)?,
        };
        Some(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Returns the content of a file on disk.
    pub(crate) fn now(&mut self, path: &Path) -> Known {
        let top = self.top;
        let read = || {
            // A path with a link or a file on the way names no file of the working tree.
            let Ok(Some(place)) = FilePlace::find(top, path) else { return Some(None) };
            match place.entry().ok()? {
                // The content of a file that is too large, or that this user may not read, is not known.
                Some(Entry::File) => place.read(MAX_FILE).ok().map(Some),
                Some(_) | None => Some(None),
            }
        };
        self.on_disk.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Returns the content of a file on disk, or that of the file to which it was renamed.
    pub(crate) fn now_or_renamed(&mut self, path: &Path) -> Known {
        let renamed = self.renamed(path).map(|renamed| renamed.path.clone());
        match (self.now(path)?, renamed) {
            (None, Some(renamed)) => self.now(&renamed),
            (found, _) => Some(found),
        }
    }

    /// Returns the paths that differ between two trees; `None` if git no longer has one of the trees.
    pub(crate) fn differing(&self, before: &str, now: &str) -> Option<BTreeSet<Vec<u8>>> {
        let found = tree_diff::plain(&self.access?.git, before, now).ok()?;
        Some(found.into_iter().map(|difference| difference.path).collect())
    }

    /// Loads these files of a tree together. Git is started only twice, for any number of files.
    pub(crate) fn load(&mut self, tree: &str, paths: impl IntoIterator<Item = PathBuf>) {
        let key = |path: PathBuf| (tree.to_owned(), path);
        let wanted: BTreeSet<PathBuf> =
            paths.into_iter().filter(|path| !self.in_trees.contains_key(&key(path.clone()))).collect();
        let names: Vec<&Path> = wanted.iter().map(PathBuf::as_path).collect();
        let found = self.access.and_then(|access| blobs::read_all(access, tree, &names).ok());
        for path in &wanted {
            let content = found.as_ref().and_then(|found| match found.get(&paths::to_bytes(path)) {
                Some(blob) => blob.as_ref().map(|blob| Some(blob.bytes.clone())),
                None => Some(None),
            });
            self.in_trees.insert(key(path.clone()), content);
        }
    }

    /// Returns the content of a file in a tree.
    pub(crate) fn in_tree(&mut self, tree: &str, path: &Path) -> Known {
        let access = self.access?;
        let read = || Some(blobs::read(access, tree, path).ok()?.map(|blob| blob.bytes));
        self.in_trees.entry((tree.to_owned(), path.to_owned())).or_insert_with(read).clone()
    }
}
