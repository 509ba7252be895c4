//! The difference between the original, the proposal and the current text: lines, hunks, words, and the final
//! text.

pub(crate) mod composition;
mod hunk_view;
pub(crate) mod line_diff;
mod segments;
pub(crate) mod word_diff;
