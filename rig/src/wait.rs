//! Waits for a condition instead of a guessed time. A wait ends with the awaited value, or at its deadline
//! with a message that names what was awaited and has the last state.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The usual deadline, long enough for the start of a whole agent on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(90);

const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Calls `probe` until it returns `Ok`. `what` names the awaited value in the error.
pub fn until<T>(
    what: &str,
    deadline: Duration,
    mut probe: impl FnMut() -> std::result::Result<T, String>,
) -> Result<T> {
    let started = Instant::now();
    loop {
        match probe() {
            Ok(value) => return Ok(value),
            Err(seen) if started.elapsed() >= deadline => {
                bail!("waited {}s for {what}, but saw:\n{seen}", deadline.as_secs())
            }
            Err(_) => std::thread::sleep(POLL_INTERVAL),
        }
    }
}
