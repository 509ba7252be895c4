//! The policies of the line desk, and the ways in which it ends.

use std::time::Duration;

/// How long a desk that is left waits for the companion's last events: a frozen one says nothing.
pub(super) const LEAVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The policy: who or what decides on a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    /// The person, each time.
    Ask,
    /// The desk accepts everything as proposed.
    AcceptAll,
    /// The desk rejects everything.
    RejectAll,
}

/// Why the desk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The person left.
    Left,
    /// A signal came; its number.
    Signal(i32),
    /// The task of the desk is done.
    Done,
    /// The task of the desk is done in part, or not at all, as it has said.
    Failed,
    /// The companion has stopped.
    Gone,
    /// Nobody reads the output any more.
    Unread,
}
