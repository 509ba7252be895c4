//! A file of a turn review as desks work on it: the marks for its undo, its texts while they are needed, and
//! the desks that have it open.

use std::collections::BTreeSet;
use std::path::Path;

use alongside_desk::{
    Changed, FileChange, HunkState, Lines, Marked, Refusal, Review, ReviewId, Text, TurnFile,
};

use super::file_texts::{KnownTexts, Stretches};
use super::source::{ChangeBack, HunkBack, UndoTo, WholeBack};
use crate::ids::DeskId;
use crate::reviews::reviewed_text::{Edit, ReviewedText};

/// A file with marks, or that a desk has open.
#[derive(Debug, Default)]
pub(super) struct MarkedFile {
    /// Whether the file is marked as a whole, with the changes that no hunk shows, such as its name.
    is_marked_whole: bool,
    /// The texts, if they are known. A dropped hunk in them is a mark.
    text: Option<ReviewedText>,
    stretches: Stretches,
    /// Whether a later look has found another content than that of the texts.
    is_outdated: bool,
    /// Whether the file was removed or restored: its hunks are then different, even if the texts are equal.
    is_replaced: bool,
    desks: BTreeSet<DeskId>,
}

/// A hunk, by its lines in the baseline and its texts. A mark stays on a hunk for which these are equal.
#[derive(Debug, PartialEq, Eq)]
struct HunkTexts {
    lines: Lines,
    original: String,
    proposed: String,
}

impl MarkedFile {
    /// Returns how much of the file is marked. `change` is the kind of its change: hunks are the whole change
    /// of a file, unless the file was renamed.
    pub(super) fn marked(&self, change: FileChange) -> Marked {
        let (dropped, all) = self.text.as_ref().map(count_dropped).unwrap_or_default();
        match dropped {
            _ if self.is_marked_whole => Marked::Whole,
            0 => Marked::Nothing,
            _ if dropped == all && change != FileChange::Renamed => Marked::Whole,
            _ => Marked::Hunks(dropped),
        }
    }

