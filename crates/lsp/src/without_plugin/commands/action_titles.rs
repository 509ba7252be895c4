//! The titles of the actions on the changes of a proposal. A title states that the action drops an edit.

use alongside_desk::Review;

/// The person's edits among some changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edits {
    None,
    Some,
    /// All of these changes are the person's own: the agent left their lines as they were.
    Only,
}

/// Returns the title of the action that takes the original's lines for some changes.
pub(crate) fn drop(count: usize, edits: Edits) -> String {
    match (count, edits) {
        (1, Edits::Only) => "Take out what you typed here".into(),
        (1, Edits::Some) => "Drop this change and your edit of it".into(),
        (1, Edits::None) => "Drop this change".into(),
        (many, Edits::None) => format!("Drop these {many} changes"),
        (many, Edits::Some | Edits::Only) => format!("Drop these {many} changes and your edits of them"),
    }
}

/// Returns the title of the action that takes the agent's lines for some changes.
pub(crate) fn keep(count: usize, edits: Edits) -> String {
    match (count, edits) {
        (1, Edits::None) => "Keep this change".into(),
        (1, Edits::Some | Edits::Only) => "Take the agent's text (drops your edit)".into(),
        (many, Edits::None) => format!("Keep these {many} changes"),
        (many, Edits::Some | Edits::Only) => {
            format!("Take the agent's text of these {many} changes (drops your edits)")
        }
    }
}

/// Returns the title of the action that goes to the next change, or to the only one; to the first line
/// without any.
pub(crate) fn next_change(review: &Review) -> String {
    let which = match review.hunks.len() {
        0 => "Go to the first line (only the whole file counts)",
        1 => "Go to the change",
        _ => "Next change",
    };
    format!("alongside: {which}")
}

/// Returns the number of changes that accepting would keep, for the title of the action; empty if it keeps
/// all.
pub(crate) fn kept(kept: usize, count: usize) -> String {
    match kept {
        _ if kept == count => String::new(),
        0 => " (no change is kept: reject it instead)".into(),
        kept => format!(" ({kept} of {count} changes)"),
    }
}
