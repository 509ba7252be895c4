//! The lock under which a desk searches for a host and starts one, so that two desks that start at once join
//! the same host.
//!
//! The started host holds the same lock until it can be found. So if the desk dies meanwhile, no other desk
//! starts a second host. On Windows, a lock ends with the process that took it. There the host has no lock.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use alongside_companion::private;
use alongside_platform::stderr;

/// The held lock. It is freed when this value and every copy, in any process, is dropped.
#[derive(Debug)]
pub struct StartLock(File);

impl StartLock {
    /// Takes the lock of this file; `None` while another process has it.
    ///
    /// # Errors
    /// When the file cannot be created or locked.
    pub(super) fn try_take(path: &Path) -> io::Result<Option<Self>> {
        Ok(private::try_lock(path)?.map(Self))
    }

    /// Returns a standard error that passes a copy to a new host: see [`from_stderr`](Self::from_stderr).
    ///
    /// # Errors
    /// When the system has no file descriptor left.
    pub(super) fn to_stderr(&self) -> io::Result<Stdio> {
        stderr::handing_over(&self.0)
    }

    /// Takes the copy that the desk which started this host has passed on.
    ///
    /// # Errors
    /// When standard error is no such copy, or on Windows.
    pub fn from_stderr() -> io::Result<Self> {
        stderr::take().map(Self)
    }

    /// Holds the lock until the returned value is dropped, or the time has passed: a host that hangs while it
    /// starts must not prevent others from starting a host.
    pub(super) fn hold_for(self, time: Duration) -> mpsc::Sender<()> {
        let (holds, released) = mpsc::channel();
        // If the thread cannot be started, the lock is dropped at once.
        let _ = thread::Builder::new().spawn(move || {
            let _ = released.recv_timeout(time);
            drop(self);
        });
        holds
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_host_holds_the_lock_until_it_can_be_found_or_its_time_is_over() {
        let directory = tempfile::tempdir().unwrap();
        for (name, time) in [("found", Duration::from_secs(60)), ("hangs", Duration::from_millis(50))] {
            let path = directory.path().join(name);
            let is_free = || StartLock::try_take(&path).unwrap().is_some();
            let desks = StartLock::try_take(&path).unwrap().unwrap();
            let holds = StartLock(desks.0.try_clone().unwrap()).hold_for(time);
            assert!(!is_free());
            drop(desks);
            if name == "found" {
                assert!(!is_free(), "the desk is gone, and its host is not");
                drop(holds);
            }
            let end = Instant::now() + Duration::from_secs(30);
            while !is_free() {
                assert!(Instant::now() < end, "{name}");
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
