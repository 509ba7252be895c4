//! The messages of the bottom lines. Each stays until it was on the screen and a key followed.

use alongside_desk::review_model::{Message, MessageKind};

/// Messages since the last key, and the last one before.
#[derive(Debug, Default)]
pub(crate) struct MessageLog {
    messages: Vec<Message>,
    /// How many of them, from the first on, have been on the screen.
    seen: usize,
}

impl MessageLog {
    /// Adds a message. A transient one takes the place of the transient one before.
    pub(crate) fn add(&mut self, message: Message) {
        if message.kind == MessageKind::Transient {
            let stays = |message: &&Message| message.kind != MessageKind::Transient;
            self.seen = self.messages.iter().take(self.seen).filter(stays).count();
            self.messages.retain(|message| message.kind != MessageKind::Transient);
        }
        if self.messages.last() != Some(&message) {
            self.messages.push(message);
        }
    }

    /// The first `count` messages are on the screen.
    pub(crate) fn mark_seen(&mut self, count: usize) {
        self.seen = count.min(self.messages.len());
    }

    /// The person pressed a key: seen messages go, but the last one stays until there is another.
    pub(crate) fn drop_seen(&mut self) {
        let seen = std::mem::take(&mut self.seen).min(self.messages.len());
        self.messages.drain(..seen.saturating_sub(usize::from(seen == self.messages.len())));
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(log: &MessageLog) -> Vec<&str> {
        log.iter().map(|message| message.text.as_str()).collect()
    }

    #[test]
    fn a_message_goes_once_it_was_seen() {
        let mut log = MessageLog::default();
        log.add(Message::notice("a"));
        log.drop_seen();
        assert_eq!(texts(&log), ["a"], "it was not on the screen yet");
        log.mark_seen(1);
        log.drop_seen();
        assert_eq!(texts(&log), ["a"], "the last one stays");
        log.mark_seen(1);
        log.add(Message::warning("b"));
        log.drop_seen();
        assert_eq!(texts(&log), ["b"]);
    }

    #[test]
    fn a_transient_message_replaces_the_one_before() {
        let mut log = MessageLog::default();
        for message in [Message::transient("1"), Message::notice("a"), Message::transient("2")] {
            log.add(message);
        }
        assert_eq!(texts(&log), ["a", "2"]);
    }
}
