//! Deadlines on a busy machine. A machine that schedules this program late also schedules the companion late,
//! which is no fault of the companion. So deadlines are counted in slices, and a late slice counts no more
//! than its length. On a machine that is never late, that is the time of the wall clock.

use std::fmt;
use std::time::{Duration, Instant};

use crate::check_ending::{Checked, unseen};

/// The length of a slice. Every timer is late by about a millisecond, which must not add up.
const SLICE: Duration = Duration::from_millis(50);
/// The interval in which the lateness of this machine is measured.
const TICK: Duration = Duration::from_millis(10);
/// The most lateness of this machine that a measurement by the wall clock allows. Companions wait 50 ms for
/// further changes, and 100 ms before they send an outcome again.
const MAX_LATENESS: Duration = Duration::from_millis(50);

/// The time that remains for waiting.
pub(crate) struct Patience(Duration);

impl Patience {
    pub(crate) fn new(time: Duration) -> Self {
        Self(time)
    }

    /// Sleeps for `time`, or for the remaining time. Returns whether any time was left. For polling.
    pub(crate) async fn sleep(&mut self, time: Duration) -> bool {
        let slice = time.min(self.0);
        tokio::time::sleep(slice).await;
        self.0 -= slice;
        !slice.is_zero()
    }

    /// Returns the output of a future, or `None` when the time is up.
    pub(crate) async fn wait_for<T>(&mut self, what: impl Future<Output = T>) -> Option<T> {
        let end = async { while self.sleep(SLICE).await {} };
        tokio::select! {
            biased;
            outcome = what => Some(outcome),
            () = end => None,
        }
    }
}

/// Returns the output of a future, or `None` after this time.
pub(crate) async fn within<T>(time: Duration, what: impl Future<Output = T>) -> Option<T> {
    Patience::new(time).wait_for(what).await
}

/// Waits for this time.
pub(crate) async fn pass(time: Duration) {
    within(time, std::future::pending::<()>()).await;
}

/// A measurement by the wall clock, which is repeated while this machine is too late for it.
#[derive(Default)]
pub(crate) struct Measuring {
    /// The lateness of this machine in each try.
    late: Vec<Duration>,
}

/// The beginning of a verdict after every try was late.
pub(crate) const TOO_BUSY: &str = "this machine was too busy to tell";

impl Measuring {
    pub(crate) const TRIES: usize = 4;

    /// Whether a measurement counts in which the machine was late by at most `late`.
    ///
    /// # Errors
    /// When none of [`Self::TRIES`] measurements counts.
    pub(crate) fn counts(&mut self, late: Duration) -> Checked<bool> {
        self.late.push(late);
        match self.late.iter().min() {
            Some(least) if late > MAX_LATENESS && self.late.len() >= Self::TRIES => {
                unseen(format!("{TOO_BUSY}: timers were {} ms late", least.as_millis()))
            }
            _ => Ok(late <= MAX_LATENESS),
        }
    }

    /// Records that the last measurement was inconclusive, although the machine was not late.
    ///
    /// # Errors
    /// When none of [`Self::TRIES`] measurements was conclusive: with `instead`, the observation.
    pub(crate) fn said_nothing(&mut self, instead: impl fmt::Display) -> Checked {
        if let Some(late) = self.late.last_mut() {
            *late = Duration::MAX;
        }
        if self.late.len() < Self::TRIES { Ok(()) } else { unseen(format!("{TOO_BUSY}: {instead}")) }
    }
}

/// Returns the output of a future, and the greatest lateness of this machine meanwhile.
pub(crate) async fn lateness<T>(what: impl Future<Output = T>) -> (T, Duration) {
    let (mut worst, mut begun) = (Duration::ZERO, Instant::now());
    let watch = async {
        loop {
            begun = Instant::now();
            tokio::time::sleep(TICK).await;
            worst = worst.max(begun.elapsed().saturating_sub(TICK));
        }
    };
    let outcome = tokio::select! {
        outcome = what => outcome,
        never = watch => never,
    };
    // The last tick is overdue if the end was noticed late.
    (outcome, worst.max(begun.elapsed().saturating_sub(TICK)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_ending::NotPassed;

    /// Blocks the only thread, as a busy machine does.
    async fn stall(time: Duration) {
        std::thread::sleep(time);
    }

    #[tokio::test]
    async fn a_stalled_machine_does_not_use_up_a_deadline() {
        let answer = async {
            // Each of these steps is short, and the machine is late in each.
            for _ in 0..4 {
                stall(Duration::from_millis(150)).await;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let begun = Instant::now();
        assert!(within(Duration::from_millis(300), answer).await.is_some());
        assert!(begun.elapsed() > Duration::from_millis(300), "by the clock on the wall it was late");
    }

    #[tokio::test]
    async fn waiting_ends_at_the_deadline() {
        assert!(within(Duration::from_millis(60), std::future::pending::<()>()).await.is_none());
        let mut patience = Patience::new(Duration::from_millis(10));
        let mut looks = 0;
        while patience.sleep(Duration::from_millis(4)).await {
            looks += 1;
        }
        assert_eq!(looks, 3, "4, 4 and 2 ms");
    }

    #[tokio::test]
    async fn a_late_measurement_is_repeated_then_given_up() {
        let mut measuring = Measuring::default();
        for _ in 1..Measuring::TRIES {
            let ((), late) = lateness(stall(Duration::from_millis(100))).await;
            assert_eq!(measuring.counts(late), Ok(false));
        }
        assert_eq!(measuring.counts(Duration::from_millis(2)), Ok(true));
        let mut measuring = Measuring { late: vec![Duration::from_millis(70); Measuring::TRIES - 1] };
        let told = measuring.counts(Duration::from_millis(200));
        let why = "this machine was too busy to tell: timers were 70 ms late";
        assert_eq!(told, Err(NotPassed::Unseen(why.into())));
    }

    #[test]
    fn an_inconclusive_measurement_is_repeated_then_given_up() {
        let mut measuring = Measuring::default();
        for _ in 1..Measuring::TRIES {
            assert_eq!(measuring.counts(Duration::ZERO), Ok(true));
            assert_eq!(measuring.said_nothing("it took 30 ms"), Ok(()));
        }
        assert_eq!(measuring.counts(Duration::ZERO), Ok(true));
        let why = "this machine was too busy to tell: it took 30 ms";
        assert_eq!(measuring.said_nothing("it took 30 ms"), Err(NotPassed::Unseen(why.into())));
    }
}
