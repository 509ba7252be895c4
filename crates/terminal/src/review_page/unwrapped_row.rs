//! An *unwrapped row*: a line of one text or of two, with numbers and a sign, or a sentence in their place.

use super::texts::Side;

/// The content of an unwrapped row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    /// A fold over `lines` lines. `next` is the line of the current text after them.
    Fold { lines: usize, open: bool, next: usize },
    /// One cell over the whole width.
    One(Cell),
    /// A line of the original beside the line that replaces it. A side without a line is empty.
    Two(Option<Cell>, Option<Cell>),
    /// The sentence that a hunk is dropped, above the lines that are not written.
    Dropped(usize),
    /// A sentence below a hunk, by the index of the hunk and the number of the sentence, over the whole
    /// width.
    Sentence(usize, usize),
    /// The row in place of a folded hunk.
    FoldedHunk(usize),
}

impl Row {
    /// The cells of the row, the left one first.
    pub(super) fn cells(self) -> impl Iterator<Item = Cell> {
        let (left, right) = match self {
            Self::Fold { .. } | Self::Dropped(_) | Self::Sentence(..) | Self::FoldedHunk(_) => (None, None),
            Self::One(cell) => (Some(cell), None),
            Self::Two(left, right) => (left, right),
        };
        left.into_iter().chain(right)
    }
}

/// A line in a row. All line numbers count from 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// The text that the line is from.
    pub(super) side: Side,
    /// The number of the line in that text.
    pub(super) line: usize,
    /// The line with the same words, whose colours are used until the colours of this line are computed. For
    /// an unchanged or kept line, this is a line of the proposal, which never changes.
    pub(super) twin: (Side, usize),
    /// The number of the line in the original, if the original has the line.
    pub(super) original: Option<usize>,
    /// The number of the line in the current text, if the current text has the line.
    pub(super) current: Option<usize>,
    pub(super) sign: Sign,
    /// The hunk that contains the line, if there is one.
    pub(super) hunk: Option<usize>,
}

/// The sign of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The line stays.
    Same,
    /// The line is removed.
    Removed,
    /// The line is added.
    Added,
    /// The person has written the line.
    Edited,
    /// The proposal adds the line, and the person has dropped it.
    Dropped,
}

impl Sign {
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Removed => "-",
            Self::Added => "+",
            Self::Edited => "~",
            Self::Dropped => "x",
        }
    }
}
