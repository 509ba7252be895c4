//! Log lines that strangers can cause. They are counted and written once a minute, because there may be a
//! million.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two lines.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The counters of one kind of line, one for each reason.
#[derive(Debug, Default)]
pub(super) struct RateLimitedLog(Mutex<Counts>);

/// The occurrences, and the time of the last line.
#[derive(Debug, Default)]
struct Counts {
    /// The occurrences since the last line.
    unlogged: Occurrences,
    last_logged: Option<Instant>,
}

/// The number of occurrences of each reason, as in `no token: 3, another token: 1`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Occurrences(BTreeMap<&'static str, u64>);

impl fmt::Display for Occurrences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (reason, times)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{reason}: {times}")?;
        }
        Ok(())
    }
}

impl RateLimitedLog {
    /// Counts an occurrence. If a line is due, returns all occurrences since the last line, including this
    /// one.
    pub(super) fn count(&self, reason: &'static str, now: Instant) -> Option<Occurrences> {
        // The lock is taken for a few instructions only.
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.unlogged.0.entry(reason).or_default() += 1;
        let is_due =
            counts.last_logged.is_none_or(|last| now.saturating_duration_since(last) >= LOG_INTERVAL);
        is_due.then(|| {
            counts.last_logged = Some(now);
            std::mem::take(&mut counts.unlogged)
        })
    }

    /// Returns the occurrences since the last line, if there are any.
    pub(super) fn unlogged(&self) -> Option<Occurrences> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(counts.unlogged.clone()).filter(|unlogged| !unlogged.0.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_occurrence_is_logged_at_once_and_others_each_minute() {
        let log = RateLimitedLog::default();
        let begin = Instant::now();
        let at = |seconds| {
            let line = log.count("late", begin + Duration::from_secs(seconds));
            line.map(|line| line.to_string())
        };
        assert_eq!(at(0).as_deref(), Some("late: 1"));
        assert_eq!((1..60).filter_map(at).count(), 0);
        assert_eq!(at(60).as_deref(), Some("late: 60"));
        assert_eq!(at(61), None);
        assert_eq!(at(600).as_deref(), Some("late: 2"));
    }

    #[test]
    fn each_reason_has_its_own_count() {
        let log = RateLimitedLog::default();
        let begin = Instant::now();
        assert_eq!(log.unlogged(), None);
        assert_eq!(log.count("too many", begin).unwrap().to_string(), "too many: 1");
        assert_eq!(log.unlogged(), None);
        for reason in ["silent", "too many", "silent"] {
            assert_eq!(log.count(reason, begin), None);
        }
        assert_eq!(log.unlogged().unwrap().to_string(), "silent: 2, too many: 1");
        let line = log.count("too many", begin + LOG_INTERVAL);
        assert_eq!(line.unwrap().to_string(), "silent: 2, too many: 2");
    }
}
