//! A timer that is exact to some tens of microseconds.
//!
//! Tokio counts milliseconds and rounds up twice, so it is up to 2 ms late, and 1 ms on average. That is most
//! of an agent's wait after the person acts. Linux has timers as exact as its clock.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// How much earlier Tokio's timer ends, so that it is never late.
const TOKIO_MARGIN: Duration = Duration::from_millis(3);

/// Waits until a moment. Cancel safe.
pub async fn until(moment: Instant) {
    if cfg!(target_os = "linux") {
        sleep_until(moment - TOKIO_MARGIN).await;
        // In tests, Tokio's clock is not the system's.
        tokio::select! {
            () = exactly(moment.saturating_duration_since(Instant::now())) => {}
            () = sleep_until(moment) => {}
        }
    }
    if Instant::now() < moment {
        sleep_until(moment).await;
    }
}

#[cfg(target_os = "linux")]
async fn exactly(time: Duration) {
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::{Interest, unix::AsyncFd};

    #[expect(
        deprecated,
        reason = "its replacement is unsafe, for descriptors that are closed early; this one is owned"
    )]
    let alarm = || -> std::io::Result<_> {
        let alarm =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let after = Timespec::try_from(time).map_err(std::io::Error::other)?;
        timerfd_settime(
            &alarm,
            TimerfdTimerFlags::empty(),
            &Itimerspec { it_interval: zero, it_value: after },
        )?;
        AsyncFd::with_interest(alarm, Interest::READABLE)
    };
    // A timer of zero never ends; without a descriptor, Tokio waits for the rest.
    if !time.is_zero()
        && let Ok(alarm) = alarm()
    {
        let _ = alarm.readable().await;
    }
}

#[cfg(not(target_os = "linux"))]
async fn exactly(_: Duration) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_never_early_and_the_past_needs_no_wait() {
        for after in [0, 1, 500, 2_999, 3_001, 7_300].map(Duration::from_micros) {
            let moment = Instant::now() + after;
            until(moment).await;
            assert!(Instant::now() >= moment, "after {after:?}");
        }
        until(Instant::now() - Duration::from_secs(1)).await;
    }
}
