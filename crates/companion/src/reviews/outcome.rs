//! The outcome of a review: what its agent is told at the end.

use std::sync::Arc;

use alongside_desk::Closing;

use super::reviewed_text::ReviewedText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The person accepted this text.
    Accepted(Arc<str>),
    Rejected,
    /// The review ended without a decision, and nobody can decide any more.
    Withdrawn,
}

impl Outcome {
    /// The outcome of a review of this text that ended as `closing` says; `None` if its agent waits for no
    /// outcome.
    pub(crate) fn of(text: &ReviewedText, closing: Closing) -> Option<Self> {
        match closing {
            Closing::Accepted => Some(Self::Accepted(text.current().clone())),
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
