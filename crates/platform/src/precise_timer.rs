//! A timer that is exact to some tens of microseconds.
//!
//! Tokio counts milliseconds and rounds up twice, so it is up to 2 ms late, and 1 ms on average. That is most
//! of an agent's wait after the person acts. Linux has timers as exact as its clock.

#[cfg(any(test, target_os = "linux"))]
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The time by which Tokio's timer ends early, so that it is never late.
#[cfg(target_os = "linux")]
const TOKIO_MARGIN: Duration = Duration::from_millis(3);

/// A timer that waits for one moment at a time.
#[derive(Debug, Default)]
pub struct PreciseTimer {
    /// The timer, which is created when it is first needed; `None` inside if the system refuses.
    #[cfg(target_os = "linux")]
    alarm: std::sync::OnceLock<Option<alarm::Alarm>>,
}

impl PreciseTimer {
    /// Waits until this moment. Needs a Tokio runtime. Cancel safe.
    pub async fn until(&self, moment: Instant) {
        #[cfg(target_os = "linux")]
        {
            sleep_until(moment - TOKIO_MARGIN).await;
            // Without a file descriptor, Tokio's timer waits for the remaining time.
            if let Some(alarm) = self.alarm.get_or_init(|| alarm::Alarm::new().ok()) {
                // In tests, Tokio's clock differs from the system's.
                tokio::select! {
                    _ = alarm.until(moment) => {}
                    () = sleep_until(moment) => {}
                }
            }
        }
        if Instant::now() < moment {
            sleep_until(moment).await;
        }
    }
}

#[cfg(target_os = "linux")]
mod alarm {
    use std::io;
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::{Interest, unix::AsyncFd};
    use tokio::time::Instant;

    /// A timer of Linux, which is set again for each moment.
    #[derive(Debug)]
    pub(super) struct Alarm(AsyncFd<OwnedFd>);

    impl Alarm {
        pub(super) fn new() -> io::Result<Self> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            #[expect(
                deprecated,
                reason = "its replacement is unsafe, for descriptors that are closed early; this one is owned"
            )]
            let alarm = AsyncFd::with_interest(
                timerfd_create(TimerfdClockId::Monotonic, flags)?,
                Interest::READABLE,
            )?;
            Ok(Self(alarm))
        }

        pub(super) async fn until(&self, moment: Instant) -> io::Result<()> {
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
            let it_value = Timespec::try_from(left).map_err(io::Error::other)?;
            let once = Itimerspec { it_interval: zero, it_value };
            timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &once)?;
            loop {
                let mut ready = self.0.readable().await?;
                if Instant::now() >= moment {
                    return Ok(());
                }
                // The timer was set for an earlier moment, whose wait was cancelled.
                ready.clear_ready();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_cancelled_wait_does_not_end_a_later_one() {
        let timer = PreciseTimer::default();
        let given_up = Instant::now() + Duration::from_millis(2);
        let waits = timer.until(given_up);
        tokio::select! {
            biased;
            () = waits => panic!("it is early"),
            () = std::future::ready(()) => {}
        }
        std::thread::sleep(Duration::from_millis(5));
        let moment = Instant::now() + Duration::from_millis(2);
        timer.until(moment).await;
        assert!(Instant::now() >= moment);
    }

    #[tokio::test]
    async fn the_timer_is_never_early_and_never_waits_for_the_past() {
        let timer = PreciseTimer::default();
        for after in [0, 1, 500, 2_999, 3_001, 7_300].map(Duration::from_micros) {
            let moment = Instant::now() + after;
            timer.until(moment).await;
            assert!(Instant::now() >= moment, "after {after:?}");
        }
        timer.until(Instant::now() - Duration::from_secs(1)).await;
    }
}
