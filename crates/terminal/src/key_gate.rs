//! Decides whether a key counts, and when: only if the person had seen what it acts on, for long enough. Keys
//! that touch a review wait for the change before them.

use std::collections::VecDeque;

use crossterm::event::KeyEvent;
use tokio::time::{Duration, Instant};

use crate::keys::{self, Action, DeskMode};

/// A key that comes sooner after an unasked change of the screen was meant for the screen before.
const TOO_SOON: Duration = Duration::from_millis(300);

/// Keys that follow an unanswered `R` this closely are the letters of a reason, and no commands.
const TYPING_PAUSE: Duration = Duration::from_millis(400);

/// The changes of the screen that the person did not ask for, the last of them that they saw, and the keys
/// that wait.
#[derive(Debug, Default)]
pub(crate) struct KeyGate {
    /// Counts the unasked changes.
    changes: u64,
    /// The change that was on the screen last.
    seen: u64,
    /// Since when; absent for the first screen, which nobody can mistake for another one.
    since: Option<Instant>,
    /// Whether any frame has been on the screen.
    drawn: bool,
    /// Keys that wait for the change under way, with their times.
    held: VecDeque<(KeyEvent, Instant)>,
    /// The last key of a row that began with `R` and opened no input so far.
    reason_key: Option<Instant>,
}

impl KeyGate {
    /// The meaning of keys changes, and not because the person asked for it: keys that wait were meant for
    /// the screen before.
    pub(crate) fn invalidate(&mut self) {
        self.changes += 1;
        self.held.clear();
    }

    /// The change that a frame drawn now shows.
    pub(crate) fn current(&self) -> u64 {
        self.changes
    }

    /// A frame that shows this change is on the screen.
    pub(crate) fn mark_drawn(&mut self, change: u64, now: Instant) {
        self.drawn = true;
        if self.seen != change {
            (self.seen, self.since) = (change, Some(now));
        }
    }

    /// Whether nothing has been on the screen yet.
    pub(crate) fn is_blank(&self) -> bool {
        !self.drawn
    }

    /// Whether a key pressed at `at` was meant for the newest change.
    pub(crate) fn counts(&self, at: Instant) -> bool {
        self.seen == self.changes && self.since.is_none_or(|since| at >= since + TOO_SOON)
    }

    /// Keeps a key until the change under way is on this desk.
    pub(crate) fn hold(&mut self, key: KeyEvent, at: Instant) {
        self.held.push_back((key, at));
    }

    /// Takes the key that has waited longest.
    pub(crate) fn take_held(&mut self) -> Option<(KeyEvent, Instant)> {
        self.held.pop_front()
    }

    /// The change that keys waited for is refused.
    pub(crate) fn drop_held(&mut self) {
        self.held.clear();
    }

    /// Whether a key that waits opens an input: those behind it are letters of a reason.
    pub(crate) fn is_input_held(&self) -> bool {
        self.held.iter().any(|(key, _)| keys::action(*key, DeskMode::Proposals) == Some(Action::Reason))
    }

    /// The person pressed `R`, and may type on before they see what it does.
    pub(crate) fn mark_reason_key(&mut self, at: Instant) {
        self.reason_key = Some(at);
    }

    /// The keys that waited act now, an `R` among them too; or its input has closed.
    pub(crate) fn forget_reason_key(&mut self) {
        self.reason_key = None;
    }

    /// Takes a key pressed at `at`. True if it is a letter of a reason that no input takes.
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
        assert!(gate.counts(start) && gate.is_blank());
        gate.invalidate();
        assert!(!gate.counts(start + 2 * TOO_SOON), "it is not on the screen");
        gate.mark_drawn(gate.current(), start);
        assert!(!gate.counts(start) && !gate.is_blank());
        assert!(gate.counts(start + TOO_SOON));
    }

    #[test]
    fn letters_wait_behind_a_waiting_key_that_opens_an_input() {
        let letter = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        let mut gate = KeyGate::default();
        gate.hold(letter('a'), Instant::now());
        assert!(!gate.is_input_held());
        gate.hold(letter('R'), Instant::now());
        assert!(gate.is_input_held());
        assert_eq!(gate.take_held().map(|(key, _)| key), Some(letter('a')), "they come back in order");
        gate.invalidate();
        assert!(!gate.is_input_held() && gate.take_held().is_none());
        gate.hold(letter('a'), Instant::now());
        gate.drop_held();
        assert!(gate.take_held().is_none(), "a refused change takes them along");
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
