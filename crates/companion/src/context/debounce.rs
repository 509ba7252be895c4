//! Debouncing of context changes: an update is due 50 ms after the last change, but at most 200 ms after the
//! first of a burst, and every 200 ms while it goes on. Steady typing would starve agents otherwise.

use std::time::Duration;

use tokio::time::Instant;

/// How long to wait for another change (recommended by the contract).
pub(crate) const QUIET: Duration = Duration::from_millis(50);
/// How long a burst may delay an update.
pub(crate) const MAX_DELAY: Duration = Duration::from_millis(200);

/// A change that agents do not know yet.
#[derive(Debug, Default)]
pub(crate) struct Debounce {
    /// The first and last change of the burst.
    pending: Option<(Instant, Instant)>,
    /// When the last update was due.
    due: Option<Instant>,
}

impl Debounce {
    pub(crate) fn touch(&mut self, now: Instant) {
        // Within the same burst, a change after an update has waited since that update.
        let goes_on = self.due.filter(|due| now.saturating_duration_since(*due) < QUIET);
        let first = self.pending.map_or(goes_on.unwrap_or(now), |(first, _)| first);
        self.pending = Some((first, now));
    }

    /// When the next update is due, if there is a change.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pending.map(|(first, last)| (last + QUIET).min(first + MAX_DELAY))
    }

    /// Whether an update is due; if so, it counts as sent.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        let Some(due) = self.deadline().filter(|deadline| *deadline <= now) else { return false };
        *self = Self { pending: None, due: Some(due) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_change_is_sent_after_fifty_milliseconds() {
        let mut debounce = Debounce::default();
        let start = Instant::now();
        debounce.touch(start);
        assert!(!debounce.take_due(start + QUIET - Duration::from_millis(1)));
        assert!(debounce.take_due(start + QUIET));
        assert_eq!(debounce.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn steady_typing_does_not_starve_the_agents() {
        let mut debounce = Debounce::default();
        let start = Instant::now();
        let mut told = 0;
        for key in 0..100 {
            let now = start + Duration::from_millis(30 * key);
            // Updates are sent when they are due, whenever keys come.
            while let Some(due) = debounce.deadline()
                && due <= now
            {
                assert!(debounce.take_due(due));
                told += 1;
            }
            debounce.touch(now);
        }
        assert_eq!(told, 14, "every 200 ms within 2970 ms");
        assert_eq!(debounce.deadline(), Some(start + MAX_DELAY * 15));
    }
}
