//! The outcome of a review: what its agent is told at the end.

use std::sync::Arc;

use alongside_contract::diff::{
    DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted, DiffClosed, DiffRejected,
};
use alongside_contract::rpc;
use alongside_desk::Closing;

use super::review::PendingReview;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With this text.
    Accepted(Arc<str>),
    Rejected,
}

impl Outcome {
    /// The outcome of a review that ended so; `None` if its agent waits for none.
    pub(crate) fn of(review: &PendingReview, closing: Closing) -> Option<Self> {
        match closing {
            Closing::Accepted => Some(Self::Accepted(review.current().clone())),
            Closing::AnsweredInAgent | Closing::Replaced => None,
            Closing::Rejected
            | Closing::AgentGone
            | Closing::Stopped
            | Closing::EditorGone
            | Closing::Interrupted => Some(Self::Rejected),
        }
    }

    /// Its notifications, as JSON. `closes`: the agent may understand no rejection but `ide/diffClosed`, as
    /// agents of mid 2025.
    pub(crate) fn messages(&self, file_path: &str, closes: bool) -> Vec<String> {
        let file_path = || file_path.to_owned();
        match self {
            Self::Accepted(text) => {
                let accepted = DiffAccepted { file_path: file_path(), content: text.to_string() };
                vec![rpc::notification(DIFF_ACCEPTED, &accepted)]
            }
            Self::Rejected => {
                let rejected = rpc::notification(DIFF_REJECTED, &DiffRejected { file_path: file_path() });
                let closed = DiffClosed { file_path: file_path(), content: None };
                let closed = closes.then(|| rpc::notification(DIFF_CLOSED, &closed));
                std::iter::once(rejected).chain(closed).collect()
            }
        }
    }
}
