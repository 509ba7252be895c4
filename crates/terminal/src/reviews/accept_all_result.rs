//! The sentence about the reviews that were accepted together last: the number of accepted reviews, and the
//! number of their files that hold the accepted text, as far as the companion has reported.

use alongside_desk::LastWord;
use alongside_desk::review_model::{AcceptedTogether, Message, Subject};

use super::pending_edit::PendingEdit;

/// The result of the last acceptance of several reviews.
#[derive(Debug, Default)]
pub(crate) struct AcceptAllResult(AcceptedTogether);

impl AcceptAllResult {
    /// Stores the end of the acceptances, and returns the sentence.
    pub(crate) fn end(&mut self, end: AcceptedTogether) -> Message {
        self.0 = end;
        self.message()
    }

    fn message(&self) -> Message {
        let text = self.0.text();
        let message = if self.0.has_failures() { Message::warning(text) } else { Message::notice(text) };
        message.about(Subject::Together)
    }

    /// Handles the last word of a decided review, and returns its message. `None` if the acceptances are
    /// still under way, because their sentence will count it.
    pub(crate) fn take_last_word(&mut self, word: LastWord, pending: &mut PendingEdit) -> Option<Message> {
        if let PendingEdit::Acceptances(acceptances) = pending
            && acceptances.take_last_word(&word)
        {
            return None;
        }
        match self.0.take_last_word(&word) {
            true => Some(self.message()),
            false => Some(Message::last_word(word)),
        }
    }
}
