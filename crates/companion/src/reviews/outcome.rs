//! The outcome of a review: what its agent is told at the end.

use std::sync::Arc;

use alongside_desk::Closing;

use super::reviewed_text::ReviewedText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With this text.
    Accepted(Arc<str>),
    Rejected,
    /// Nobody can decide any more.
    Withdrawn,
}

impl Outcome {
    /// The outcome of a review of this text that ended so; `None` if its agent waits for none.
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
