//! The policies of line mode, and its end: the reasons, and the signals that bring it.

use std::ops::ControlFlow;
use std::time::Duration;

use alongside_common::signals::{INTERRUPT, Signals};

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

/// Waits for a signal that ends the desk. The terminal also sends Ctrl-C to an open editor, where it has
/// another meaning. Cancel safe.
pub(super) async fn end_signal(signals: &mut Signals, has_editor: bool) -> i32 {
    loop {
        let signal = signals.next().await;
        if !(has_editor && signal == INTERRUPT) {
            return signal;
        }
    }
}

/// Runs a task of the desk, unless a signal ends the desk meanwhile: a frozen companion answers no request.
/// The task stores the person's texts before it awaits a reply.
pub(super) async fn unless_ended<T>(
    signals: &mut Signals,
    has_editor: bool,
    task: impl Future<Output = T>,
) -> ControlFlow<Ending, T> {
    // A task that needs no reply is completed in any case.
    tokio::select! {
        biased;
        result = task => ControlFlow::Continue(result),
        signal = end_signal(signals, has_editor) => ControlFlow::Break(Ending::Signal(signal)),
    }
}
