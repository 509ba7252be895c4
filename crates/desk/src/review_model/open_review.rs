//! One review that waits at a desk: the place of the person in it, their steps, and the changes of others.

use std::path::PathBuf;

use crate::review::packed_texts::PackedTexts;
use crate::review::{Changed, Hunk, OutOfStep, Review, ReviewId};
use crate::review_model::message::{Message, Subject};

/// A review, with the current hunk of the person and the edits made at this desk.
#[derive(Debug)]
pub struct OpenReview {
    review: Review,
    hunk: usize,
    own_revision: u64,
    /// The steps that undo reverts, the last one last.
    done: Vec<UndoStep>,
    /// The steps that redo repeats, the last one last.
    undone: Vec<UndoStep>,
    /// A text of the person that the companion refused, because the review had changed.
    pub refused: Option<RefusedText>,
}

/// A text that the person typed, and that the companion refused. The person's editor can open it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedText {
    /// The text.
    pub text: String,
    /// The file that also holds it, until the companion takes the text.
    pub kept: Option<PathBuf>,
}

/// A step of the person in a review, to whose place undo and redo go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoStep {
    /// The hunk, as an index.
    pub hunk: usize,
    /// Whether the step changed the review. Keeping a kept hunk does not.
    pub changed: bool,
}

/// The differences of a new revision that the person may not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewNews {
    /// The review.
    pub id: ReviewId,
    /// The new revision.
    pub revision: u64,
    /// Whether the text or the hunks differ.
    pub content_changed: bool,
    /// Whether the file has changed on disk.
    pub became_stale: bool,
    /// Whether an editor now holds unsaved changes to the file.
    pub became_dirty: bool,
}

impl OpenReview {
    /// Returns a review that has just arrived, with the person at its first hunk.
    pub fn new(review: Review) -> Self {
        let own_revision = review.revision;
        Self { hunk: 0, own_revision, done: Vec::new(), undone: Vec::new(), refused: None, review }
    }

    /// Returns the newest revision of the review.
    pub fn review(&self) -> &Review {
        &self.review
    }

    /// Takes the texts out of the review, packed, until they are [put back](Self::restore_texts); `None` if
    /// they cannot be packed.
    pub fn take_texts(&mut self) -> Option<PackedTexts> {
        let texts = PackedTexts::of(&self.review)?;
        self.review = self.review.without_texts();
        Some(texts)
    }

    /// Puts the texts back, before anything else happens to the review.
    pub fn restore_texts(&mut self, texts: PackedTexts) {
        texts.restore(&mut self.review);
    }

    /// Returns the current hunk, as an index; the number of hunks stands for the end.
    pub fn hunk(&self) -> usize {
        self.hunk
    }

    /// Moves the person to another hunk, or to the end if there is no such hunk.
    pub fn look_at(&mut self, hunk: usize) {
        self.hunk = hunk.min(self.review.hunks.len());
    }

    /// Returns the newest revision that this desk made.
    pub fn own_revision(&self) -> u64 {
        self.own_revision
    }

    /// Records that this desk made a revision, so that the person knows it.
    pub fn mark_own(&mut self, revision: u64) {
        self.own_revision = self.own_revision.max(revision);
    }

    /// Records a step of the person. Undone steps cannot be redone after that.
    pub fn push_step(&mut self, hunk: usize, changed: bool) {
        self.done.push(UndoStep { hunk, changed });
        self.undone.clear();
    }

    /// Returns the step that undo reverts.
    pub fn last_step(&self) -> Option<UndoStep> {
        self.done.last().copied()
    }

    /// Returns the step that redo repeats.
    pub fn last_undone(&self) -> Option<UndoStep> {
        self.undone.last().copied()
    }

    /// Records that the last step was undone, and returns that step.
    pub fn mark_undone(&mut self) -> Option<UndoStep> {
        let step = self.done.pop();
        self.undone.extend(step);
        step
    }

