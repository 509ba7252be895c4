//! The differences between the original, the proposal and the current text: lines, hunks and words.

pub(crate) mod composition;
pub(crate) mod line_diff;
mod segment_view;
mod segments;
mod split_hunk;
pub(crate) mod word_diff;
