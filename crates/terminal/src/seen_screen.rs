//! Decides whether a key counts: only if the person had seen what it acts on, for long enough.

use tokio::time::{Duration, Instant};

/// A key that comes sooner after an unasked change of the screen was meant for the screen before.
const TOO_SOON: Duration = Duration::from_millis(300);

/// The changes of the screen that the person did not ask for, and the last of them that they saw.
#[derive(Debug, Default)]
pub(crate) struct SeenScreen {
    /// Counts the unasked changes.
    changes: u64,
    /// The change that was on the screen last.
    seen: u64,
    /// Since when; absent for the first screen, which nobody can mistake for another one.
    since: Option<Instant>,
    /// Whether any frame has been on the screen.
    drawn: bool,
}

impl SeenScreen {
    /// The meaning of keys changes, and not because the person asked for it.
    pub(crate) fn change(&mut self) {
        self.changes += 1;
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_once_the_screen_was_seen() {
        let (mut seen, start) = (SeenScreen::default(), Instant::now());
        assert!(seen.counts(start) && seen.is_blank());
        seen.change();
        assert!(!seen.counts(start + 2 * TOO_SOON), "it is not on the screen");
        seen.mark_drawn(seen.current(), start);
        assert!(!seen.counts(start) && !seen.is_blank());
        assert!(seen.counts(start + TOO_SOON));
    }
}