    /// Records that the last undone step was redone, and returns that step.
    pub fn mark_redone(&mut self) -> Option<UndoStep> {
        let step = self.undone.pop();
        self.done.extend(step);
        step
    }

    /// Forgets the undone steps: the review has changed since, so the companion cannot redo them.
    pub fn forget_undone(&mut self) {
        self.undone.clear();
    }

    /// Takes a new revision. The person stays at their hunk.
    ///
    /// # Errors
    /// As [`Review::take`]. The review is then unchanged.
    pub fn take(&mut self, changed: Changed) -> Result<ReviewNews, OutOfStep> {
        let (text, was_stale, was_dirty) =
            (self.review.current.clone(), self.review.stale, self.review.dirty);
        let hunks = std::mem::take(&mut self.review.hunks);
        if let Err(out_of_step) = self.review.take(changed) {
            self.review.hunks = hunks;
            return Err(out_of_step);
        }
        let now = &self.review;
        self.hunk = same_place(&hunks, self.hunk, &now.hunks);
        let state = |hunk: &Hunk| (hunk.original, hunk.state);
        let same_states = hunks.iter().map(state).eq(now.hunks.iter().map(state));
        Ok(ReviewNews {
            id: now.id,
            revision: now.revision,
            content_changed: !same_states || text != now.current,
            became_stale: now.stale && !was_stale,
            became_dirty: now.dirty && !was_dirty,
        })
    }

    /// Whether another desk changed the text or the hunks.
    pub fn is_foreign(&self, news: ReviewNews) -> bool {
        news.content_changed && news.revision > self.own_revision
    }
}

impl ReviewNews {
    /// Returns the messages for the person. `name`: the name of the file. `foreign`: another desk has changed
    /// the content.
    pub fn messages(self, name: &str, foreign: bool) -> Vec<Message> {
        let changed = format!("{name}: changed at another desk; this is how it stands now.");
        let stale = format!("{name}: the file changed on disk; accepting undoes that change.");
        let dirty = format!("{name}: an editor now holds unsaved changes to the file.");
        let all = [
            (foreign, Message::warning(changed).about(Subject::Review(self.id))),
            (self.became_stale, Message::warning(stale).about(Subject::Stale(self.id))),
            (self.became_dirty, Message::warning(dirty).about(Subject::Dirty(self.id))),
        ];
        all.into_iter().filter_map(|(is_news, message)| is_news.then_some(message)).collect()
    }
}

