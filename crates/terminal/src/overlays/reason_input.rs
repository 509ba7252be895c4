//! The input of a reason for the agent's model: for one change, or for the whole proposal.

use alongside_desk::{HunkState, Lines, Reasons, Review, ReviewId, messages};

/// A reason while the person types it.
#[derive(Debug)]
pub(crate) struct ReasonInput {
    /// The review that the reason is about.
    pub(crate) id: ReviewId,
    /// The first line of the change in the original and in the proposal, if the review has several changes.
    /// By these lines the change is found again after others were split or joined.
    change: Option<(usize, usize)>,
    /// Whether the person has switched from the change to the whole proposal.
    for_all: bool,
    pub(crate) text: String,
    /// The reason that the review has.
    known: String,
}

/// An edit of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReasonEdit {
    /// The reason is removed.
    Removed,
    /// The last edit is undone, and the previous reason is set again.
    Restored,
    /// A reason for the decision on the whole proposal is set.
    OfAll,
    /// A reason for a change that is already dropped or edited is set.
    OfChange,
    /// A reason for a change that is still kept is set; the change is dropped next.
    OfChangeToDrop { hunk: usize },
}

impl ReasonInput {
    /// Creates an input at a hunk. Its text is `unsent`, or else the reason that the review has.
    pub(crate) fn new(review: &Review, hunk: usize, unsent: Option<String>) -> Self {
        let hunk = review.hunks.get(hunk).filter(|_| review.hunks.len() > 1);
        let change = hunk.filter(|_| review.whole_file_only.is_none());
        let change = change.map(|hunk| (hunk.original.start, hunk.proposed.start));
        let (text, known) = (String::new(), String::new());
        let mut input = Self { id: review.id, change, for_all: false, text, known };
        input.reset_text(review);
        if let Some(unsent) = unsent {
            input.text = unsent;
        }
        input
    }

    /// Sets the text to the reason that the review has.
    fn reset_text(&mut self, review: &Review) {
        self.known = known(review, self.hunk(review)).map(messages::reason_in_one_line).unwrap_or_default();
        self.text.clone_from(&self.known);
    }

    /// Switches between the change and the whole proposal. The typed text stays.
    pub(crate) fn switch(&mut self, review: &Review) {
        if self.can_switch() {
            self.for_all = !self.for_all;
            if self.text == self.known {
                self.reset_text(review);
            }
        }
    }

    /// Whether the reason can be for a single change.
    pub(crate) fn can_switch(&self) -> bool {
        self.change.is_some()
    }

    /// The hunk that the reason is for, as an index; `None` if the reason is for the whole proposal.
    pub(crate) fn hunk(&self, review: &Review) -> Option<usize> {
        let (original, proposed) = self.change.filter(|_| !self.for_all)?;
        let is_in =
            |line: usize, lines: Lines| line == lines.start || (lines.start..lines.end).contains(&line);
        review.hunks.iter().position(|hunk| is_in(original, hunk.original) && is_in(proposed, hunk.proposed))
    }

    /// The edit that Enter makes.
    pub(crate) fn edit(&self, review: &Review) -> ReasonEdit {
        let is_kept = |hunk: usize| review.hunks.get(hunk).is_some_and(|hunk| hunk.state == HunkState::Kept);
        match self.hunk(review) {
            _ if self.text.trim().is_empty() => ReasonEdit::Removed,
            Some(hunk) if is_kept(hunk) => ReasonEdit::OfChangeToDrop { hunk },
            Some(_) => ReasonEdit::OfChange,
            None => ReasonEdit::OfAll,
        }
    }

    /// The typed text; `None` if it is empty, or the reason that the review has.
    pub(crate) fn typed(self) -> Option<String> {
        (!self.text.trim().is_empty() && self.text != self.known).then_some(self.text)
    }

    /// The prompt before the text.
    pub(crate) fn prompt(&self, review: &Review) -> String {
        match self.hunk(review) {
            Some(hunk) => format!("Why not change {} of {}? ", hunk + 1, review.hunks.len()),
            None => "Why? (the whole proposal) ".into(),
        }
    }
}

/// The reason that a review has for a hunk, or for the decision on all of it.
pub(crate) fn known(review: &Review, hunk: Option<usize>) -> Option<&str> {
    match hunk {
        Some(hunk) => review.hunks.get(hunk)?.reason.as_deref(),
        None => review.reason.as_deref(),
    }
}

/// The hint that the agent's model reads a reason only with a rejection; `None` if it reads both kinds.
pub(crate) fn hint(review: &Review) -> Option<&'static str> {
    (review.reasons == Reasons::WithRejection).then_some("(read only if you reject)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted_companion::{agent, differs, review, same};

    fn two_changes() -> Review {
        let pieces = [same("a\n"), differs("b\n", "B\n"), same("c\n"), differs("d\n", "D\n")];
        review(1, &agent(1, "Gemini CLI", "1", 0), "/p/a", &pieces)
    }

    #[test]
    fn a_reason_stays_with_its_change_when_others_go() {
        let mut review = two_changes();
        let input = ReasonInput::new(&review, 1, None);
        assert_eq!(input.prompt(&review), "Why not change 2 of 2? ");
        review.hunks.remove(0);
        assert_eq!(input.hunk(&review), Some(0));
        review.hunks.clear();
        assert_eq!(input.prompt(&review), "Why? (the whole proposal) ", "the change is gone");
    }

    #[test]
    fn switching_brings_the_other_reason_and_keeps_typed_text() {
        let mut review = two_changes();
        review.reason = Some("all".into());
        review.hunks[0].reason = Some("one\ntwo".into());
        let mut input = ReasonInput::new(&review, 0, None);
        assert_eq!(input.text, "one; two");
        input.switch(&review);
        assert_eq!(input.text, "all");
        input.text.push('!');
        input.switch(&review);
        assert_eq!((input.text.as_str(), input.hunk(&review)), ("all!", Some(0)));
    }

    #[test]
    fn one_change_or_a_whole_file_has_one_reason() {
        let mut review = two_changes();
        review.whole_file_only = Some("it is no text".into());
        let mut input = ReasonInput::new(&review, 0, None);
        input.switch(&review);
        assert_eq!(input.hunk(&review), None);
        assert!(!input.can_switch());
        review.whole_file_only = None;
        review.hunks.truncate(1);
        assert!(!ReasonInput::new(&review, 0, None).can_switch());
    }
}