    /// Whether the file has no mark and no desk has it open, so that it need not be kept.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_marked_whole && self.text.is_none() && self.desks.is_empty()
    }

    /// Whether the texts have to be read, because a desk has the file open.
    pub(super) fn lacks_text(&self) -> bool {
        self.text.is_none() && !self.desks.is_empty()
    }

    pub(super) fn has_text(&self) -> bool {
        self.text.is_some()
    }

    pub(super) fn is_of(&self, id: ReviewId) -> bool {
        self.text.as_ref().is_some_and(|text| text.id() == id)
    }

    /// Returns the desks that have the file open.
    pub(super) fn desks(&self) -> &BTreeSet<DeskId> {
        &self.desks
    }

    pub(super) fn open_for(&mut self, desks: impl IntoIterator<Item = DeskId>) {
        self.desks.extend(desks);
    }

    pub(super) fn leave(&mut self, desk: DeskId) {
        if self.desks.remove(&desk) {
            self.free_unused();
        }
    }

    /// Drops the texts if no desk has them open and nothing in them is marked.
    pub(super) fn free_unused(&mut self) {
        if self.desks.is_empty() && self.marks() == 0 {
            self.text = None;
        }
    }

    pub(super) fn known_texts(&self) -> Option<KnownTexts> {
        let review = self.text.as_ref().filter(|_| !self.is_replaced)?.review();
        Some((review.original, review.proposed))
    }

    pub(super) fn stretches(&self) -> Stretches {
        self.stretches.clone()
    }

    pub(super) fn review(&self) -> Option<Review> {
        self.text.as_ref().map(ReviewedText::review)
    }

    /// Records that a look has found another content. Returns the number of lost marks. Marks in open texts
    /// are not lost: they stay on hunks that are unchanged once the texts are read again. `is_replaced`: the
    /// file was removed or restored.
    pub(super) fn mark_outdated(&mut self, is_replaced: bool) -> usize {
        self.is_outdated = self.text.is_some();
        self.is_replaced |= self.is_outdated && is_replaced;
        if self.is_outdated { 0 } else { usize::from(std::mem::take(&mut self.is_marked_whole)) }
    }

    /// Records that the texts were read again and are unchanged. Returns whether their stretches have
    /// changed.
    pub(super) fn confirm_text(&mut self, stretches: Stretches) -> bool {
        self.is_outdated = false;
        std::mem::replace(&mut self.stretches, stretches.clone()) != stretches
    }

    /// Takes the texts that were read. Marks stay on hunks that are unchanged. Returns the number of lost
    /// marks.
    pub(super) fn set_text(&mut self, mut text: ReviewedText, stretches: Stretches) -> usize {
        self.stretches = stretches;
        let hunks = hunks(&text.review());
        let (before, kept): (usize, Vec<usize>) = match &self.text {
            None if self.is_marked_whole => (0, (0..hunks.len()).collect()),
            None => (0, Vec::new()),
            Some(old) => {
                let marked: Vec<_> = self::hunks(&old.review())
                    .into_iter()
                    .filter(|(state, _)| *state == HunkState::Dropped)
                    .map(|(_, hunk)| hunk)
                    .collect();
                let is_same = |at: &usize| marked.contains(&hunks[*at].1);
                (self.marks(), (0..hunks.len()).filter(is_same).collect())
            }
        };
        self.is_marked_whole &= kept.len() == hunks.len() && (self.text.is_none() || !hunks.is_empty());
        let lost = before.saturating_sub(kept.len());
        if !kept.is_empty() {
            let revision = text.review().revision;
            // This cannot fail: the hunks and the revision are those of the text itself.
            let _ = text.edit(revision, Edit::Keep { hunks: kept, keep: false });
            // No desk has this text yet, so no desk needs the change.
            let _ = text.take_changes();
        }
        self.text = Some(text);
        (self.is_outdated, self.is_replaced) = (false, false);
        lost
    }

    /// Closes the file because its texts cannot be read. A mark of the whole file stays, because it needs no
    /// text. Returns the number of lost marks.
    pub(super) fn close_text(&mut self) -> usize {
        if self.is_marked_whole && self.text.is_none() {
            self.desks.clear();
            return 0;
        }
        self.close()
    }

    /// Closes the file because it does not differ any more. Returns the number of lost marks.
    pub(super) fn close(&mut self) -> usize {
        let lost = self.marks();
        *self = Self::default();
        lost
    }

    /// Removes the marks, whose changes are undone. The texts are then read again for the desks that have the
    /// file open.
    pub(super) fn forget_marks(&mut self) {
        self.is_marked_whole = false;
        self.text = None;
        (self.is_outdated, self.is_replaced) = (false, false);
    }

    /// Marks the whole file, or removes all of its marks. Returns the change of its open text.
    pub(super) fn mark_whole(&mut self, undo: bool) -> Result<Option<Changed>, Refusal> {
        self.is_marked_whole = undo;
        let Some(text) = &mut self.text else { return Ok(None) };
        let review = text.review();
        let other_state = if undo { HunkState::Kept } else { HunkState::Dropped };
        let hunks: Vec<_> =
            (0..review.hunks.len()).filter(|at| review.hunks[*at].state == other_state).collect();
        if hunks.is_empty() {
            return Ok(None);
        }
        text.edit(review.revision, Edit::Keep { hunks, keep: !undo })?;
        Ok(Some(text.take_changes()))
    }

    /// Carries out an edit of the open text that was made on this revision, and that only marks.
    pub(super) fn edit(&mut self, revision: u64, edit: Edit, change: FileChange) -> Result<Changed, Refusal> {
        let text = self.text.as_mut().ok_or(Refusal::NoSuchReview)?;
        if matches!(edit, Edit::Split { .. }) && change == FileChange::Deleted {
            // A part of a deleted file cannot be restored, because no file has the other parts.
            return Err(Refusal::CannotSplit);
        }
        text.edit(revision, edit)?;
        let (dropped, all) = count_dropped(text);
        self.is_marked_whole &= dropped == all;
        Ok(text.take_changes())
    }

    /// Records whether an editor holds unsaved changes of the file. Returns the change of its open text.
    pub(super) fn set_dirty(&mut self, is_dirty: impl Fn(&str, &Path) -> bool) -> Option<Changed> {
        let text = self.text.as_mut()?;
        let dirty = text.is_dirty(is_dirty);
        text.set_dirty(dirty).then(|| text.take_changes())
    }

    /// Returns the undo of the marked changes, or the reason why they cannot be undone; `None` without a
    /// mark.
    pub(super) fn undo(&self, change: FileChange) -> Option<Result<UndoTo, String>> {
        let marked = self.marked(change);
        match (&self.text, marked) {
            (_, Marked::Nothing) => None,
            _ if self.is_outdated => Some(Err("it has changed since it was opened".to_owned())),
            (Some(text), Marked::Hunks(_)) => {
                let Review { proposed, current, .. } = text.review();
                let (shown, wanted) = (proposed.as_bytes().to_vec(), current.as_bytes().to_vec());
                Some(Ok(UndoTo::Text { shown, wanted }))
            }
            (_, Marked::Whole | Marked::Hunks(_)) => Some(Ok(UndoTo::Baseline)),
        }
    }

    /// Returns the marked change for the message to the agent: the marked hunks, or no hunks if hunks do not
    /// show the whole marked change or if the texts are unknown.
    pub(super) fn change_back(&self, file: &TurnFile) -> ChangeBack {
        let mut back = ChangeBack { path: file.path.clone(), ..ChangeBack::default() };
        let is_whole = self.marked(file.change) == Marked::Whole;
        if is_whole {
            back.whole = WholeBack::of(file);
        }
        let is_in_hunks = !is_whole || file.change == FileChange::Modified;
        if let Some(text) = self.text.as_ref().filter(|_| is_in_hunks) {
            let review = text.review();
            let proposed = review.hunks.iter().map(|hunk| hunk.proposed.start + 1);
            let marked = hunks(&review).into_iter().zip(proposed);
            let marked = marked.filter(|((state, _), _)| *state == HunkState::Dropped);
            back.hunks.extend(marked.map(|((_, hunk), line)| HunkBack {
                line,
                changed: hunk.proposed,
                before: hunk.original,
            }));
        }
        back
    }

    /// Returns the number of marks. The mark of the whole file without hunks counts as one.
    fn marks(&self) -> usize {
        let dropped = self.text.as_ref().map_or(0, |text| count_dropped(text).0);
        dropped.max(usize::from(self.is_marked_whole))
    }
}

/// Returns the number of marked hunks, and the number of all hunks.
fn count_dropped(text: &ReviewedText) -> (usize, usize) {
    let hunks = text.review().hunks;
    (hunks.iter().filter(|hunk| hunk.state == HunkState::Dropped).count(), hunks.len())
}

fn hunks(review: &Review) -> Vec<(HunkState, HunkTexts)> {
    let original = Text::new(review.original.clone().unwrap_or_default());
    let proposed = Text::new(review.proposed.clone());
    let piece = |text: &Text, lines: Lines| text.lines(lines.start..lines.end).to_owned();
    let texts = review.hunks.iter().map(|hunk| {
        let lines = hunk.original;
        let (original, proposed) = (piece(&original, lines), piece(&proposed, hunk.proposed));
        (hunk.state, HunkTexts { lines, original, proposed })
    });
    texts.collect()
}