/// Returns the hunk to look at after hunks came, went or merged, so that the person misses none: the first
/// one that reaches into or lies behind the old place. The end stays the end.
fn same_place(old: &[Hunk], place: usize, new: &[Hunk]) -> usize {
    let Some(read) = old.get(place) else { return new.len() };
    let (original, proposed) = (read.original.start, read.proposed.start);
    let not_before = |hunk: &Hunk| {
        hunk.original.end > original
            || hunk.proposed.end > proposed
            || hunk.original.start >= original && hunk.proposed.start >= proposed
    };
    new.iter().position(not_before).unwrap_or(new.len())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::status::Agent;

    /// Returns a review of `/p/src/a.rs` that changes line 2 of three.
    pub(crate) fn review() -> Review {
        Review {
            id: ReviewId(1),
            agent: Agent { name: "Gemini CLI".into(), ..Agent::default() },
            file: "/p/src/a.rs".into(),
            original: Some("1\n2\n3\n".into()),
            proposed: "1\ntwo\n3\n".into(),
            current: "1\ntwo\n3\n".into(),
            revision: 1,
            hunks: vec![hunk(1..2, 1..2)],
            ..Review::default()
        }
    }

    fn changed(from: u64, text: Option<&str>, stale: bool) -> Changed {
        let changes = text.map(|text| crate::text::Change { range: None, text: text.into() });
        let changes = changes.into_iter().collect();
        let hunks = vec![hunk(1..2, 1..2)];
        Changed { id: ReviewId(1), from, revision: from + 1, changes, hunks, stale, ..Changed::default() }
    }

    #[test]
    fn an_own_revision_is_no_news() {
        let mut open = OpenReview::new(review());
        open.mark_own(2);
        let news = open.take(changed(1, Some("1\nmine\n3\n"), false)).unwrap();
        assert!(news.content_changed && !open.is_foreign(news));
        let news = open.take(changed(2, Some("1\ntheirs\n3\n"), true)).unwrap();
        assert!(open.is_foreign(news) && news.became_stale);
        let said: Vec<_> = news.messages("a.rs", true).into_iter().map(|message| message.text).collect();
        assert_eq!(said[0], "a.rs: changed at another desk; this is how it stands now.");
        assert_eq!(said[1..], ["a.rs: the file changed on disk; accepting undoes that change."]);
    }

    #[test]
    fn a_change_out_of_step_changes_nothing() {
        let mut open = OpenReview::new(review());
        assert_eq!(open.take(changed(7, Some("x"), false)), Err(OutOfStep));
        assert_eq!(*open.review(), review());
    }

    #[test]
    fn texts_that_were_taken_out_come_back() {
        let mut open = OpenReview::new(review());
        assert_eq!(open.review().texts()[1].len(), 3, "the lines are known");
        let proposed = std::sync::Arc::downgrade(&open.review().proposed);
        let texts = open.take_texts().unwrap();
        assert_eq!(proposed.strong_count(), 0, "nothing holds the text");
        open.restore_texts(texts);
        assert_eq!(*open.review(), review());
        let mut new = OpenReview::new(Review { original: None, ..review() });
        assert_eq!(new.take_texts(), None);
        assert_eq!(&*new.review().proposed, "1\ntwo\n3\n");
    }

    #[test]
    fn undo_and_redo_go_step_by_step() {
        let mut open = OpenReview::new(review());
        open.push_step(0, true);
        open.push_step(1, false);
        let (first, second) = (UndoStep { hunk: 0, changed: true }, UndoStep { hunk: 1, changed: false });
        assert_eq!((open.mark_undone(), open.mark_undone()), (Some(second), Some(first)));
        assert_eq!(open.mark_undone(), None);
        assert_eq!((open.mark_redone(), open.last_undone()), (Some(first), Some(second)));
        assert_eq!(open.last_step(), Some(first));
        open.push_step(2, true);
        assert_eq!(open.mark_redone(), None, "a new step leaves nothing to redo");
    }

    fn hunk(original: std::ops::Range<usize>, proposed: std::ops::Range<usize>) -> Hunk {
        let proposed = proposed.into();
        Hunk { original: original.into(), proposed, current: proposed, ..Hunk::default() }
    }

    #[test]
    fn no_hunk_is_missed_when_others_come_go_or_merge() {
        let (one, two, three) = (hunk(1..2, 1..2), hunk(5..5, 5..7), hunk(8..9, 10..10));
        let old = [one.clone(), two.clone(), three.clone()];
        assert_eq!(same_place(&old, 1, &old), 1);
        // An earlier hunk is gone, or has come.
        assert_eq!(same_place(&old, 1, &[two.clone(), three.clone()]), 0);
        assert_eq!(same_place(&old, 1, &[hunk(0..1, 0..1), one.clone(), two.clone(), three.clone()]), 2);
        // The hunk itself is gone: the next one takes its place.
        assert_eq!(same_place(&old, 1, &[one.clone(), three.clone()]), 1);
        assert_eq!(same_place(&old, 2, &[one.clone(), two.clone()]), 2);
        // The hunk is part of a bigger one now.
        assert_eq!(same_place(&old, 1, &[hunk(1..5, 1..7), three.clone()]), 0);
        // The hunk was split; the part right before it is another hunk.
        let parts = [hunk(1..2, 1..2), hunk(2..3, 2..3)];
        assert_eq!(same_place(&[hunk(1..3, 1..3)], 0, &parts), 0);
        assert_eq!(same_place(&parts, 1, &parts), 1);
        // The end stays the end.
        assert_eq!(same_place(&old, 3, &[one]), 1);
    }
}
