//! The outcomes of diffs, as agents receive them.

use serde_json::Value;

use crate::harness::case::Case;
use crate::http::stream_listener::Listener;

/// The methods of all notifications that end a diff.
pub(crate) const OUTCOMES: [&str; 3] = ["ide/diffAccepted", "ide/diffRejected", "ide/diffClosed"];

/// Waits for an outcome since the mark.
pub(crate) async fn wait_for_outcome(case: &Case<'_>, listener: &Listener, mark: usize) -> Option<Value> {
    listener.message(mark, case.timeouts().answer, &OUTCOMES).await
}
