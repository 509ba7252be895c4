//! Undo and redo in line mode: each says that it was done, and shows the change that is another one now.

use alongside_desk::review_model::{OpenReview, UndoStep};
use alongside_desk::{Hunk, Request, Review, ReviewId, Text, messages};

use super::desk::LineDesk;

impl LineDesk {
    pub(super) async fn undo(&mut self, id: ReviewId) {
        let Some(open) = self.open_mut(id) else { return };
        let (step, before) = (open.last_step(), open.review().clone());
        if !changes_nothing(step) {
            let request = Request::UndoReview { id, revision: before.revision };
            if self.ask(id, request).await.is_none() {
                return;
            }
        }
        self.open_mut(id).and_then(OpenReview::mark_undone);
        self.show_changed(id, step, &before, messages::UNDONE);
    }

    pub(super) async fn redo(&mut self, id: ReviewId) {
        let Some(open) = self.open_mut(id) else { return };
        let (step, before) = (open.last_undone(), open.review().clone());
        if !changes_nothing(step) {
            let request = Request::RedoReview { id, revision: before.revision };
            if self.ask(id, request).await.is_none() {
                self.open_mut(id).map(OpenReview::forget_undone);
                return;
            }
        }
        self.open_mut(id).and_then(OpenReview::mark_redone);
        self.show_changed(id, step, &before, messages::REDONE);
    }

    /// Goes to the hunk that differs from `before`; without one, to that of the step.
    fn show_changed(&mut self, id: ReviewId, step: Option<UndoStep>, before: &Review, said: &str) {
        let Some(now) = self.review(id) else { return };
        let hunk = first_difference(before, now).or(step.map(|step| step.hunk));
        self.printer.say(said);
        self.look_at(hunk.unwrap_or(0));
    }
}

/// A step of this desk that the companion does not know of: keeping a kept hunk.
fn changes_nothing(step: Option<UndoStep>) -> bool {
    step.is_some_and(|step| !step.changed)
}

/// The first hunk of `now` that is not in `before`. A step may come from another desk, and an edit of the
/// whole text may be anywhere.
fn first_difference(before: &Review, now: &Review) -> Option<usize> {
    let (old, new) = (Text::new(before.current.clone()), Text::new(now.current.clone()));
    fn content<'a>(hunk: &Hunk, text: &'a Text) -> impl PartialEq + use<'a> {
        let lines = hunk.current.start..hunk.current.end;
        (hunk.original, hunk.proposed, hunk.state, text.lines(lines))
    }
    let is_same = |(a, b): (&Hunk, &Hunk)| content(a, &old) == content(b, &new);
    let same = before.hunks.iter().zip(&now.hunks).take_while(|pair| is_same(*pair)).count();
    let differs = same < before.hunks.len().max(now.hunks.len());
    differs.then(|| same.min(now.hunks.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use alongside_desk::{HunkState, Lines};

    use super::*;

    /// Three hunks, each of one line.
    fn review(states: [HunkState; 3]) -> Review {
        let hunk = |(at, state): (usize, HunkState)| {
            let lines = Lines { start: at, end: at + 1 };
            Hunk {
                original: lines,
                proposed: lines,
                current: lines,
                state,
                words: None,
                limit: None,
                reason: None,
            }
        };
        let hunks = states.into_iter().enumerate().map(hunk).collect();
        Review { current: "1\n2\n3\n".into(), hunks, ..Review::default() }
    }

    #[test]
    fn the_hunk_that_changed_is_found() {
        use HunkState::{Dropped, Edited, Kept};
        let before = review([Kept, Kept, Kept]);
        assert_eq!(first_difference(&before, &before), None);
        assert_eq!(first_difference(&before, &review([Kept, Kept, Dropped])), Some(2));
        assert_eq!(first_difference(&before, &review([Kept, Edited, Dropped])), Some(1));
        let edited = Review { current: "1\ntwo\n3\n".into(), ..before.clone() };
        assert_eq!(first_difference(&before, &edited), Some(1), "the text of an edited hunk");
        let fewer = Review { hunks: before.hunks[..2].to_vec(), ..before.clone() };
        assert_eq!(first_difference(&before, &fewer), Some(1), "the last one that is left");
        assert_eq!(first_difference(&fewer, &before), Some(2));
    }
}
