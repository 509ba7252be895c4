//! Waiting for a moment, to some tens of microseconds.
//!
//! Tokio counts milliseconds and rounds up twice, so that it comes up to two of them late, and one on
//! average. Where an agent waits for what a person does that is most of what it waits for. Linux has alarms
//! that are as exact as its clock.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// By how much earlier Tokio is asked, so that it is never too late.
const COARSE: Duration = Duration::from_millis(3);

/// Waits until this moment. Cancel safe.
pub async fn until(moment: Instant) {
    if cfg!(target_os = "linux") {
        sleep_until(moment - COARSE).await;
        // Only Tokio knows when it is where its clock is not the system's, as in tests.
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

    // The descriptor is nobody else's, and goes with it.
    #[expect(
        deprecated,
        reason = "what is to be called instead is unsafe, for types that are no descriptors of their own"
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
    // No time at all would be no alarm; without a descriptor, Tokio waits for the rest.
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
    async fn it_is_never_too_early_and_what_is_past_is_not_waited_for() {
        for after in [0, 1, 500, 2_999, 3_001, 7_300].map(Duration::from_micros) {
            let moment = Instant::now() + after;
            until(moment).await;
            assert!(Instant::now() >= moment, "after {after:?}");
        }
        until(Instant::now() - Duration::from_secs(1)).await;
    }
}
