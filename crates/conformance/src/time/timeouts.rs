//! How long a run waits for what, and how large its large proposal is.

use std::time::Duration;

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For an answer, or for something that must come by itself.
    pub answer: Duration,
    /// For something that must not come.
    pub quiet: Duration,
    /// How long agents hear nothing on a stream before they give it up.
    pub keep_alive: Duration,
    /// How often there should be a sign of life on an idle stream.
    pub sign_of_life: Duration,
    /// When a session is to be freed whose agent is gone.
    pub freed: Duration,
    /// How long a run goes on for what only time shows; what takes longer is skipped.
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
