//! Decides whether a key counts, and when. A key counts only if the content on which it acts was on the
//! screen for long enough. A key that touches a review waits while an earlier change of the review is
//! pending.

use std::collections::VecDeque;

use crossterm::event::KeyEvent;
use tokio::time::{Duration, Instant};

use crate::keys::{self, Action, DeskMode};

/// The least time between a change of the screen that no key caused and a key that counts. An earlier key was
/// meant for the previous screen.
const MIN_TIME_TO_SEE: Duration = Duration::from_millis(300);

/// The longest pause after an `R` whose input is not open yet, or after a letter behind it, in which a key
/// counts as a letter of the reason and not as a command.
const TYPING_PAUSE: Duration = Duration::from_millis(400);

/// The number of changes of the screen that no key caused, the last such change that the person saw, and the
/// keys that wait.
#[derive(Debug, Default)]
pub(crate) struct KeyGate {
    /// The number of changes of the screen that no key caused.
    changes: u64,
    /// The value of `changes` in the frame on the screen.
    seen: u64,
    /// The time since which the screen has shown that value; `None` for the first screen, which replaced
    /// none.
    since: Option<Instant>,
    /// Whether any frame has been on the screen.
    drawn: bool,
    /// The keys that wait for the pending change of the review, each with its time.
    held: VecDeque<(KeyEvent, Instant)>,
    /// The time of the last key of a sequence that began with `R`, while no input has opened for it.
    reason_key: Option<Instant>,
}

impl KeyGate {
    /// Notes that the meaning of keys has changed without a key. Drops the waiting keys, which were meant for
    /// the previous screen.
    pub(crate) fn invalidate(&mut self) {
        self.changes += 1;
        self.held.clear();
    }

    /// The number of changes that a frame shows if it is drawn now.
    pub(crate) fn current(&self) -> u64 {
        self.changes
    }

    /// Notes that a frame with this number of changes is on the screen.
    pub(crate) fn mark_drawn(&mut self, change: u64, now: Instant) {
        self.drawn = true;
        if self.seen != change {
            (self.seen, self.since) = (change, Some(now));
        }
    }

    /// Whether no frame has been on the screen yet.
    pub(crate) fn has_no_frame(&self) -> bool {
        !self.drawn
    }

    /// Whether a key pressed at `at` was meant for the newest screen.
    pub(crate) fn counts(&self, at: Instant) -> bool {
        self.seen == self.changes && self.since.is_none_or(|since| at >= since + MIN_TIME_TO_SEE)
    }

    /// Keeps a key until this desk has the result of the pending change.
    pub(crate) fn hold(&mut self, key: KeyEvent, at: Instant) {
        self.held.push_back((key, at));
    }

    /// Removes and returns the key that has waited longest.
    pub(crate) fn take_held(&mut self) -> Option<(KeyEvent, Instant)> {
        self.held.pop_front()
    }

    /// Drops the waiting keys, because the companion refused the change before them.
    pub(crate) fn drop_held(&mut self) {
        self.held.clear();
    }

    /// Whether a waiting key will open an input, so that the keys after it are letters of a reason.
    pub(crate) fn is_input_held(&self) -> bool {
        self.held.iter().any(|(key, _)| keys::action(*key, DeskMode::Proposals) == Some(Action::Reason))
    }

    /// Notes that the person pressed `R`, and may type the reason before its input is on the screen.
    pub(crate) fn mark_reason_key(&mut self, at: Instant) {
        self.reason_key = Some(at);
    }

    /// Forgets the `R`, because the waiting keys are carried out now, or because its input has closed.
    pub(crate) fn forget_reason_key(&mut self) {
        self.reason_key = None;
    }

    /// Returns whether a key pressed at `at` is a letter of a reason whose input is not open. Such a key has
    /// no effect.
    pub(crate) fn swallow(&mut self, at: Instant) -> bool {
        let follows = self.reason_key.is_some_and(|last| at < last + TYPING_PAUSE);
        self.reason_key = follows.then_some(at);
        follows
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    #[test]
    fn a_key_counts_once_the_screen_was_seen() {
        let (mut gate, start) = (KeyGate::default(), Instant::now());
        assert!(gate.counts(start) && gate.has_no_frame());
        gate.invalidate();
        assert!(!gate.counts(start + 2 * MIN_TIME_TO_SEE), "the change is not on the screen");
        gate.mark_drawn(gate.current(), start);
        assert!(!gate.counts(start) && !gate.has_no_frame());
        assert!(gate.counts(start + MIN_TIME_TO_SEE));
    }

    #[test]
    fn letters_wait_behind_a_waiting_key_that_opens_an_input() {
        let letter = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        let mut gate = KeyGate::default();
        gate.hold(letter('a'), Instant::now());
        assert!(!gate.is_input_held());
        gate.hold(letter('R'), Instant::now());
        assert!(gate.is_input_held());
        assert_eq!(gate.take_held().map(|(key, _)| key), Some(letter('a')), "keys come back in order");
        gate.invalidate();
        assert!(!gate.is_input_held() && gate.take_held().is_none());
        gate.hold(letter('a'), Instant::now());
        gate.drop_held();
        assert!(gate.take_held().is_none(), "a refused change drops the keys behind it");
    }

    #[test]
    fn letters_behind_an_unanswered_key_are_swallowed_until_a_pause() {
        let (mut gate, start) = (KeyGate::default(), Instant::now());
        assert!(!gate.swallow(start));
        gate.mark_reason_key(start);
        let late = start + TYPING_PAUSE * 3;
        assert!(gate.swallow(start + TYPING_PAUSE / 2) && gate.swallow(start + TYPING_PAUSE));
        assert!(!gate.swallow(late) && !gate.swallow(late));
    }
}
