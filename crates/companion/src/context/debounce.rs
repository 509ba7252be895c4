//! When to speak: 50 ms after the last change, but never later than 200 ms after the first of a burst. Waiting for
//! silence alone starves under steady typing.

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
}

impl Debounce {
    /// Something changed.
    pub(crate) fn touch(&mut self, now: Instant) {
        let first = self.pending.map_or(now, |(first, _)| first);
        self.pending = Some((first, now));
    }

    /// When to tell, if there is anything to tell.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pending.map(|(first, last)| (last + QUIET).min(first + AT_MOST))
    }

    /// Whether it is time; if so, the change counts as told.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let due = self.deadline().is_some_and(|deadline| deadline <= now);
        if due {
            self.pending = None;
        }
        due
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
        assert!(!debounce.is_due(start + QUIET - Duration::from_millis(1)));
        assert!(debounce.is_due(start + QUIET));
        assert_eq!(debounce.deadline(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn steady_typing_does_not_starve_the_agents() {
        let mut debounce = Debounce::default();
        let start = Instant::now();
        let told = (0..100)
            .map(|key| start + Duration::from_millis(30 * key))
            .filter(|now| {
                debounce.touch(*now);
                debounce.is_due(*now)
            })
            .count();
        assert!((12..=16).contains(&told), "told {told} times in three seconds");
    }
}
