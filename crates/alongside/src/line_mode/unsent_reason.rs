//! The reason that the companion has not taken: `R` alone sends it again, and when the desk ends it goes to
//! the drafts.

use alongside_desk::{Review, ReviewId, messages};
use alongside_terminal::UnsavedText;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct UnsentReason(Option<(ReviewId, UnsavedText)>);

impl UnsentReason {
    /// Keeps the reason that the person has typed for a review; an empty text removes it.
    pub(super) fn note(&mut self, review: &Review, text: &str) {
        let unsaved = || UnsavedText {
            file: review.file.clone(),
            agent: messages::agent_name(&review.agent),
            text: text.to_owned(),
            replaces: None,
        };
        self.0 = (!text.is_empty()).then(|| (review.id, unsaved()));
    }

    /// The reason for this review.
    pub(super) fn text_for(&self, id: ReviewId) -> Option<String> {
        let (_, unsaved) = self.0.as_ref().filter(|(of, _)| *of == id)?;
        Some(unsaved.text.clone())
    }

    /// Takes the reason, whatever review it is for.
    pub(super) fn take(&mut self) -> Option<UnsavedText> {
        self.0.take().map(|(_, unsaved)| unsaved)
    }
}
