//! The reason that the companion has not received. `R` alone sends it again, and when the desk ends, it is
//! saved as a draft.

use alongside_desk::{Review, ReviewId, messages};
use alongside_terminal::UnsavedText;

/// The unsent reason, if there is one.
#[derive(Debug, Default)]
pub(super) struct UnsentReason(Option<(ReviewId, UnsavedText)>);

impl UnsentReason {
    /// Stores the reason that the person has typed for a review. An empty text removes it.
    pub(super) fn set(&mut self, review: &Review, text: &str) {
        let unsaved = || UnsavedText {
            file: review.file.clone(),
            agent: messages::agent_name(&review.agent),
            text: text.to_owned(),
            replaces: None,
        };
        self.0 = (!text.is_empty()).then(|| (review.id, unsaved()));
    }

    /// Returns the unsent reason for this review.
    pub(super) fn text_for(&self, id: ReviewId) -> Option<String> {
        let (_, unsaved) = self.0.as_ref().filter(|(of, _)| *of == id)?;
        Some(unsaved.text.clone())
    }

    /// Takes the reason, of any review.
    pub(super) fn take(&mut self) -> Option<UnsavedText> {
        self.0.take().map(|(_, unsaved)| unsaved)
    }
}
