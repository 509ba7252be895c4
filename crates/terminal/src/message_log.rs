//! Chooses the one message on the status line. The answer to a key has priority; until the next key, a new
//! notice is shown beside the answer and does not replace it. Otherwise the status line shows the newest of
//! the most severe messages. A message disappears when a key follows it, when its subject has ended, or when
//! another message replaces it.

use std::collections::VecDeque;

use alongside_desk::ReviewId;
use alongside_desk::review_model::{Message, MessageKind, Subject};
use tokio::time::{Duration, Instant};

/// The least time that a person needs to read a message. An earlier key does not remove the message.
const MIN_READING_TIME: Duration = Duration::from_millis(300);

/// The most messages that wait for the person. One more removes the oldest.
const MAX_WAITING: usize = 20;

/// The most past messages that can be listed.
const MAX_PAST: usize = 100;

/// The messages that wait: the warnings that no key has followed, the newest notice, and a message that
/// covers them. Also all past messages, for the list of messages.
#[derive(Debug, Default)]
pub(crate) struct MessageLog {
    entries: Vec<LoggedMessage>,
    last: u64,
    /// All messages, the newest last.
    past: VecDeque<Message>,
}

#[derive(Debug)]
struct LoggedMessage {
    number: u64,
    message: Message,
    /// The time since which the message has been on the screen.
    shown: Option<Instant>,
    /// Whether a key has followed the message, so that any other message replaces it.
    answered: bool,
    covers: Covers,
    /// Whether this is a notice that came while the answer to a key was on top, and is shown beside the
    /// answer.
    is_beside: bool,
}

/// The messages that a message covers until a key follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Covers {
    Nothing,
    /// The warnings that wait now. A notice replaces the message once none of these warnings waits.
    Warnings,
    /// All messages that wait now. A later notice is shown beside the message.
    Everything,
}

impl LoggedMessage {
    fn is_pressing(&self) -> bool {
        self.message.kind == MessageKind::Warning && !self.answered
    }

    fn is_on_top(&self) -> bool {
        self.covers != Covers::Nothing && !self.answered
    }
}

impl MessageLog {
    /// Adds a message. Of the earlier messages, the warnings that no key has followed stay and, if this is a
    /// notice, also the answer to the last key.
    pub(crate) fn add(&mut self, message: Message) {
        self.insert(message, Covers::Nothing);
    }

    /// Adds the answer to a key. Until the next key, the answer covers warnings, and notices are shown beside
    /// it.
    pub(crate) fn add_answer(&mut self, message: Message) {
        self.insert(message, Covers::Everything);
    }

    /// Adds a message that the person expects at this moment, although no key asked for it. The message
    /// covers waiting warnings.
    pub(crate) fn add_on_top(&mut self, message: Message) {
        self.insert(message, Covers::Warnings);
    }

    /// Adds a message about the end of an action that an answer has announced. The message replaces that
    /// answer, even if it is a notice.
    pub(crate) fn add_end(&mut self, message: Message) {
        if message.kind == MessageKind::Notice {
            for entry in &mut self.entries {
                entry.covers = Covers::Nothing;
            }
        }
        self.insert(message, Covers::Nothing);
    }

