//! The messages so far, as they are listed over the review: the newest first.

use alongside_desk::review_model::Message;

/// The list. It stays as it was when it opened.
#[derive(Debug)]
pub(crate) struct MessageList {
    /// Each with whether the person has yet to read it.
    messages: Vec<(Message, bool)>,
    /// The first one on the screen.
    top: usize,
}

impl MessageList {
    /// `None` if there is nothing to list.
    pub(crate) fn new(messages: Vec<(Message, bool)>) -> Option<Self> {
        (!messages.is_empty()).then_some(Self { messages, top: 0 })
    }

    /// Scrolls by so many messages.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by).min(self.messages.len() - 1);
    }

    /// The messages from the first one on the screen on, each with whether it is news.
    pub(crate) fn shown(&self) -> &[(Message, bool)] {
        self.messages.get(self.top..).unwrap_or_default()
    }
}
