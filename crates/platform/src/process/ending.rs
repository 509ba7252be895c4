//! Waits for the end of a process that is not a child process.

use std::time::Duration;

/// The polling interval where the system does not report the end.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Waits for the end of a process. Returns at once on Linux and macOS, and within 1 s elsewhere. Cancel
/// safe. Needs a Tokio runtime.
pub async fn ended(pid: u32) {
    #[cfg(target_os = "linux")]
    if pidfd(pid).await.is_some() {
        return;
    }
    #[cfg(target_os = "macos")]
    if kqueue(pid).await.is_some() {
        return;
    }
    // The check runs in a thread, because it may block.
    while tokio::task::spawn_blocking(move || super::alive::is_alive(pid)).await.unwrap_or(true) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Waits for the end by a file descriptor; `None` if the kernel has none.
#[cfg(target_os = "linux")]
#[expect(
    deprecated,
    reason = "its replacement is unsafe, for descriptors that are closed early; this one is owned"
)]
async fn pidfd(pid: u32) -> Option<()> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::{Interest, unix::AsyncFd};
    let process = pidfd_open(Pid::from_raw(i32::try_from(pid).ok()?)?, PidfdFlags::NONBLOCK).ok()?;
    AsyncFd::with_interest(process, Interest::READABLE).ok()?.readable().await.ok().map(|_| ())
}

/// Waits for the end by a queue of the kernel; `None` if the kernel cannot watch this process.
#[cfg(target_os = "macos")]
#[expect(
    deprecated,
    reason = "its replacement is unsafe, for descriptors that are closed early; this one is owned"
)]
async fn kqueue(pid: u32) -> Option<()> {
    use tokio::io::{Interest, unix::AsyncFd};
    let queue = crate::kernel_queue::end_of(pid)?;
    AsyncFd::with_interest(queue, Interest::READABLE).ok()?.readable().await.ok().map(|_| ())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_of_a_process_that_is_no_child_is_noticed() {
        // A shell starts the process and ends, so the process is not a child process of the test.
        let script = "sleep 60 >/dev/null 2>&1 & echo $!";
        let ran = std::process::Command::new("sh").args(["-c", script]).output().unwrap();
        let pid: u32 = String::from_utf8_lossy(&ran.stdout).trim().parse().unwrap();
        let soon = Duration::from_secs(20);
        let early = tokio::time::timeout(Duration::from_millis(50), ended(pid)).await;
        crate::process::send(pid, 9);
        assert!(early.is_err(), "it had not ended");
        tokio::time::timeout(soon, ended(pid)).await.expect("its end is noticed within twenty seconds");
        tokio::time::timeout(soon, ended(0)).await.expect("there is no process 0 to wait for");
    }
}
