//! The columns of a page: margin, line numbers, signs, and the room for text.

use std::ops::Range;

use ratatui_core::layout::Rect;

use crate::options::Layout;

/// The least columns for text beside line numbers. With less room, the line numbers are left out.
const MIN_TEXT_COLUMNS: u16 = 16;

/// The line numbers before a line.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    Original,
    Current,
    Both,
}

/// The columns of a row.
pub(super) struct Columns {
    /// The digits of a line number; 0 if there is no room for numbers.
    pub(super) digits: u16,
    /// The columns of the left side and of the right side, without the margin and the line between the sides.
    /// The right side is empty in the one-column layout.
    pub(super) halves: (Range<u16>, Range<u16>),
    pub(super) numbers: Numbers,
}

impl Columns {
    /// Creates the columns of an area for line numbers up to `lines`.
    pub(super) fn new(area: Rect, lines: usize, shape: Layout, is_one_sided: bool) -> Self {
        let digits = u16::try_from(lines.max(1).ilog10() + 1).unwrap_or(1);
        let inner = area.right().min(area.x + 1)..area.right();
        let mut columns = match shape {
            Layout::OneColumn => {
                let numbers = if is_one_sided { Numbers::Current } else { Numbers::Both };
                Self { digits, halves: (inner, 0..0), numbers }
            }
            Layout::SideBySide => {
                let middle = inner.start + (inner.end - inner.start).saturating_sub(1) / 2;
                let halves = (inner.start..middle, inner.end.min(middle + 1)..inner.end);
                Self { digits, halves, numbers: Numbers::Original }
            }
        };
        let room = columns.halves.0.end - columns.halves.0.start;
        if room < columns.prefix() + MIN_TEXT_COLUMNS {
            columns.digits = 0;
        }
        columns
    }

    /// Whether the original is beside the current text.
    pub(super) fn is_split(&self) -> bool {
        matches!(self.numbers, Numbers::Original)
    }

    /// The columns before the text: numbers, the sign and spaces.
    pub(super) fn prefix(&self) -> u16 {
        let numbers = match (self.digits, self.numbers) {
            (0, _) => 0,
            (digits, Numbers::Both) => 2 * (digits + 1),
            (digits, Numbers::Original | Numbers::Current) => digits + 1,
        };
        numbers + 2
    }

    /// The columns for text on the left and on the right side.
    pub(super) fn rooms(&self) -> (usize, usize) {
        let room = |half: &Range<u16>| half.len().saturating_sub(self.prefix().into());
        (room(&self.halves.0), room(&self.halves.1))
    }

    /// The columns that every line has, whatever its side.
    pub(super) fn room(&self) -> usize {
        match (self.numbers, self.rooms()) {
            (Numbers::Current | Numbers::Both, (room, _)) => room,
            (Numbers::Original, (left, right)) => left.min(right),
        }
    }

    /// The columns for a sentence or a note, which spans both sides.
    pub(super) fn reason_room(&self) -> usize {
        let (left, right) = &self.halves;
        left.end.max(right.end).saturating_sub(left.start + self.prefix()).into()
    }
}
