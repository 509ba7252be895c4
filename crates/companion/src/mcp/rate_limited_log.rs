//! Log lines that strangers can cause are counted and written once a minute, for they may be a million.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two lines.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The counter of one kind of line.
#[derive(Debug, Default)]
pub(super) struct RateLimitedLog(Mutex<Count>);

#[derive(Debug, Default)]
struct Count {
    /// The occurrences since the last line.
    unlogged: u64,
    last_logged: Option<Instant>,
}

impl RateLimitedLog {
    /// Counts an occurrence. If a line is due, returns the occurrences since the last one, with this one.
    pub(super) fn count(&self, now: Instant) -> Option<u64> {
        // The lock is held for a few instructions only.
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        count.unlogged += 1;
        let is_due = count.last_logged.is_none_or(|last| now.saturating_duration_since(last) >= LOG_INTERVAL);
        is_due.then(|| {
            count.last_logged = Some(now);
            std::mem::take(&mut count.unlogged)
        })
    }

    /// The occurrences since the last line.
    pub(super) fn unlogged(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).unlogged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_logged_at_once_and_others_each_minute() {
        let log = RateLimitedLog::default();
        let begin = Instant::now();
        let at = |seconds| log.count(begin + Duration::from_secs(seconds));
        assert_eq!(at(0), Some(1));
        assert_eq!((1..60).filter_map(at).count(), 0);
        assert_eq!(at(60), Some(60));
        assert_eq!(at(61), None);
        assert_eq!(at(600), Some(2));
    }
}
