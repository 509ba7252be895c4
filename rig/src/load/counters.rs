//! The counters and histograms that all agents of a run share.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The number of errors that are kept verbatim.
const MAX_KEPT_ERRORS: usize = 20;

/// The counters and histograms, which every agent updates.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) requests: AtomicU64,
    /// Context updates that agents have read.
    pub(super) contexts_received: AtomicU64,
    /// Diffs with the expected outcome.
    pub(super) expected_outcomes: AtomicU64,
    /// Sessions that began.
    pub(super) sessions: AtomicU64,
    /// Agents that ended while their diff was open, with or without the end of their session.
    pub(super) agents_vanished: AtomicU64,
    /// Reviews that the host closed because their agent was gone.
    pub(super) reviews_closed: AtomicU64,
    pub(super) errors: AtomicU64,
    kept_errors: Mutex<Vec<String>>,
    /// The time from the oldest change that an agent has not received to the update that covers the change.
    pub(super) context_latency: Histogram,
    /// The time from a proposal to its outcome.
    pub(super) decision_latency: Histogram,
    /// The scheduling delay of this process.
    pub(super) own_delay: Histogram,
}

impl Counters {
    /// Adds one to a counter, and returns its earlier value.
    pub(super) fn increment(counter: &AtomicU64) -> u64 {
        counter.fetch_add(1, Relaxed)
    }

    /// Counts an error, and keeps it if it is one of the first.
    pub(super) fn record_error(&self, error: String) {
        self.errors.fetch_add(1, Relaxed);
        let mut kept = self.kept_errors.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT_ERRORS {
            kept.push(error);
        }
    }

    pub(super) fn kept_errors(&self) -> Vec<String> {
        self.kept_errors.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A histogram of durations in whole milliseconds. A duration above [`MAX_MS`] counts as [`MAX_MS`].
#[derive(Debug)]
pub(super) struct Histogram(Box<[AtomicU64]>);

/// The longest duration that a histogram distinguishes, in milliseconds.
const MAX_MS: usize = 30_000;

impl Default for Histogram {
    fn default() -> Self {
        Self((0..=MAX_MS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Histogram {
    pub(super) fn add(&self, time: Duration) {
        let milliseconds = usize::try_from(time.as_millis()).unwrap_or(MAX_MS).min(MAX_MS);
        self.0[milliseconds].fetch_add(1, Relaxed);
    }

    /// Takes the counts since the last call, and resets them.
    pub(super) fn take(&self) -> HistogramSnapshot {
        HistogramSnapshot(self.0.iter().map(|count| count.swap(0, Relaxed)).collect())
    }
}

/// The counts of a histogram, by milliseconds.
#[derive(Debug, Default, Clone)]
pub(super) struct HistogramSnapshot(Vec<u64>);

impl HistogramSnapshot {
    pub(super) fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(sum, count)| *sum += count);
    }

    fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The quantile of so many per mille, in milliseconds: 990 is the 99th percentile.
    pub(super) fn quantile(&self, per_mille: u64) -> u64 {
        let rank = (self.total() * per_mille).div_ceil(1000);
        let mut sum = 0;
        let milliseconds = self.0.iter().position(|count| {
            sum += count;
            sum >= rank && sum > 0
        });
        milliseconds.map_or(0, |milliseconds| milliseconds as u64)
    }

    /// The number of durations over `milliseconds` in each million.
    pub(super) fn slower_than_per_million(&self, milliseconds: u64) -> u64 {
        let skipped = usize::try_from(milliseconds).unwrap_or(MAX_MS) + 1;
        let slower: u64 = self.0.iter().skip(skipped).sum();
        slower * 1_000_000 / self.total().max(1)
    }

    /// The longest duration, in milliseconds.
    pub(super) fn longest(&self) -> u64 {
        self.0.iter().rposition(|count| *count > 0).unwrap_or(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_gives_quantiles_and_the_maximum() {
        let histogram = Histogram::default();
        (1..=100).for_each(|ms| histogram.add(Duration::from_millis(ms)));
        histogram.add(Duration::from_secs(100));
        let counts = histogram.take();
        assert_eq!((counts.quantile(500), counts.quantile(990), counts.longest()), (51, 100, 30_000));
        assert_eq!(counts.slower_than_per_million(100), 1_000_000 / 101);
        assert_eq!(histogram.take().longest(), 0);
    }
}
