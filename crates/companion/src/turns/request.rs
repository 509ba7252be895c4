//! The requests of desks about turn reviews.

use alongside_desk::{ReviewId, TurnId};

use crate::reviews::reviewed_text::Edit;

#[derive(Debug)]
pub(crate) enum TurnRequest {
    /// A look at a working tree; without a directory, at that of the first root.
    Look { directory: Option<String>, since: Option<String> },
    /// A file of the list of this revision is opened.
    Open { turn: TurnId, revision: u64, file: usize },
    /// A file of the list of this revision is to be undone as a whole, or not.
    Mark { turn: TurnId, revision: u64, file: usize, undo: bool },
    /// All that is marked is undone.
    Finish { turn: TurnId, revision: u64 },
    /// A change of an open file, whose text has this id and revision.
    Edit { text: ReviewId, revision: u64, edit: Edit },
    /// A decision on an open file, as if it were a proposal.
    Decide,
}
