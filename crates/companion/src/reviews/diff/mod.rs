//! The differences between the original, the proposal and the current text: lines, hunks and words.

mod comparison;
pub(crate) mod composition;
mod differences;
pub(crate) mod line_diff;
mod line_pairs;
mod original_text;
mod regions;
mod segment_view;
mod segments;
mod split_hunk;
mod tokens;
pub(crate) mod word_diff;
pub(crate) mod word_marks;
