//! The outcome of a review: the end of the review as its agent gets it.

use std::sync::Arc;

use alongside_desk::Closing;

/// The outcome of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The person accepted this text.
    Accepted(Arc<str>),
    Rejected,
    /// The review ended without a decision, and no decision can follow.
    Withdrawn,
}

impl Outcome {
    /// Returns the outcome of a review with this last text; `None` if its agent waits for no outcome.
    /// `closing` is the reason why the review has ended.
    pub(crate) fn of(text: &Arc<str>, closing: Closing) -> Option<Self> {
        match closing {
            Closing::Accepted => Some(Self::Accepted(text.clone())),
            Closing::AnsweredInAgent | Closing::Replaced => None,
            Closing::Rejected => Some(Self::Rejected),
            Closing::AgentGone
            | Closing::Stopped
            | Closing::EditorGone
            | Closing::Interrupted
            | Closing::TimedOut => Some(Self::Withdrawn),
        }
    }
}
