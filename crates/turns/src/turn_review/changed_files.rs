//! The rows of a turn review, a row for each file: files that differ between two trees, files that snapshots
//! do not hold, and files that git ignores.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use alongside_companion::turns::source::FoundFile;
use alongside_desk::{Author, FileChange, TurnFile};
use alongside_platform::{files, paths};

use crate::error::Error;
use crate::git::tree_diff::{Difference, LineCounts, SideKind};
use crate::snapshots::ignored_files::{self, TooLarge};
use crate::snapshots::left_out_files::{LeftOut, LeftOuts, REPLACED, Why};
use crate::snapshots::project_index::ProjectIndex;
use crate::snapshots::tree_access::TreeAccess;
use crate::turn_review::authors::Authors;

const LINK_REASON: &str = "it is a symbolic link";
const IGNORED_REASON: &str = "git ignores it, so its earlier text is not kept";
const LOST_TEXT_REASON: &str = "git no longer has the text of before";
const BINARY: &str = "it is binary";

/// The rows, by path.
#[derive(Debug, Default)]
pub(crate) struct ChangedFiles {
    rows: BTreeMap<Vec<u8>, FoundFile>,
    /// The paths that are nested repositories in the earlier tree.
    nested: BTreeSet<Vec<u8>>,
}

impl ChangedFiles {
    /// Makes a row for each file that differs between two trees. A file that only the later snapshot leaves
    /// out gets the row of a deleted file here, which [`add_left_out`](Self::add_left_out) replaces.
    pub(crate) fn of_trees(differences: &[Difference], authors: &Authors) -> Self {
        let mut changes = Self::default();
        for difference in differences {
            let author = authors.known(&difference.path, difference.from.as_deref());
            changes.add_difference(difference, author.unwrap_or(Author::Unknown));
        }
        changes
    }

    /// Removes the rows of files that are unchanged according to the project's index, also of files that
    /// snapshots leave out.
    pub(crate) fn forget_unchanged(
        &mut self,
        differences: &[Difference],
        index: &ProjectIndex,
        now: &LeftOuts,
    ) {
        for difference in differences {
            let path = &difference.path;
            let is_other_commit = match now.get(path) {
                Some(left) if left.why == Why::Repository => left.stamp != difference.before.object,
                _ => false,
            };
            if difference.from.is_none() && !is_other_commit && index.is_unchanged(path, &difference.before) {
                self.rows.remove(path);
            }
        }
    }

    /// Adds the files that snapshots leave out and that differ, are new or are gone. `before` is absent where
    /// the baseline is a commit, which leaves out no file.
    pub(crate) fn add_left_out(
        &mut self,
        top: &Path,
        before: Option<&LeftOuts>,
        now: &LeftOuts,
        authors: &Authors,
    ) {
        // No snapshot shows in which turn such a file changed, so the time of its last change decides.
        let author = |path: &[u8]| {
            let found = paths::from_bytes(path).and_then(|below| top.join(below).symlink_metadata().ok());
            let at = found.and_then(|found| files::changed_at(&found));
            authors.known(path, None).unwrap_or_else(|| authors.at(at))
        };
        for (path, left) in now {
            let earlier = before.and_then(|before| before.get(path));
            let held = self.rows.get(path).map(|row| row.told.change);
            let change = match (earlier, held) {
                (Some(earlier), _) if earlier == left => {
                    self.rows.remove(path);
                    continue;
                }
                (Some(_), _) => FileChange::Modified,
                (None, Some(FileChange::Deleted)) if left.why == Why::Repository => {
                    if self.nested.contains(path) { FileChange::Modified } else { FileChange::Kind }
                }
                (None, Some(FileChange::Deleted)) if left.why == Why::Special => FileChange::Kind,
                (None, Some(FileChange::Deleted)) => FileChange::Modified,
                (None, Some(held)) => held,
                (None, None) => FileChange::Added,
            };
            let why = match (change, left.why) {
                (FileChange::Kind, Why::Special) => REPLACED,
                (_, why) => why.words(),
            };
            let stamps = [earlier.map(|earlier| &earlier.stamp), Some(&left.stamp)];
            let content = stamps.map(|stamp| stamp.map_or("", String::as_str)).join(" ");
            self.add_without_text(path, change, why, author(path), content);
        }
        for (path, left) in before.into_iter().flatten().filter(|(path, _)| !now.contains_key(*path)) {
            let change = match self.rows.get(path) {
                Some(_) => FileChange::Modified,
                None => FileChange::Deleted,
            };
            let content = left.stamp.clone();
            self.add_without_text(path, change, left.why.words(), author(path), content);
        }
    }

