//! The list of the past messages over the review, the newest first.

use alongside_desk::review_model::Message;

/// The list of the past messages. Messages that come later do not change the open list.
#[derive(Debug)]
pub(crate) struct MessageList {
    /// The messages, each with whether the person has not read it yet.
    messages: Vec<(Message, bool)>,
    /// The first message on the screen.
    top: usize,
}

impl MessageList {
    /// Creates the list; `None` if there is no message.
    pub(crate) fn new(messages: Vec<(Message, bool)>) -> Option<Self> {
        (!messages.is_empty()).then_some(Self { messages, top: 0 })
    }

    /// Scrolls by messages.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by).min(self.messages.len() - 1);
    }

    /// The messages from the first one on the screen on, each with whether the person has not read it yet.
    pub(crate) fn shown(&self) -> &[(Message, bool)] {
        self.messages.get(self.top..).unwrap_or_default()
    }
}
