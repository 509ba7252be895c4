//! The reasons that the companion has not received. `R` alone sends the one for its change again, and when
//! the desk ends, all are saved as drafts.

use alongside_desk::{Hunk, Lines, Review, ReviewId, messages};
use alongside_terminal::UnsavedText;

/// The unsent reasons: one for each change, and one for the decision on each review.
#[derive(Debug, Default)]
pub(super) struct UnsentReasons(Vec<UnsentReason>);

#[derive(Debug)]
struct UnsentReason {
    id: ReviewId,
    /// The lines of the change in the original and the proposal; `None` for the decision on the review.
    change: Option<(Lines, Lines)>,
    unsaved: UnsavedText,
}

impl UnsentReasons {
    /// Stores the reason that the person has typed for a change, or without one for the decision, in place of
    /// an earlier one for it. An empty text removes it.
    pub(super) fn set(&mut self, review: &Review, change: Option<&Hunk>, text: &str) {
        self.0.retain(|unsent| !unsent.is_for(review, change));
        if !text.is_empty() {
            let (file, agent) = (review.file.clone(), messages::agent_name(&review.agent));
            let unsaved = UnsavedText { file, agent, text: text.to_owned(), replaces: None };
            self.0.push(UnsentReason { id: review.id, change: change.map(lines_of), unsaved });
        }
    }

    /// Returns the unsent reason for this change, or without one for the decision.
    pub(super) fn text_for(&self, review: &Review, change: Option<&Hunk>) -> Option<&str> {
        self.0.iter().find(|unsent| unsent.is_for(review, change)).map(|unsent| &*unsent.unsaved.text)
    }

    /// Takes the reasons for all reviews.
    pub(super) fn take_all(&mut self) -> Vec<UnsavedText> {
        std::mem::take(&mut self.0).into_iter().map(|unsent| unsent.unsaved).collect()
    }
}

impl UnsentReason {
    /// Whether this reason is for this change of this review. A companion that starts again counts its
    /// reviews anew, so another file can have the number of an earlier review.
    fn is_for(&self, review: &Review, change: Option<&Hunk>) -> bool {
        self.id == review.id && self.unsaved.file == review.file && self.change == change.map(lines_of)
    }
}

fn lines_of(hunk: &Hunk) -> (Lines, Lines) {
    (hunk.original, hunk.proposed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_and_each_review_has_its_own_reason() {
        let review = |id, file: &str| Review { id: ReviewId(id), file: file.into(), ..Review::default() };
        let (a, b) = (review(1, "/a"), review(2, "/b"));
        let hunk = Hunk { original: (3..4).into(), ..Hunk::default() };
        let mut unsent = UnsentReasons::default();
        for (review, change, text) in [
            (&a, None, "too early"),
            (&b, None, "too long"),
            (&a, Some(&hunk), "too wide"),
            (&a, None, "too late"),
        ] {
            unsent.set(review, change, text);
        }
        assert_eq!(
            (unsent.text_for(&a, None), unsent.text_for(&b, None)),
            (Some("too late"), Some("too long"))
        );
        assert_eq!(unsent.text_for(&a, Some(&hunk)), Some("too wide"));
        assert_eq!(unsent.text_for(&a, Some(&Hunk::default())), None);
        assert_eq!(unsent.text_for(&review(1, "/c"), None), None, "another companion counts anew");
        unsent.set(&a, None, "");
        unsent.set(&review(2, "/c"), None, "wrong");
        let texts: Vec<_> = unsent.take_all().into_iter().map(|unsaved| unsaved.text).collect();
        assert_eq!(texts, ["too long", "too wide", "wrong"]);
        assert!(unsent.take_all().is_empty());
    }
}
