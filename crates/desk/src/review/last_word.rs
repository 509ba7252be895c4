//! The last word of a review: the content of its file after the person's decision. The agent writes the
//! file, and may write another text than the decided one.

use serde::{Deserialize, Serialize};

use crate::review::ReviewId;

/// The last word of a decided review. A later one about the same review takes the place of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastWord {
    /// The review, which has ended.
    pub id: ReviewId,
    /// The file of the review, as the agent spells it.
    pub file: String,
    /// The content of the file, compared with the decision.
    pub word: Word,
    /// The last word for the person, in one line. Harmless to show.
    pub message: String,
}

/// The content of a file after a decision on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Word {
    /// The accepted text, with line ends and a byte-order mark as its agent writes them.
    WrittenAsAccepted,
    /// The text of before, though another one was accepted.
    NotWritten,
    /// Neither the accepted text nor the text of before, such as the text of a formatter or of the person.
    SomethingElse,
    /// The file is gone, though a text was accepted for it.
    Gone,
    /// The text that was rejected.
    WrittenThoughRejected,
    /// The text that was proposed, though the agent broke off the review before anybody decided: its hook may
    /// have died.
    WrittenUndecided,
}

impl Word {
    /// Whether the file holds what the person decided.
    pub fn is_as_decided(self) -> bool {
        self == Self::WrittenAsAccepted
    }
}
