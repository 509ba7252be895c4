//! The policies of line mode, and the reasons for its end.

use std::time::Duration;

/// The time that a leaving desk waits for the companion's last events, which a frozen companion never sends.
pub(super) const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The policy for decisions on reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    /// The person decides on each review.
    Ask,
    /// The desk accepts every review as proposed.
    AcceptAll,
    /// The desk rejects every review.
    RejectAll,
}

/// The reason why the desk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The person left.
    Left,
    /// A signal with this number came.
    Signal(i32),
    /// The task of the desk is done.
    Done,
    /// The task of the desk has failed in part or as a whole, and the desk has reported it.
    Failed,
    /// The companion has stopped.
    Gone,
    /// Standard output is closed.
    OutputClosed,
}
