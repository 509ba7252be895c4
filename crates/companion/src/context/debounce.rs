//! Debouncing of context changes: an update is due 50 ms after the last change of a burst, but at most 200 ms
//! after the first one, and every 200 ms while the burst goes on. Otherwise steady typing would starve
//! agents.

use std::time::Duration;

use tokio::time::Instant;

/// The time to wait for another change (recommended by the contract).
pub(crate) const DEBOUNCE: Duration = Duration::from_millis(50);
/// The longest delay of an update by a burst.
pub(crate) const MAX_DELAY: Duration = Duration::from_millis(200);

/// The changes that agents do not know yet.
#[derive(Debug, Default)]
pub(crate) struct Debounce {
    /// The times of the first and last change of the burst.
    pending: Option<(Instant, Instant)>,
    /// The time at which the last update was due.
    last_due: Option<Instant>,
}

impl Debounce {
    /// Records a change.
    pub(crate) fn touch(&mut self, now: Instant) {
        // The delay of a change that continues a burst counts from the last update.
        let burst_start = self.last_due.filter(|due| now.saturating_duration_since(*due) < DEBOUNCE);
        let first = self.pending.map_or(burst_start.unwrap_or(now), |(first, _)| first);
        self.pending = Some((first, now));
    }

    /// Returns the time at which the next update is due, if there is a change.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pending.map(|(first, last)| (last + DEBOUNCE).min(first + MAX_DELAY))
    }

    /// Counts a due update as sent. Returns whether one was due.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        let Some(due) = self.deadline().filter(|deadline| *deadline <= now) else { return false };
        *self = Self { pending: None, last_due: Some(due) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_single_change_is_sent_after_the_debounce_time() {
        let mut debounce = Debounce::default();
        let start = Instant::now();
        debounce.touch(start);
        assert!(!debounce.take_due(start + DEBOUNCE - Duration::from_millis(1)));
        assert!(debounce.take_due(start + DEBOUNCE));
        assert_eq!(debounce.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn steady_typing_does_not_starve_the_agents() {
        let mut debounce = Debounce::default();
        let start = Instant::now();
        let mut updates = 0;
        for key in 0..100 {
            let now = start + Duration::from_millis(30 * key);
            // Updates are sent when they are due, whenever keys come.
            while let Some(due) = debounce.deadline()
                && due <= now
            {
                assert!(debounce.take_due(due));
                updates += 1;
            }
            debounce.touch(now);
        }
        assert_eq!(updates, 14, "every 200 ms within 2970 ms");
        assert_eq!(debounce.deadline(), Some(start + MAX_DELAY * 15));
    }
}
