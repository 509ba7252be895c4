//! Decides whether and when a key counts. A key counts only if the person had seen the content that it acts
//! on for long enough. Keys that touch a review wait for the change before them.

use std::collections::VecDeque;

use crossterm::event::KeyEvent;
use tokio::time::{Duration, Instant};

use crate::keys::{self, Action, DeskMode};

/// The least time between a change of the screen by itself and a key that counts. A key that comes sooner
/// was meant for the screen before.
const TOO_SOON: Duration = Duration::from_millis(300);

/// The longest pause between an unanswered `R` and keys that count as letters of a reason, and not as
/// commands.
const TYPING_PAUSE: Duration = Duration::from_millis(400);

/// The changes of the screen that the person did not ask for, the last of them that they saw, and the keys
/// that wait.
#[derive(Debug, Default)]
pub(crate) struct KeyGate {
    /// Counts the unasked changes.
    changes: u64,
    /// The change that was on the screen last.
    seen: u64,
    /// The time since which that change is on the screen; `None` for the first screen, before which there
    /// was no other.
    since: Option<Instant>,
    /// Whether any frame has been on the screen.
    drawn: bool,
    /// Keys that wait for the change under way, with their times.
    held: VecDeque<(KeyEvent, Instant)>,
    /// The time of the last key of a sequence that began with `R`, and for which no input has opened so far.
    reason_key: Option<Instant>,
}

impl KeyGate {
    /// Notes that the meaning of keys has changed by itself. Waiting keys were meant for the screen before,
    /// and are dropped.
    pub(crate) fn invalidate(&mut self) {
        self.changes += 1;
        self.held.clear();
    }

    /// The change that a frame drawn now shows.
    pub(crate) fn current(&self) -> u64 {
        self.changes
    }

    /// Notes that a frame with this change is on the screen.
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

    /// Keeps a key until this desk has the change that is under way.
    pub(crate) fn hold(&mut self, key: KeyEvent, at: Instant) {
        self.held.push_back((key, at));
    }

    /// Takes the key that has waited longest.
    pub(crate) fn take_held(&mut self) -> Option<(KeyEvent, Instant)> {
        self.held.pop_front()
    }

    /// Drops the waiting keys, since the change before them was refused.
    pub(crate) fn drop_held(&mut self) {
        self.held.clear();
    }

    /// Whether a waiting key opens an input, so that later keys are letters of a reason.
    pub(crate) fn is_input_held(&self) -> bool {
        self.held.iter().any(|(key, _)| keys::action(*key, DeskMode::Proposals) == Some(Action::Reason))
    }

    /// Notes that the person pressed `R`, and may type on before the input is on the screen.
    pub(crate) fn mark_reason_key(&mut self, at: Instant) {
        self.reason_key = Some(at);
    }

    /// Forgets the `R`: it is carried out now with the waiting keys, or its input has closed.
    pub(crate) fn forget_reason_key(&mut self) {
        self.reason_key = None;
    }

    /// Takes a key pressed at `at`. Returns whether it is a letter of a reason for which no input is open.
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