    /// Adds the nested repositories that have the same commit as before, but in which a file has changed
    /// since `since`. Returns the number of nested repositories that are too large to be searched.
    pub(crate) fn add_nested(
        &mut self,
        access: &TreeAccess,
        now: &LeftOuts,
        since: SystemTime,
        authors: &Authors,
    ) -> usize {
        let mut unseen = 0;
        let is_nested = |(_, left): &(&Vec<u8>, &LeftOut)| left.why == Why::Repository;
        for (path, left) in now.iter().filter(is_nested) {
            let Some(below) = paths::from_bytes(path).filter(|_| !self.rows.contains_key(path)) else {
                continue;
            };
            match ignored_files::directory_changed_since(&access.tree.top.join(below), since) {
                Ok(Some(at)) => {
                    let author = authors.at(Some(at));
                    self.add_without_text(
                        path,
                        FileChange::Modified,
                        left.why.words(),
                        author,
                        String::new(),
                    );
                }
                Ok(None) => {}
                Err(TooLarge) => unseen += 1,
            }
        }
        unseen
    }

    /// Adds the ignored files that have changed since `since`. Returns the number of directories that are too
    /// large to be searched.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn add_ignored(
        &mut self,
        access: &TreeAccess,
        since: SystemTime,
        authors: &Authors,
    ) -> Result<usize, Error> {
        let index = access.index("look-index");
        let git = access.git.with_index(&access.store.file("look-index"));
        let found = ignored_files::changed_since(&git, &access.tree.top, index.exclude_from(), since)?;
        for (path, at) in found.changed {
            let why = match paths::from_bytes(&path).is_some_and(|path| access.exclusions.exclude(&path)) {
                true => Why::Excluded.words(),
                false => IGNORED_REASON,
            };
            let author = authors.at(Some(at));
            self.add_without_text(&path, FileChange::Unknown, why, author, String::new());
        }
        Ok(found.unseen)
    }

    /// Returns the rows, sorted by path.
    pub(crate) fn files(self) -> Vec<FoundFile> {
        self.rows.into_values().collect()
    }

    fn add_difference(&mut self, difference: &Difference, author: Author) {
        let (before, now) = (difference.before.kind(), difference.now.kind());
        if before == SideKind::Repository {
            self.nested.insert(difference.path.clone());
        }
        let change = match (before, now) {
            (SideKind::Nothing, _) => FileChange::Added,
            (_, SideKind::Nothing) => FileChange::Deleted,
            (SideKind::Link, SideKind::Link) => modified(difference),
            (SideKind::File | SideKind::Program, SideKind::File | SideKind::Program) => modified(difference),
            _ => FileChange::Kind,
        };
        let has_link = [before, now].contains(&SideKind::Link);
        let is_repository = [before, now].contains(&SideKind::Repository);
        let without_text = match difference.lines {
            _ if has_link => Some(LINK_REASON),
            _ if is_repository => Some(Why::Repository.words()),
            LineCounts::Binary => Some(BINARY),
            LineCounts::Lost => Some(LOST_TEXT_REASON),
            LineCounts::Counted { .. } => None,
        };
        let without_undo = is_repository || (!has_link && matches!(difference.lines, LineCounts::Lost));
        let (added, removed) = match difference.lines {
            LineCounts::Counted { added, removed } => (added, removed),
            LineCounts::Binary | LineCounts::Lost => (0, 0),
        };
        let executable = match (before, now) {
            (SideKind::File, SideKind::Program) => Some(true),
            (SideKind::Program, SideKind::File) => Some(false),
            _ => None,
        };
        let told = TurnFile {
            from: difference.from.as_deref().map(displayed),
            change,
            executable,
            added,
            removed,
            without_text: without_text.map(str::to_owned),
            without_undo,
            author,
            ..TurnFile::default()
        };
        let Difference { before, now, .. } = difference;
        let content = [&before.mode, &before.object, &now.mode, &now.object].map(String::as_str).join(" ");
        self.add(&difference.path, difference.from.as_deref(), told, content);
    }

    fn add_without_text(
        &mut self,
        path: &[u8],
        change: FileChange,
        why: &str,
        author: Author,
        content: String,
    ) {
        let told = TurnFile {
            change,
            without_text: Some(why.to_owned()),
            // The store has no earlier text to write, and no copy of the current one.
            without_undo: true,
            author,
            ..TurnFile::default()
        };
        self.add(path, None, told, content);
    }

    fn add(&mut self, path: &[u8], from: Option<&[u8]>, told: TurnFile, content: String) {
        let below = |path: &[u8]| paths::from_bytes(path.strip_suffix(b"/").unwrap_or(path));
        let file = FoundFile {
            path: below(path).unwrap_or_else(|| PathBuf::from(displayed(path))),
            from: from.and_then(below),
            told: TurnFile { path: displayed(path), ..told },
            content,
        };
        self.rows.insert(path.to_vec(), file);
    }
}

/// Returns the kind of change of a path that was and still is a file, or was and still is a link.
fn modified(difference: &Difference) -> FileChange {
    match () {
        () if difference.from.is_some() => FileChange::Renamed,
        () if difference.before.object == difference.now.object => FileChange::Mode,
        () => FileChange::Modified,
    }
}

/// Returns a path as text for people.
fn displayed(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
