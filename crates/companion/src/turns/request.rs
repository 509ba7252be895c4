//! The requests of desks about turn reviews.

use alongside_desk::{CommentId, LineRange, Refusal, ReviewId, Side, TurnId};

use crate::reviews::reviewed_text::Edit;

const READ_ONLY: &str = "the texts of a turn are read-only here: edit the file itself";
const NO_REASON: &str = "a change of a turn takes no reason: write a comment";
const NO_DECISION: &str =
    "the changes of a turn are already in their files: mark those that are to be undone, then finish";

/// A request of a desk about turn reviews.
#[derive(Debug)]
pub(crate) enum TurnRequest {
    /// Look at a working tree, or at that of the first root if there is no directory: its changes since this
    /// revision of git, or since the baseline.
    Look { directory: Option<String>, since: Option<String> },
    /// Open a file of the list of this revision.
    Open { turn: TurnId, revision: u64, file: usize },
    /// Mark a file of the list of this revision as a whole, or remove its marks.
    Mark { turn: TurnId, revision: u64, file: usize, undo: bool },
    /// Write, change or remove a comment.
    Comment(TurnId, CommentRequest),
    /// Undo the marked changes, or ask the agent to undo them; and send the agent a message.
    Finish { turn: TurnId, revision: u64, send: bool, ask_to_undo: bool },
    /// Change an open file, whose text has this id and revision.
    Edit { text: ReviewId, revision: u64, edit: Edit },
    /// Decide on an open file as on a proposal. This is always refused.
    Decide,
}

/// A request about a comment.
#[derive(Debug)]
pub(crate) enum CommentRequest {
    /// Add a comment on the whole turn, or on a file of the list of this revision.
    Add { revision: u64, file: Option<usize>, lines: Option<LineRange>, side: Side, text: String },
    /// Replace the text of a comment; an empty text removes the comment.
    Change { id: CommentId, text: String },
}

/// Refuses an edit that would change the text of a turn or give a reason for a change.
pub(super) fn check_marks(edit: &Edit) -> Result<(), Refusal> {
    match edit {
        Edit::Type(_) => Err(refusal(READ_ONLY)),
        Edit::SetReason { .. } => Err(refusal(NO_REASON)),
        Edit::Keep { .. } | Edit::Split { .. } | Edit::Undo | Edit::Redo => Ok(()),
    }
}

/// Returns the refusal of a decision on a file of a turn.
pub(super) fn no_decision() -> Refusal {
    refusal(NO_DECISION)
}

fn refusal(message: &str) -> Refusal {
    Refusal::Other { words: message.to_owned() }
}
