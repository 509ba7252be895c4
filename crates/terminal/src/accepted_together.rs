//! The reviews that were accepted together last, in one sentence: how many were, and how many of their files
//! hold what was accepted, as far as the companion has told.

use alongside_desk::LastWord;
use alongside_desk::review_model::{AcceptedTogether, Message, Subject};

use crate::pending_edit::PendingEdit;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Together(AcceptedTogether);

impl Together {
    /// All of them are decided. Returns the sentence.
    pub(crate) fn end(&mut self, end: AcceptedTogether) -> Message {
        self.0 = end;
        self.message()
    }

    fn message(&self) -> Message {
        let text = self.0.text();
        let message = if self.0.has_failures() { Message::warning(text) } else { Message::notice(text) };
        message.about(Subject::Together)
    }

    /// Takes what the file of a decided review holds. Returns the message; none while the sentence is still
    /// to come.
    pub(crate) fn take_last_word(&mut self, told: LastWord, pending: &mut PendingEdit) -> Option<Message> {
        if let PendingEdit::Acceptances(acceptances) = pending
            && acceptances.take_last_word(&told)
        {
            return None;
        }
        match self.0.take_last_word(&told) {
            true => Some(self.message()),
            false => Some(Message::last_word(told)),
        }
    }
}
