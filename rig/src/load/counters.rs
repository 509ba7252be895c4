//! Counters that all agents of a run share.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Errors that are kept word for word.
const QUOTED: usize = 20;

/// The counters, which every agent updates.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) requests: AtomicU64,
    /// Contexts that reached an agent that reads.
    pub(super) updates: AtomicU64,
    /// Diffs that ended as they should.
    pub(super) diffs: AtomicU64,
    /// Sessions that began.
    pub(super) sessions: AtomicU64,
    /// Agents that went away without a word while their diff was open.
    pub(super) vanished: AtomicU64,
    /// Reviews that closed because their agent was gone.
    pub(super) given_up: AtomicU64,
    pub(super) errors: AtomicU64,
    quoted: Mutex<Vec<String>>,
    /// The time from the first change that an agent did not know until it heard of that or of a later one.
    pub(super) told_after: Times,
    /// The time from a proposal to its outcome.
    pub(super) decided_after: Times,
    /// The lateness of this process itself.
    pub(super) late: Times,
}

impl Counters {
    pub(super) fn count(what: &AtomicU64) -> u64 {
        what.fetch_add(1, Relaxed)
    }

    pub(super) fn error(&self, error: String) {
        self.errors.fetch_add(1, Relaxed);
        let mut quoted = self.quoted.lock().unwrap_or_else(PoisonError::into_inner);
        if quoted.len() < QUOTED {
            quoted.push(error);
        }
    }

    pub(super) fn quoted(&self) -> Vec<String> {
        self.quoted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A histogram of durations: whole milliseconds, at most [`LONGEST`].
#[derive(Debug)]
pub(super) struct Times(Box<[AtomicU64]>);

/// Longer times count as this.
const LONGEST: usize = 30_000;

impl Default for Times {
    fn default() -> Self {
        Self((0..=LONGEST).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Times {
    pub(super) fn add(&self, time: Duration) {
        let at = usize::try_from(time.as_millis()).unwrap_or(LONGEST).min(LONGEST);
        self.0[at].fetch_add(1, Relaxed);
    }

    /// The values since the last call.
    pub(super) fn take(&self) -> Spread {
        Spread(self.0.iter().map(|count| count.swap(0, Relaxed)).collect())
    }
}

/// How often something took how many milliseconds.
#[derive(Debug, Default, Clone)]
pub(super) struct Spread(Vec<u64>);

impl Spread {
    pub(super) fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(sum, count)| *sum += count);
    }

    fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The time that so many of a thousand durations did not exceed, in milliseconds.
    pub(super) fn within(&self, of_thousand: u64) -> u64 {
        let enough = (self.all() * of_thousand).div_ceil(1000);
        let mut seen = 0;
        let at = self.0.iter().position(|count| {
            seen += count;
            seen >= enough && seen > 0
        });
        at.map_or(0, |at| at as u64)
    }

    /// How many of a million took longer than so many milliseconds.
    pub(super) fn beyond(&self, milliseconds: u64) -> u64 {
        let skipped = usize::try_from(milliseconds).unwrap_or(LONGEST) + 1;
        let beyond: u64 = self.0.iter().skip(skipped).sum();
        beyond * 1_000_000 / self.all().max(1)
    }

    pub(super) fn longest(&self) -> u64 {
        self.0.iter().rposition(|count| *count > 0).unwrap_or(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_says_what_most_took_and_what_the_longest() {
        let times = Times::default();
        (1..=100).for_each(|ms| times.add(Duration::from_millis(ms)));
        times.add(Duration::from_secs(100));
        let spread = times.take();
        assert_eq!((spread.within(500), spread.within(990), spread.longest()), (51, 100, 30_000));
        assert_eq!(spread.beyond(100), 1_000_000 / 101);
        assert_eq!(times.take().longest(), 0);
    }
}
