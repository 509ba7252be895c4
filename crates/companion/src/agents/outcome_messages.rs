//! The messages that carry an outcome to an agent: notifications, or the response to the call that opened the
//! diff.

use alongside_contract::diff::{
    DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted, DiffClosed, DiffRejected,
};
use alongside_contract::rpc::{self, Id};
use alongside_contract::websocket;

use crate::reviews::outcome::Outcome;

/// A call of `openDiff` that stays open until the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenCall {
    pub(crate) id: Id,
    /// The agent's name for the review.
    pub(crate) tab: String,
}

/// The way in which an agent gets an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// By notifications. `closes`: the agent may understand no rejection but `ide/diffClosed`, as agents of
    /// mid 2025.
    Notified { closes: bool },
    /// By the response to its call.
    Answered(OpenCall),
}

/// Returns the messages that carry an outcome, as JSON.
pub(super) fn messages(outcome: &Outcome, file_path: &str, delivery: &Delivery) -> Vec<String> {
    match delivery {
        Delivery::Notified { closes } => notifications(outcome, file_path, *closes),
        Delivery::Answered(call) => vec![response(outcome, call)],
    }
}

fn notifications(outcome: &Outcome, file_path: &str, closes: bool) -> Vec<String> {
    let file_path = || file_path.to_owned();
    match outcome {
        Outcome::Accepted(text) => {
            let accepted = DiffAccepted { file_path: file_path(), content: text.to_string() };
            vec![rpc::notification(DIFF_ACCEPTED, &accepted)]
        }
        // A withdrawal is sent as a rejection: no other message ends the agent's wait.
        Outcome::Rejected | Outcome::Withdrawn => {
            let rejected = rpc::notification(DIFF_REJECTED, &DiffRejected { file_path: file_path() });
            let closed = DiffClosed { file_path: file_path(), content: None };
            let closed = closes.then(|| rpc::notification(DIFF_CLOSED, &closed));
            std::iter::once(rejected).chain(closed).collect()
        }
    }
}

fn response(outcome: &Outcome, call: &OpenCall) -> String {
    match outcome {
        Outcome::Accepted(text) => rpc::reply(&call.id, &websocket::accepted(text)),
        Outcome::Rejected => rpc::reply(&call.id, &websocket::rejected(&call.tab)),
        // The person decides in the agent's own prompt.
        Outcome::Withdrawn => {
            rpc::error(Some(&call.id), rpc::INVALID_REQUEST, "nobody can decide here any more")
        }
    }
}
