//! The reason that the person types for the agent's model: for one change, or for the whole proposal.

use alongside_desk::{HunkState, Lines, Reasons, Review, ReviewId, messages};

/// A reason as it is typed.
#[derive(Debug)]
pub(crate) struct ReasonInput {
    /// The review that it is about.
    pub(crate) id: ReviewId,
    /// The first line of its change in the original and in the proposal, if that is one of several: the
    /// change is found again when others come and go.
    change: Option<(usize, usize)>,
    /// Whether it is for the whole proposal nevertheless.
    for_all: bool,
    pub(crate) text: String,
    /// The reason that the review has.
    known: String,
}

/// The reason that changes, and what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReasonEdit {
    Removed,
    /// Undone: the one of before is back.
    Restored,
    /// For the decision on the whole proposal.
    OfAll,
    /// For a change that is dropped or edited already.
    OfChange,
    /// For a change that is kept so far.
    OfChangeToDrop {
        hunk: usize,
    },
}

impl ReasonInput {
    /// An input at a hunk. It begins with `unsent`, or with the reason that the review has.
    pub(crate) fn new(review: &Review, hunk: usize, unsent: Option<String>) -> Self {
        let hunk = review.hunks.get(hunk).filter(|_| review.hunks.len() > 1);
        let change = hunk.filter(|_| review.whole_file_only.is_none());
        let change = change.map(|hunk| (hunk.original.start, hunk.proposed.start));
        let (text, known) = (String::new(), String::new());
        let mut input = Self { id: review.id, change, for_all: false, text, known };
        input.begin(review);
        if let Some(unsent) = unsent {
            input.text = unsent;
        }
        input
    }

    fn begin(&mut self, review: &Review) {
        self.known = known(review, self.hunk(review)).map(messages::reason_in_one_line).unwrap_or_default();
        self.text.clone_from(&self.known);
    }

    /// Switches between the change and the whole proposal. The typed text stays.
    pub(crate) fn switch(&mut self, review: &Review) {
        if self.can_switch() {
            self.for_all = !self.for_all;
            if self.text == self.known {
                self.begin(review);
            }
        }
    }

    /// Whether there is a change to switch to.
    pub(crate) fn can_switch(&self) -> bool {
        self.change.is_some()
    }

    /// The hunk that the reason is for, as an index; none if it is for the whole proposal.
    pub(crate) fn hunk(&self, review: &Review) -> Option<usize> {
        let (original, proposed) = self.change.filter(|_| !self.for_all)?;
        let is_in =
            |line: usize, lines: Lines| line == lines.start || (lines.start..lines.end).contains(&line);
        review.hunks.iter().position(|hunk| is_in(original, hunk.original) && is_in(proposed, hunk.proposed))
    }

    /// The consequence of confirming it.
    pub(crate) fn edit(&self, review: &Review) -> ReasonEdit {
        let is_kept = |hunk: usize| review.hunks.get(hunk).is_some_and(|hunk| hunk.state == HunkState::Kept);
        match self.hunk(review) {
            _ if self.text.trim().is_empty() => ReasonEdit::Removed,
            Some(hunk) if is_kept(hunk) => ReasonEdit::OfChangeToDrop { hunk },
            Some(_) => ReasonEdit::OfChange,
            None => ReasonEdit::OfAll,
        }
    }

    /// The words before the text.
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

/// The words that say with which decision the agent's model reads a reason, where that is not both.
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
        assert_eq!(input.prompt(&review), "Why? (the whole proposal) ", "its change is gone");
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
