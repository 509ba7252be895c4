//! The reasons that the companion has not received. `R` alone sends the one for its review again, and when
//! the desk ends, all are saved as drafts.

use alongside_desk::{Review, ReviewId, messages};
use alongside_terminal::UnsavedText;

/// The unsent reasons, one for each review.
#[derive(Debug, Default)]
pub(super) struct UnsentReasons(Vec<(ReviewId, UnsavedText)>);

impl UnsentReasons {
    /// Stores the reason that the person has typed for a review, in place of an earlier one for it. An empty
    /// text removes it.
    pub(super) fn set(&mut self, review: &Review, text: &str) {
        self.0.retain(|unsent| !is_for(unsent, review));
        if !text.is_empty() {
            let (file, agent) = (review.file.clone(), messages::agent_name(&review.agent));
            self.0.push((review.id, UnsavedText { file, agent, text: text.to_owned(), replaces: None }));
        }
    }

    /// Returns the unsent reason for this review.
    pub(super) fn text_for(&self, review: &Review) -> Option<&str> {
        self.0.iter().find(|unsent| is_for(unsent, review)).map(|(_, unsaved)| &*unsaved.text)
    }

    /// Takes the reasons for all reviews.
    pub(super) fn take_all(&mut self) -> Vec<UnsavedText> {
        std::mem::take(&mut self.0).into_iter().map(|(_, unsaved)| unsaved).collect()
    }
}

/// Whether a reason is for this review. A companion that starts again counts its reviews anew, so another
/// file can have the number of an earlier review.
fn is_for((id, unsaved): &(ReviewId, UnsavedText), review: &Review) -> bool {
    *id == review.id && unsaved.file == review.file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_review_has_its_own_reason() {
        let review = |id, file: &str| Review { id: ReviewId(id), file: file.into(), ..Review::default() };
        let (a, b) = (review(1, "/a"), review(2, "/b"));
        let mut unsent = UnsentReasons::default();
        for (review, text) in [(&a, "too early"), (&b, "too long"), (&a, "too late")] {
            unsent.set(review, text);
        }
        assert_eq!((unsent.text_for(&a), unsent.text_for(&b)), (Some("too late"), Some("too long")));
        assert_eq!(unsent.text_for(&review(1, "/c")), None, "another companion counts anew");
        unsent.set(&a, "");
        unsent.set(&review(2, "/c"), "wrong");
        let texts: Vec<_> = unsent.take_all().into_iter().map(|unsaved| unsaved.text).collect();
        assert_eq!(texts, ["too long", "wrong"]);
        assert!(unsent.take_all().is_empty());
    }
}
