//! Waiting for a condition instead of sleeping for a guess.
//!
//! Every wait of the rig ends: with the value that was awaited, or at its deadline with a message that says
//! what was awaited and what was seen instead.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Long enough for a whole agent to start on a busy machine; nothing ever asserts that it is quick.
pub const PATIENCE: Duration = Duration::from_secs(45);

const POLL: Duration = Duration::from_millis(40);

/// Asks `probe` until it answers `Ok`.
///
/// # Errors
/// At the deadline: `what` was awaited, and the last `Err` of the probe, which says what was seen instead.
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
            Err(_) => std::thread::sleep(POLL),
        }
    }
}