    fn insert(&mut self, message: Message, covers: Covers) {
        let is_same = |entry: &LoggedMessage| entry.message == message;
        if let Some(known) = self.entries.iter().rposition(is_same) {
            self.entries.remove(known);
        }
        if let Some(Subject::Together) = message.about {
            // The list of messages has only the newest version of a sentence whose count grows.
            self.past.retain(|past| past.about != message.about);
        }
        if self.past.back() != Some(&message) {
            self.past.push_back(message.clone());
        }
        if self.past.len() > MAX_PAST {
            self.past.pop_front();
        }
        if let Some(Subject::Agent(_) | Subject::Together) = message.about {
            self.entries.retain(|entry| entry.message.about != message.about);
        }
        let is_notice = covers == Covers::Nothing && message.kind == MessageKind::Notice;
        for entry in self.entries.iter_mut().filter(|_| !is_notice) {
            entry.covers = Covers::Nothing;
        }
        let is_answer = |entry: &LoggedMessage| entry.is_on_top() && entry.covers == Covers::Everything;
        let is_beside = is_notice && self.entries.iter().any(is_answer);
        let warnings_wait = self.entries.iter().any(|entry| entry.is_pressing() && !entry.is_on_top());
        // A notice that the person has not read beside one answer is shown beside the next answer, too.
        let is_news = |entry: &LoggedMessage| !is_notice && entry.is_beside;
        let stays = |entry: &LoggedMessage| is_answer(entry) || (entry.is_on_top() && warnings_wait);
        self.entries.retain(|entry| entry.is_pressing() || stays(entry) || is_news(entry));
        if self.entries.len() == MAX_WAITING {
            self.entries.remove(0);
        }
        self.last += 1;
        self.entries.push(LoggedMessage {
            number: self.last,
            message,
            shown: None,
            answered: false,
            covers,
            is_beside,
        });
    }

    /// The message for the status line, and the number of warnings that wait behind it.
    pub(crate) fn current(&self) -> Option<(&Message, usize)> {
        let current = self.current_entry()?;
        let behind =
            self.entries.iter().filter(|entry| entry.is_pressing() && entry.number != current.number);
        Some((&current.message, behind.count()))
    }

    /// The notice beside the answer on the status line.
    pub(crate) fn beside(&self) -> Option<&Message> {
        self.entry_beside().map(|entry| &entry.message)
    }

    fn entry_beside(&self) -> Option<&LoggedMessage> {
        let current = self.current_entry()?;
        let is_answer = current.is_on_top() && current.covers == Covers::Everything;
        self.entries.iter().rfind(|entry| is_answer && entry.is_beside)
    }

    fn current_entry(&self) -> Option<&LoggedMessage> {
        self.entries.iter().max_by_key(|entry| (entry.is_on_top(), entry.is_pressing(), entry.number))
    }

    /// Returns all past messages, the newest first, each with whether it waited for the person. After that,
    /// no message waits.
    pub(crate) fn read_all(&mut self) -> Vec<(Message, bool)> {
        let waiting = std::mem::take(&mut self.entries);
        let waits =
            |past: &Message| waiting.iter().any(|entry| entry.is_pressing() && entry.message == *past);
        self.past.iter().rev().map(|past| (past.clone(), waits(past))).collect()
    }

    /// The number of the message on the status line, which identifies the message in a frame.
    pub(crate) fn current_number(&self) -> Option<u64> {
        self.current_entry().map(|entry| entry.number)
    }

    /// Notes that the screen shows the message of this number and the notice beside it. A warning that
    /// another message covered before a key came gets its reading time again.
    pub(crate) fn mark_shown(&mut self, number: u64, now: Instant) {
        let beside = self.entry_beside().map(|entry| entry.number);
        for entry in &mut self.entries {
            if entry.number == number || Some(entry.number) == beside {
                entry.shown.get_or_insert(now);
            } else if entry.is_pressing() {
                entry.shown = None;
            }
        }
    }

    /// Removes the message on the screen, because a key follows it, if the person had the time to read it.
    /// The messages that the status line counts behind it stay.
    pub(crate) fn key_pressed(&mut self, at: Instant) {
        self.entries.retain(|entry| entry.shown.is_none_or(|shown| at < shown + MIN_READING_TIME));
        for entry in &mut self.entries {
            entry.answered |= entry.shown.is_some();
        }
    }

    /// Removes the messages about a subject that has ended.
    pub(crate) fn end(&mut self, cause: Subject) {
        self.entries.retain(|entry| entry.message.about != Some(cause));
    }

