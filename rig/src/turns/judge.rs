//! The judge: checks the list after a look and the tree after a finish, from the files on disk and the
//! messages to a desk.

use std::collections::{BTreeMap, BTreeSet};

use alongside_desk::{FileChange, Turn, TurnFile, TurnFinished, UndoneFile};
use anyhow::{Result, ensure};

use super::marking::{Decision, MarkedFile, Names};
use super::tree::{Class, Entry, Name, Tree, shown};

/// The state of a project with which a turn review begins.
#[derive(Debug, Clone, Default)]
pub(super) struct Baseline {
    /// The files in the snapshot.
    pub(super) kept: BTreeMap<Name, Entry>,
    /// The files and links that no snapshot contains.
    pub(super) others: BTreeMap<Name, Entry>,
    /// The pipes. Git reports a pipe only in the place of a file in its index.
    pub(super) pipes: BTreeSet<Name>,
}

impl Baseline {
    pub(super) fn of(tree: &Tree) -> Self {
        let kept = tree.kept();
        let is_other = |(name, entry): &(&Name, &Entry)| !kept.contains_key(*name) && **entry != Entry::Pipe;
        let others = tree.entries.iter().filter(is_other);
        let is_pipe = |(_, entry): &(&Name, &Entry)| **entry == Entry::Pipe;
        let pipes = tree.entries.iter().filter(is_pipe).map(|(name, _)| name.clone()).collect();
        Self { others: others.map(|(name, entry)| (name.clone(), entry.clone())).collect(), kept, pipes }
    }
}

/// Checks that the list has every change, and no unchanged file.
pub(super) fn check_list(turn: &Turn, names: &Names, baseline: &Baseline, now: &Tree) -> Result<()> {
    let kept = now.kept();
    let all: BTreeSet<&Name> = baseline.kept.keys().chain(kept.keys()).collect();
    let differing: BTreeSet<&Name> =
        all.into_iter().filter(|name| baseline.kept.get(*name) != kept.get(*name)).collect();
    let rows = turn.files.iter().map(|file| (names.get(&file.path), file));
    let rows: BTreeMap<Name, &TurnFile> = rows.collect();
    let from = rows.values().filter_map(|file| Some(names.get(file.from.as_ref()?)));
    let listed: BTreeSet<Name> = rows.keys().cloned().chain(from).collect();
    for name in &differing {
        ensure!(listed.contains(*name), "a change escapes: {}", shown(name));
    }
    for (name, entry) in &baseline.others {
        let is_same = now.entries.get(name) == Some(entry) || Class::of(name) == Class::Ignored;
        ensure!(is_same || listed.contains(name), "a change of what is left out escapes: {}", shown(name));
    }
    for (name, file) in rows.iter().filter(|(name, _)| Class::of(name) == Class::Kept) {
        let (before, after) = (baseline.kept.get(name), kept.get(name));
        let is_or_was_pipe = baseline.pipes.contains(name) || now.entries.get(name) == Some(&Entry::Pipe);
        ensure!(differing.contains(name) || is_or_was_pipe, "{} has not changed: {file:?}", shown(name));
        if is_or_was_pipe {
            let is_replaced = before.is_some() && now.entries.get(name) == Some(&Entry::Pipe);
            let is_listed_as_kind = file.change == FileChange::Kind && file.without_text.is_some();
            ensure!(!is_replaced || is_listed_as_kind, "{} is no file any more: {file:?}", shown(name));
            continue;
        }
        let expected = match (before, after) {
            (_, Some(_)) if file.from.is_some() => FileChange::Renamed,
            (None, _) => FileChange::Added,
            (_, None) => FileChange::Deleted,
            (Some(Entry::Link { .. }), Some(Entry::Link { .. })) => FileChange::Modified,
            (Some(Entry::File { bytes: one, .. }), Some(Entry::File { bytes: other, .. })) => {
                if one == other { FileChange::Mode } else { FileChange::Modified }
            }
            _ => FileChange::Kind,
        };
        ensure!(file.change == expected, "{} is {expected:?}: {file:?}", shown(name));
    }
    for file in turn.files.iter().filter(|file| file.from.is_some()) {
        let from = names.get(file.from.as_deref().unwrap_or_default());
        ensure!(differing.contains(&from), "{} was not renamed", shown(&from));
    }
    Ok(())
}

