//! The requests of desks about turn reviews.

use alongside_desk::{CommentId, LineRange, Refusal, ReviewId, Side, TurnId};

use crate::reviews::reviewed_text::Edit;

const READ_ONLY: &str = "the texts of a turn are read only here: open the file itself";
const NO_REASON: &str = "a change of a turn takes no reason: write a comment";
const NO_DECISION: &str =
    "the changes of a turn are in their files already: mark those that are to be undone, then finish";

#[derive(Debug)]
pub(crate) enum TurnRequest {
    /// A look at a working tree; without a directory, at that of the first root.
    Look { directory: Option<String>, since: Option<String> },
    /// A file of the list of this revision is opened.
    Open { turn: TurnId, revision: u64, file: usize },
    /// A file of the list of this revision is to be undone as a whole, or not.
    Mark { turn: TurnId, revision: u64, file: usize, undo: bool },
    /// A comment is written, changed or removed.
    Comment(TurnId, CommentRequest),
    /// The marked changes are undone, or the agent is asked to undo them; and the agent gets a message.
    Finish { turn: TurnId, revision: u64, send: bool, ask_to_undo: bool },
    /// A change of an open file, whose text has this id and revision.
    Edit { text: ReviewId, revision: u64, edit: Edit },
    /// A decision on an open file, as if it were a proposal.
    Decide,
}

#[derive(Debug)]
pub(crate) enum CommentRequest {
    /// A new comment on the whole turn, or on a file of the list of this revision.
    Add { revision: u64, file: Option<usize>, lines: Option<LineRange>, side: Side, text: String },
    /// Other words for a comment; no words remove it.
    Change { id: CommentId, text: String },
}

/// Fails for a change of the text of a turn that does more than mark.
pub(super) fn check_marks(edit: &Edit) -> Result<(), Refusal> {
    match edit {
        Edit::Type(_) => Err(other(READ_ONLY)),
        Edit::SetReason { .. } => Err(other(NO_REASON)),
        Edit::Keep { .. } | Edit::Split { .. } | Edit::Undo | Edit::Redo => Ok(()),
    }
}

/// The refusal of a decision on a file of a turn.
pub(super) fn no_decision() -> Refusal {
    other(NO_DECISION)
}

fn other(words: &str) -> Refusal {
    Refusal::Other { words: words.to_owned() }
}
