//! A review as rows on a screen. [`Page`] has the row of each line and hunk; the other files draw and search
//! the page.

mod accepted_hunks;
mod alignment;
mod columns;
mod content;
mod draw;
mod draw_line;
mod enclosing_heading;
mod hunk_alignments;
mod hunk_emphasis;
mod kind;
mod like_lines;
mod line_pairs;
mod line_place;
mod notes;
mod page;
mod row_identity;
mod row_wrapping;
mod rows;
mod search;
mod seen_lines;
mod sentences;
#[cfg(test)]
mod tests;
mod texts;
mod unwrapped_row;
mod wrapping;

pub(crate) use draw::{DrawOptions, draw};
pub use hunk_emphasis::{HunkEmphasis, LineEmphasis, columns_of, cut_at};
pub(crate) use kind::ReviewKind;
pub(crate) use notes::{NoteKind, NoteLine, NotePlace, PageLines, PageNote};
pub(crate) use page::{Page, PageForm};
pub(crate) use row_identity::RowIdentity;
pub(crate) use search::{Match, Needle};
pub(crate) use seen_lines::{SeenLines, ShownLine};
pub(crate) use wrapping::Wrap;
