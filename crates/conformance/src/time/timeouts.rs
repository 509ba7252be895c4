//! The longest waits of a run, and the size of its large proposal.

use std::time::Duration;

/// The longest waits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The wait for an answer, or for a message that must come without a request.
    pub answer: Duration,
    /// The wait for a message that must not come.
    pub quiet: Duration,
    /// The silence on a stream after which agents give it up.
    pub keep_alive: Duration,
    /// The interval in which an idle stream should send an event or a comment.
    pub sign_of_life: Duration,
    /// The time after which the session of a vanished agent must be freed.
    pub freed: Duration,
    /// The longest time of a check that only waits; a check that needs more is skipped.
    pub wait: Duration,
    /// The wait for the end of the companion after the end of the editor.
    pub stop: Duration,
    /// The size of a large proposal, in bytes.
    pub large: usize,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(5),
            quiet: Duration::from_millis(400),
            keep_alive: Duration::from_secs(300),
            sign_of_life: Duration::from_secs(20),
            freed: Duration::from_secs(60),
            wait: Duration::from_secs(70),
            stop: Duration::from_secs(40),
            large: 12 << 20,
        }
    }
}
