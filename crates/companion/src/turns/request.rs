//! The requests of desks about turn reviews.

use alongside_desk::{CommentId, LineRange, ReviewId, Side, TurnId};

use crate::reviews::reviewed_text::Edit;

#[derive(Debug)]
pub(crate) enum TurnRequest {
    /// A look at a working tree; without a directory, at that of the first root.
    Look { directory: Option<String>, since: Option<String> },
    /// A file of the list of this revision is opened.
    Open { turn: TurnId, revision: u64, file: usize },
    /// A file of the list of this revision is to be undone as a whole, or not.
    Mark { turn: TurnId, revision: u64, file: usize, undo: bool },
    /// A comment on the whole, or on a file of the list of this revision.
    AddComment {
        turn: TurnId,
        revision: u64,
        file: Option<usize>,
        lines: Option<LineRange>,
        side: Side,
        text: String,
    },
    /// Other words for a comment; none to remove it.
    ChangeComment { turn: TurnId, id: CommentId, text: String },
    /// All that is marked is undone, or the agent is asked to; and it gets a message.
    Finish { turn: TurnId, revision: u64, send: bool, ask_to_undo: bool },
    /// A change of an open file, whose text has this id and revision.
    Edit { text: ReviewId, revision: u64, edit: Edit },
    /// A decision on an open file, as if it were a proposal.
    Decide,
}