    /// Removes the messages about a review that has ended.
    pub(crate) fn end_review(&mut self, id: ReviewId) {
        for cause in [Subject::Review(id), Subject::Arrival(id), Subject::Stale(id), Subject::Dirty(id)] {
            self.end(cause);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Message> {
        self.entries.iter().map(|entry| &entry.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(log: &MessageLog) -> Option<(&str, usize)> {
        log.current().map(|(message, behind)| (message.text.as_str(), behind))
    }

    /// Shows the current message, and presses a key after so many milliseconds.
    fn key_after(log: &mut MessageLog, milliseconds: u64) {
        let now = Instant::now();
        if let Some(number) = log.current_number() {
            log.mark_shown(number, now);
        }
        log.key_pressed(now + Duration::from_millis(milliseconds));
    }

    #[test]
    fn a_message_goes_with_a_key_once_it_was_read() {
        let mut log = MessageLog::default();
        log.add(Message::notice("a"));
        log.key_pressed(Instant::now());
        assert_eq!(shown(&log), Some(("a", 0)), "the message was not on the screen yet");
        key_after(&mut log, 100);
        assert_eq!(shown(&log), Some(("a", 0)), "nobody reads that fast");
        log.key_pressed(Instant::now() + MIN_READING_TIME);
        assert_eq!(shown(&log), None);
    }

    #[test]
    fn the_newest_of_the_most_severe_ones_is_shown() {
        let mut log = MessageLog::default();
        for message in [Message::notice("1"), Message::warning("2"), Message::warning("3")] {
            log.add(message);
        }
        log.add(Message::notice("4"));
        log.add(Message::notice("5"));
        assert_eq!(shown(&log), Some(("3", 1)));
        key_after(&mut log, 300);
        assert_eq!(shown(&log), Some(("2", 0)));
        key_after(&mut log, 300);
        assert_eq!(shown(&log), Some(("5", 0)), "a notice replaces the previous notice");
    }

    #[test]
    fn as_many_messages_follow_as_the_status_line_counts() {
        let mut log = MessageLog::default();
        let now = Instant::now();
        // The first warning was on the screen long enough to be read before two others covered it.
        log.add(Message::warning("1"));
        log.mark_shown(log.current_number().unwrap(), now);
        log.add(Message::warning("2"));
        log.add(Message::warning("3"));
        log.mark_shown(log.current_number().unwrap(), now + MIN_READING_TIME);
        assert_eq!(shown(&log), Some(("3", 2)));
        log.key_pressed(now + 2 * MIN_READING_TIME);
        assert_eq!(shown(&log), Some(("2", 1)));
        log.mark_shown(log.current_number().unwrap(), now + 2 * MIN_READING_TIME);
        log.key_pressed(now + 3 * MIN_READING_TIME);
        assert_eq!(shown(&log), Some(("1", 0)));
        // The first warning is on the screen again, and gets its reading time again.
        log.mark_shown(log.current_number().unwrap(), now + 3 * MIN_READING_TIME);
        log.key_pressed(now + 3 * MIN_READING_TIME + MIN_READING_TIME / 2);
        assert_eq!(shown(&log), Some(("1", 0)));
    }

    #[test]
    fn an_answered_warning_gives_way_to_any_message() {
        let mut log = MessageLog::default();
        log.add(Message::warning("refused"));
        key_after(&mut log, 10);
        log.add(Message::notice("Undone."));
        assert_eq!(shown(&log), Some(("Undone.", 0)));
    }

    #[test]
    fn the_answer_to_a_key_covers_waiting_warnings_until_the_next_key() {
        let mut log = MessageLog::default();
        for text in ["1", "2", "3"] {
            log.add(Message::warning(text));
        }
        key_after(&mut log, 300);
        log.add_answer(Message::notice("Paused."));
        assert_eq!(shown(&log), Some(("Paused.", 2)));
        log.add(Message::notice("news"));
        assert_eq!(shown(&log), Some(("Paused.", 2)), "news waits like the warnings");
        key_after(&mut log, 300);
        assert_eq!(shown(&log), Some(("2", 1)));
        log.add_answer(Message::warning("refused"));
        assert_eq!(shown(&log), Some(("refused", 2)));
        log.add_answer(Message::notice("Undone."));
        assert_eq!(shown(&log), Some(("Undone.", 3)), "nobody has seen the refusal");
        key_after(&mut log, 10);
        assert_eq!(shown(&log), Some(("refused", 2)));
        log.add_answer(Message::notice("Redone."));
        log.add(Message::warning("4"));
        assert_eq!(shown(&log), Some(("4", 3)), "a new warning is shown at once");
    }

    #[test]
    fn the_answer_to_a_key_stays_until_the_next_key_and_news_stand_beside_it() {
        let mut log = MessageLog::default();
        let beside = |log: &MessageLog| log.beside().map(|message| message.text.clone());
        log.add_answer(Message::notice("Paused."));
        assert_eq!(beside(&log), None);
        log.add(Message::notice("Qwen Code is connected."));
        log.add(Message::notice("OpenCode is connected."));
        assert_eq!(shown(&log), Some(("Paused.", 0)));
        assert_eq!(beside(&log).as_deref(), Some("OpenCode is connected."), "the newest one");
        key_after(&mut log, 100);
        log.add_answer(Message::notice("Resumed."));
        assert_eq!(shown(&log), Some(("Resumed.", 0)));
        assert_eq!(beside(&log).as_deref(), Some("OpenCode is connected."), "nobody reads that fast");
        key_after(&mut log, 300);
        assert_eq!((shown(&log), beside(&log)), (None, None));
        log.add_answer(Message::notice("Accepted."));
        log.add_end(Message::notice("Written as accepted."));
        assert_eq!(shown(&log), Some(("Written as accepted.", 0)), "the end of what the answer announced");
        log.add_answer(Message::notice("Undone."));
        log.add(Message::warning("The disk is full."));
        assert_eq!(shown(&log), Some(("The disk is full.", 0)), "a warning is shown at once");
    }

    #[test]
    fn past_messages_can_be_listed_and_then_none_waits() {
        let mut log = MessageLog::default();
        for message in [Message::notice("1"), Message::warning("2"), Message::warning("3")] {
            log.add(message);
        }
        key_after(&mut log, 300);
        let listed = log.read_all();
        let listed: Vec<_> = listed.iter().map(|(past, waits)| (past.text.as_str(), *waits)).collect();
        assert_eq!(listed, [("3", false), ("2", true), ("1", false)]);
        assert_eq!(shown(&log), None);
        (0..200).for_each(|n| log.add(Message::notice(n.to_string())));
        assert_eq!(log.read_all().len(), MAX_PAST);
    }

    #[test]
    fn a_sentence_that_counts_on_takes_its_own_place() {
        let mut log = MessageLog::default();
        let counts = |text: &str| Message::warning(text).about(Subject::Together);
        log.add(counts("2 accepted, 1 written."));
        log.add(counts("2 accepted, 2 written."));
        assert_eq!(shown(&log), Some(("2 accepted, 2 written.", 0)));
        assert_eq!(log.read_all().len(), 1);
    }

    #[test]
    fn a_message_ends_with_its_cause() {
        let (mut log, id) = (MessageLog::default(), ReviewId(1));
        log.add(Message::warning("stale").about(Subject::Stale(id)));
        log.add(Message::warning("other").about(Subject::Review(ReviewId(2))));
        log.end(Subject::Stale(id));
        assert_eq!(shown(&log), Some(("other", 0)));
        log.end_review(ReviewId(2));
        assert_eq!(shown(&log), None);
        log.add(Message::warning("away").about(Subject::Agent(7)));
        log.add(Message::notice("back").about(Subject::Agent(7)));
        assert_eq!(shown(&log), Some(("back", 0)));
    }

    #[test]
    fn warnings_do_not_pile_up_without_end() {
        let mut log = MessageLog::default();
        (0..=MAX_WAITING).for_each(|n| log.add(Message::warning(n.to_string())));
        assert_eq!(shown(&log), Some((MAX_WAITING.to_string().as_str(), MAX_WAITING - 1)));
    }
}
