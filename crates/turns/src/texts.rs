//! The texts of a working tree in which the lines of comments are found again: those on disk, and those of
//! snapshots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_companion::turns::source::FoundFile;
use alongside_desk::Side;
use alongside_platform::directory::Entry;

use crate::blobs;
use crate::left_out::MAX_FILE;
use crate::tree_place::TreePlace;
use crate::workbench::Workbench;

/// See the module.
pub(crate) struct Texts<'a> {
    top: &'a Path,
    /// Where the texts of snapshots are.
    bench: Option<&'a Workbench>,
    /// The tree of the baseline.
    before: Option<&'a str>,
    /// The files that differ, of which some have another name now.
    changed: &'a [FoundFile],
    on_disk: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// By tree and path. Without a content if that cannot be read.
    in_trees: BTreeMap<(String, PathBuf), Option<Option<Vec<u8>>>>,
}

impl<'a> Texts<'a> {
    /// Those on disk only.
    pub(crate) fn on_disk(top: &'a Path) -> Self {
        let (on_disk, in_trees) = (BTreeMap::new(), BTreeMap::new());
        Self { top, bench: None, before: None, changed: &[], on_disk, in_trees }
    }

    /// These, and those of snapshots. `before`: the tree of the baseline.
    pub(crate) fn of_look(bench: &'a Workbench, before: Option<&'a str>, changed: &'a [FoundFile]) -> Self {
        let on_disk = Self::on_disk(&bench.tree.top);
        Self { bench: Some(bench), before, changed, ..on_disk }
    }

    /// The file that has this one's content under another name now.
    pub(crate) fn renamed(&self, path: &Path) -> Option<&'a FoundFile> {
        self.changed.iter().find(|found| found.from.as_deref() == Some(path))
    }

    /// The text on disk or of the baseline.
    pub(crate) fn get(&mut self, path: &Path, side: Side) -> Option<String> {
        let bytes = match (side, self.before) {
            (Side::New, _) => self.now(path),
            (Side::Old, Some(before)) => self.in_tree(before, path)?,
            (Side::Old, None) => None,
        };
        String::from_utf8(bytes?).ok()
    }

    /// Whether the texts of the baseline are there.
    pub(crate) fn has_baseline(&self) -> bool {
        self.bench.is_some() && self.before.is_some()
    }

    /// The content on disk, if there is such a file.
    pub(crate) fn now(&mut self, path: &Path) -> Option<Vec<u8>> {
        let top = self.top;
        let read = || {
            let place = TreePlace::find(top, path).ok()??;
            matches!(place.entry(), Ok(Some(Entry::File))).then(|| place.read(MAX_FILE).ok())?
        };
        self.on_disk.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// The same, or the content of the file that has another name now.
    pub(crate) fn now_or_renamed(&mut self, path: &Path) -> Option<Vec<u8>> {
        let renamed = self.renamed(path).map(|renamed| renamed.path.clone());
        self.now(path).or_else(|| self.now(&renamed?))
    }

    /// The content of a file in a tree, which may hold no such file; `None` if that cannot be told.
    pub(crate) fn in_tree(&mut self, tree: &str, path: &Path) -> Option<Option<Vec<u8>>> {
        let bench = self.bench?;
        let read = || Some(blobs::read(bench, tree, path).ok()?.map(|blob| blob.bytes));
        self.in_trees.entry((tree.to_owned(), path.to_owned())).or_insert_with(read).clone()
    }
}
