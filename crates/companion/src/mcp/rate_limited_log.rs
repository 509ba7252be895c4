//! What strangers can bring about is counted, and said once a minute: whoever is refused may ask a million
//! times, and each line of a log costs disk, and the time to write it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it is said at most.
const SAID_EVERY: Duration = Duration::from_secs(60);

/// How often it has happened.
#[derive(Debug, Default)]
pub(crate) struct RateLimitedLog(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    /// Since it was said last.
    unsaid: u64,
    said: Option<Instant>,
}

impl RateLimitedLog {
    /// Counts one. Returns how many there were since it was said last, this one among them, if it is to be
    /// said.
    pub(crate) fn count(&self, now: Instant) -> Option<u64> {
        // Held for a few instructions, and for no disk.
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.unsaid += 1;
        let is_due = counted.said.is_none_or(|said| now.saturating_duration_since(said) >= SAID_EVERY);
        is_due.then(|| {
            counted.said = Some(now);
            std::mem::take(&mut counted.unsaid)
        })
    }

    /// How many there were since it was said last.
    pub(crate) fn unsaid(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).unsaid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_said_at_once_and_the_others_by_the_minute() {
        let seldom = RateLimitedLog::default();
        let begin = Instant::now();
        let at = |seconds| seldom.count(begin + Duration::from_secs(seconds));
        assert_eq!(at(0), Some(1));
        assert_eq!((1..60).filter_map(at).count(), 0);
        assert_eq!(at(60), Some(60));
        assert_eq!(at(61), None);
        assert_eq!(at(600), Some(2));
    }
}
