//! The longest waits of a run, and the size of its large proposal.

use std::time::Duration;

/// The longest waits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For an answer, or for something that must come by itself.
    pub answer: Duration,
    /// For something that must not come.
    pub quiet: Duration,
    /// The silence on a stream after which agents give it up.
    pub keep_alive: Duration,
    /// The interval in which an idle stream should give a sign of life.
    pub sign_of_life: Duration,
    /// The time after which the session of an agent that is gone has to be freed.
    pub freed: Duration,
    /// The longest time of a check that only waits; a check that needs more is skipped.
    pub wait: Duration,
    /// For the companion to be gone after the editor has ended.
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
