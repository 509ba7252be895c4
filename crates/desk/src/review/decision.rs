//! The decision on a review, its end, and the companion's answers to requests.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::review::ReviewId;

/// The person's decision on a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Hand the current text to the agent, which writes it.
    Accept,
    /// Refuse the proposal.
    Reject,
}

/// A review has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    /// The review.
    pub id: ReviewId,
    /// The reason of the end.
    pub closing: Closing,
    /// Whether this desk's decision ended the review. Of two decisions that come at once, the first one
    /// counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decided_here: bool,
    /// The name of the desk at which the person decided, for people, if it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_in: Option<String>,
    /// The draft with the person's edits, if the review ended without accepting them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(serialize_with = "shown")]
    pub draft: Option<PathBuf>,
    /// The next step of the agent after a decision.
    #[serde(default, skip_serializing_if = "Follows::is_the_write")]
    pub follows: Follows,
}

impl Closed {
    /// Returns the end of a review without a draft, by no desk, after which the agent goes on as usual.
    pub fn of(id: ReviewId, closing: Closing) -> Self {
        let (decided_here, decided_in, draft, follows) = Default::default();
        Self { id, closing, decided_here, decided_in, draft, follows }
    }
}

/// The next step of the agent after a decision, as far as the companion knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Follows {
    /// The agent waits for the decision, and writes an accepted text.
    #[default]
    Write,
    /// The agent waits for the decision, and may ask in its own prompt before it writes.
    Prompt,
    /// The agent cannot take the text that a person accepted: its model is asked to propose that text.
    Proposal,
    /// The agent waits no longer: its model hears the decision if it calls the tool again, and may never do
    /// so.
    Call,
}

impl Follows {
    /// Whether nothing is written before the agent's model calls its tool again.
    pub fn needs_another_call(self) -> bool {
        matches!(self, Self::Proposal | Self::Call)
    }

    fn is_the_write(&self) -> bool {
        *self == Self::Write
    }
}

/// Returns a path as text: Serde refuses one that is not UTF-8, and with it the whole message.
fn shown<S: serde::Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

/// The reason why a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Closing {
    /// A person accepted the review at a desk.
    Accepted,
    /// A person rejected the review at a desk.
    Rejected,
    /// The agent took the review back, since the person answered in the agent's own prompt.
    AnsweredInAgent,
    /// The same agent proposed the same file anew.
    Replaced,
    /// The agent is gone.
    AgentGone,
    /// The companion stops.
    Stopped,
    /// The editor that the companion belongs to is gone.
    EditorGone,
    /// The companion was interrupted, by a crash for instance: what was open is rejected.
    Interrupted,
    /// The agent's hook waits no longer: the agent was refused.
    TimedOut,
}

/// A request was carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revised {
    /// The review's revision now; 0 for requests that name no review.
    pub revision: u64,
}

/// A request was not carried out, and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "why", rename_all = "camelCase")]
pub enum Refusal {
    /// There is no such review, or it has ended.
    #[error("this review has already ended")]
    NoSuchReview,
    /// The review has changed since; the desk is shown the new revision.
    #[error("the review has changed: look at it again")]
    Stale {
        /// The revision now.
        revision: u64,
    },
    /// The text is what the file already holds, and agents take that for an error.
    #[error("there is nothing to accept: the file holds this text already; reject it instead")]
    Unchanged,
    /// The text is empty, and agents would write their whole proposal instead.
    #[error(
        "an empty text cannot be accepted: the agent would write its whole proposal instead; \
         reject it, or leave a single newline"
    )]
    Empty,
    /// The proposal can only be taken or left whole.
    #[error("this proposal can only be accepted or rejected as a whole: {reason}")]
    WholeFileOnly {
        /// The reason why the review counts as a whole only.
        reason: String,
    },
    /// There is no such hunk, or no smaller one in it.
    #[error("this change cannot be split any further")]
    CannotSplit,
    /// A hunk or position is outside the text.
    #[error("there is no such place in the text: {place}")]
    OutOfRange {
        /// The place in the request.
        place: String,
    },
    /// The companion was interrupted and will return.
    #[error("the companion was interrupted and is coming back: try again in a moment")]
    Interrupted,
    /// A newer companion refuses for a reason that this program does not know.
    #[error("{words}")]
    Other {
        /// The companion's words.
        words: String,
    },
    /// No connected agent takes files for its prompt.
    #[error("no agent here takes files; Claude Code and OpenCode do")]
    NoAgentTakesFiles,
    /// The way to the agent carries no reason.
    #[error("the agent reads no reason: its protocol carries none; a reason needs its hook")]
    NoReason,
    /// There is no such turn review, or its list has changed since.
    #[error("the list of changes is another one now: look at it again")]
    NoSuchTurn,
    /// The store of turns cannot tell the changes.
    #[error("the changes cannot be told: {reason}")]
    TurnUnknown {
        /// The reason. Harmless to show.
        reason: String,
    },
    /// There is no such comment in this working tree, or it was removed.
    #[error("there is no such comment any more")]
    NoSuchComment,
    /// An agent has read the comment.
    #[error("the agent has read that comment: write another one")]
    CommentRead,
    /// The comment could not be saved.
    #[error("the comment is not saved: {reason}")]
    CommentNotKept {
        /// The reason. Harmless to show.
        reason: String,
    },
    /// Nothing to undo.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// Nothing was undone, or the review has changed since.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The companion has stopped.
    #[error("the companion has stopped")]
    Stopped,
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn any_draft_path_fits_into_the_closing_message() {
        let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"/home/\xff/a.txt");
        let draft = Some(PathBuf::from(odd));
        let closed = Closed { draft, ..Closed::of(ReviewId(1), Closing::Rejected) };
        let told = serde_json::to_value(&closed).unwrap();
        assert_eq!(told["draft"], "/home/\u{fffd}/a.txt");
    }
}
