//! A pause that each further event postpones, and that one thread waits for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The wait for a time without events.
#[derive(Debug)]
pub(super) struct Pause {
    length: Duration,
    /// The end of the pause, while a thread waits for it.
    ends: Mutex<Option<Instant>>,
}

impl Pause {
    pub(super) const fn new(length: Duration) -> Self {
        Self { length, ends: Mutex::new(None) }
    }

    fn ends(&self) -> MutexGuard<'_, Option<Instant>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event. Returns whether a thread must begin to wait.
    pub(super) fn postpone(&self, now: Instant) -> bool {
        self.ends().replace(now + self.length).is_none()
    }

    /// Returns the rest of the pause; `None` once it is over, and nobody waits any longer.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let mut ends = self.ends();
        let left = ends.map(|end| end.saturating_duration_since(now)).filter(|left| !left.is_zero());
        if left.is_none() {
            *ends = None;
        }
        left
    }

    /// Records that no thread waits.
    pub(super) fn cancel(&self) {
        *self.ends() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_postpones_the_pause_and_one_thread_waits() {
        let (pause, start) = (Pause::new(Duration::from_secs(2)), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(pause.postpone(start), "a thread begins to wait");
        assert!(!pause.postpone(after(1)), "the same thread waits longer");
        assert_eq!(pause.left(after(2)), Some(Duration::from_secs(1)));
        assert_eq!(pause.left(after(3)), None);
        assert!(pause.postpone(after(4)), "another thread begins to wait");
        pause.cancel();
        assert!(pause.postpone(after(5)));
    }
}