/// A finished turn review.
pub(super) struct Finish<'a> {
    pub(super) baseline: &'a Baseline,
    /// The files on disk at the last look.
    pub(super) looked_at: &'a Tree,
    /// The files on disk before the finish.
    pub(super) before: &'a Tree,
    /// The files on disk after the finish.
    pub(super) after: &'a Tree,
    pub(super) decided: &'a [MarkedFile],
    pub(super) finished: &'a TurnFinished,
    /// The files that have changed between two looks.
    pub(super) outdated: &'a BTreeSet<Name>,
}

impl Finish<'_> {
    /// Checks that the tree is as decided. Returns the next baseline, if this turn review has ended. `asks`:
    /// the person asked the agent to undo the marked changes.
    pub(super) fn judge(&self, asks: bool) -> Result<Option<Baseline>> {
        let mut expected = self.before.entries.clone();
        let mut undone: BTreeSet<&Name> = BTreeSet::new();
        let answers = if asks { &[] } else { &self.finished.files[..] };
        ensure!(asks || answers.len() == self.decided.len(), "{} answers", answers.len());
        ensure!(!asks || self.finished.files.is_empty(), "something was undone");
        for (decided, answer) in self.decided.iter().zip(answers) {
            ensure!(answer.path == decided.file.path, "an answer of {}", answer.path);
            if let Some(why) = &answer.refused {
                self.check_refusal(decided, why)?;
                continue;
            }
            self.check_undo(decided, answer)?;
            undone.insert(&decided.path);
            match &decided.decision {
                Decision::Whole => {
                    undone.extend(decided.from.as_ref());
                    expected.remove(&decided.path);
                    let earlier_path = decided.from.as_ref().unwrap_or(&decided.path);
                    if let Some(entry) = self.baseline.kept.get(earlier_path) {
                        expected.insert(earlier_path.clone(), entry.clone());
                    }
                }
                Decision::Text { result, .. } => {
                    if let Some(Entry::File { bytes, .. }) = expected.get_mut(&decided.path) {
                        *bytes = result.clone().into_bytes();
                    }
                }
            }
        }
        let names: BTreeSet<_> = expected.keys().chain(self.after.entries.keys()).collect();
        for name in names {
            let (expected, found) = (expected.get(name), self.after.entries.get(name));
            ensure!(expected == found, "{} is to be {expected:?}, and is {found:?}", shown(name));
        }
        self.check_modes(&undone)?;
        let empty: Vec<_> = self.after.empty_directories().into_iter().collect();
        for directory in empty {
            let was_there = self.before.directories.contains(directory);
            ensure!(was_there, "an empty directory is left: {}", shown(directory));
        }
        let is_done = asks || answers.iter().all(|answer| answer.refused.is_none());
        Ok((is_done && self.finished.not_sent.is_none()).then(|| self.next_baseline(&undone)))
    }

    /// Returns the state at the last look, with the undone changes.
    fn next_baseline(&self, undone: &BTreeSet<&Name>) -> Baseline {
        let (looked_at, after) = (self.looked_at.kept(), self.after.kept());
        let mut kept: BTreeMap<Name, Entry> =
            looked_at.into_iter().filter(|(name, _)| !undone.contains(name)).collect();
        // If a file has become a directory since the look, or a directory a file, no tree has both. Then the
        // state at the look counts.
        let is_above = |file: &[u8], other: &[u8]| {
            other.strip_prefix(file).is_some_and(|below| below.first() == Some(&b'/'))
        };
        let has_room = |name: &Name| !kept.keys().any(|other| is_above(other, name) || is_above(name, other));
        let undone = after.into_iter().filter(|(name, _)| undone.contains(name) && has_room(name));
        let undone: Vec<(Name, Entry)> = undone.collect();
        kept.extend(undone);
        Baseline { kept, ..Baseline::of(self.looked_at) }
    }

    /// Checks that the reason of a refusal is true.
    fn check_refusal(&self, decided: &MarkedFile, why: &str) -> Result<()> {
        let paths = [Some(&decided.path), decided.from.as_ref()].into_iter().flatten();
        let has_changed =
            paths.clone().any(|name| self.looked_at.entries.get(name) != self.before.entries.get(name));
        let has_pipe = paths.clone().any(|name| self.looked_at.entries.get(name) == Some(&Entry::Pipe));
        let has_changed = has_changed || has_pipe || self.outdated.contains(&decided.path);
        let attributes = self.before.attributes.get(&decided.path);
        let earlier_path = decided.from.as_ref().unwrap_or(&decided.path);
        let was_pipe = |name: &Name| {
            let is_pipe = self.looked_at.entries.get(name) == Some(&Entry::Pipe);
            is_pipe || self.baseline.pipes.contains(name)
        };
        let is_left_out =
            [&decided.path, earlier_path].into_iter().any(|name| self.is_left_out(name) || was_pipe(name));
        let is_true = match why {
            "something that is no file has replaced it" => paths.clone().any(was_pipe),
            "it has changed since it was shown" | "it has changed since it was opened" => has_changed,
            "its earlier text is not kept" => is_left_out,
            "it has several names (hard links)" => attributes.is_some_and(|attributes| attributes.links > 1),
            "it is write-protected" => attributes.is_some_and(|attributes| attributes.mode & 0o222 == 0),
            "another file is in its place" => self.after.entries.contains_key(earlier_path),
            "there is a directory in its place"
            | "a link is on the way to it"
            | "a file is in the place of its directory" => self.after.is_taken(earlier_path) || has_changed,
            _ => is_left_out,
        };
        ensure!(is_true, "{:?} is refused: {why}", decided.file);
        Ok(())
    }

    /// Checks that an undo changed only a text that the person was shown, and kept that text as a draft.
    fn check_undo(&self, decided: &MarkedFile, answer: &UndoneFile) -> Result<()> {
        let name = &decided.path;
        let before = self.before.entries.get(name);
        ensure!(!self.is_left_out(name), "{} is left out, and was undone", shown(name));
        let is_shown = match (&decided.decision, before) {
            (Decision::Text { shown, .. }, Some(Entry::File { bytes, .. })) => shown.as_bytes() == bytes,
            (Decision::Text { .. }, _) => false,
            // A pipe counts as no file.
            (Decision::Whole, _) => {
                self.looked_at.entries.get(name).filter(|entry| **entry != Entry::Pipe) == before
            }
        };
        ensure!(is_shown, "{} has changed since it was shown, and was undone", shown(name));
        if let Some(Entry::File { bytes, .. }) = before {
            let draft = answer.draft.as_ref().and_then(|draft| std::fs::read(draft).ok());
            ensure!(draft.as_ref() == Some(bytes), "the text of before of {} is not kept", shown(name));
        }
        Ok(())
    }

    /// Whether no snapshot contains the file, now or at the baseline.
    fn is_left_out(&self, name: &Name) -> bool {
        let is_kept = Class::of(name) == Class::Kept;
        !is_kept || self.baseline.others.contains_key(name)
    }

    /// Checks that files keep their modes. An undo may change the execute bits.
    fn check_modes(&self, undone: &BTreeSet<&Name>) -> Result<()> {
        for (name, attributes) in &self.after.attributes {
            let Some(before) = self.before.attributes.get(name) else { continue };
            let kind_before = std::mem::discriminant(&self.before.entries[name]);
            if kind_before != std::mem::discriminant(&self.after.entries[name]) {
                continue;
            }
            let compared = if undone.contains(name) { !0o111 } else { !0 };
            ensure!(before.mode & compared == attributes.mode & compared, "{} has another mode", shown(name));
        }
        Ok(())
    }
}
