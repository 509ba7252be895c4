//! Makes lines of the log of comments, with only the content that a test needs.

use alongside_desk::{Anchor, CommentId};

use crate::Delivery;
use crate::lines::anchors::Quotation;
use crate::store::comment_line::Line;

/// Returns the line of a comment without an anchor.
pub(crate) fn written(id: u64, text: &str) -> Line {
    let (anchor, quotation) = (Anchor::default(), Quotation::default());
    let (file, back) = (None, None);
    Line::Written { id: CommentId(id), anchor, quotation, file, text: text.into(), back, at: id }
}

/// Returns the line of a round with these comments, for any session.
pub(crate) fn sent(round: u64, comments: &[u64]) -> Line {
    let comments = comments.iter().map(|id| CommentId(*id)).collect();
    let (undone, to, beside, trees) = (Vec::new(), None, Vec::new(), None);
    Line::Sent { round, comments, undone, to, beside, trees, keeps: None, at: 9 }
}

/// Returns the line that removes a comment.
pub(crate) fn removed(id: u64) -> Line {
    Line::Changed { id: CommentId(id), text: String::new(), about: None, at: 9 }
}

/// Returns the line that a round was read at this time.
pub(crate) fn read(round: u64, at: u64) -> Line {
    Line::Read { rounds: vec![round], delivery: Delivery::Prompt, by: None, at }
}
