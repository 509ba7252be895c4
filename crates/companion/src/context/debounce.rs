//! When to speak: 50 ms after the last change, but never later than 200 ms after the first of a burst, and
//! every 200 ms while it goes on. Waiting for silence alone starves under steady typing.

use std::time::Duration;

use tokio::time::Instant;

/// How long to wait for more (recommended by the contract).
pub(crate) const QUIET: Duration = Duration::from_millis(50);
/// How long a burst may put the update off.
pub(crate) const AT_MOST: Duration = Duration::from_millis(200);

/// A change that has not been told yet.
#[derive(Debug, Default)]
pub(crate) struct Debounce {
    pending: Option<(Instant, Instant)>,
    /// When it was last time to tell.
    due: Option<Instant>,
}

impl Debounce {
    /// Something changed.
    pub(crate) fn touch(&mut self, now: Instant) {
        // What follows upon a telling within the burst has waited since then.
        let goes_on = self.due.filter(|due| now.saturating_duration_since(*due) < QUIET);
        let first = self.pending.map_or(goes_on.unwrap_or(now), |(first, _)| first);
        self.pending = Some((first, now));
    }

    /// When to tell, if there is anything to tell.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pending.map(|(first, last)| (last + QUIET).min(first + AT_MOST))
    }

    /// Whether it is time; if so, the change counts as told.
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
    async fn one_change_is_told_after_fifty_milliseconds() {
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
            // It is told at the moment, whenever keys come.
            while let Some(due) = debounce.deadline()
                && due <= now
            {
                assert!(debounce.take_due(due));
                told += 1;
            }
            debounce.touch(now);
        }
        assert_eq!(told, 14, "every 200 ms within 2970 ms");
        assert_eq!(debounce.deadline(), Some(start + AT_MOST * 15));
    }
}
