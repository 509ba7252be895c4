//! A review as rows on a screen. [`Page`] knows the place of each line and hunk; the other files draw and
//! search it.

mod alignment;
mod columns;
mod content;
mod draw;
mod enclosing;
mod find;
mod hunk_marks;
mod known_hunks;
mod like_lines;
mod line;
mod line_pairs;
mod notes;
mod page;
mod rows;
mod seen_lines;
#[cfg(test)]
mod tests;
mod texts;
mod wrapping;

pub(crate) use draw::{DrawOptions, draw};
pub(crate) use find::{Match, Needle};
pub use hunk_marks::{HunkMarks, LineMarks, columns_of, cut_at};
pub(crate) use notes::{NoteKind, NoteLine, NotePlace, PageLines, PageNote};
pub(crate) use page::{Page, PageForm};
pub(crate) use seen_lines::{SeenLines, ShownLine};
pub(crate) use wrapping::Wrap;
