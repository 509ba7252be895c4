//! The notifications that tell an agent the outcome of its review.

use std::sync::Arc;

use alongside_contract::diff::{
    DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted, DiffClosed, DiffRejected,
};
use alongside_contract::rpc;
use alongside_desk::Closing;

use super::review::PendingReview;

/// The notifications of an outcome, if the agent waits for it. `closes`: it waits for `ide/diffClosed`.
pub(crate) fn messages(review: &PendingReview, closing: Closing, closes: bool) -> Vec<Arc<str>> {
    let file_path = review.file_path().to_owned();
    match closing {
        Closing::Accepted => {
            let content = review.current().to_string();
            vec![rpc::notification(DIFF_ACCEPTED, &DiffAccepted { file_path, content }).into()]
        }
        Closing::AnsweredInAgent | Closing::Replaced => Vec::new(),
        Closing::Rejected
        | Closing::AgentGone
        | Closing::Stopped
        | Closing::EditorGone
        | Closing::Interrupted => rejected(file_path, closes),
    }
}

/// The notifications of a rejection.
pub(crate) fn rejected(file_path: String, closes: bool) -> Vec<Arc<str>> {
    let rejected = DiffRejected { file_path: file_path.clone() };
    let mut messages = vec![rpc::notification(DIFF_REJECTED, &rejected).into()];
    if closes {
        // Agents of mid 2025 understand no other.
        messages.push(rpc::notification(DIFF_CLOSED, &DiffClosed { file_path, content: None }).into());
    }
    messages
}
