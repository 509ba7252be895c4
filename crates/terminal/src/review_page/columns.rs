//! The columns of a page: margin, line numbers, signs, and the room that is left for text.

use std::ops::Range;

use ratatui_core::layout::Rect;

use crate::options::Layout;

/// A text with less room than this gets the room of the line numbers too.
const NARROWEST: u16 = 16;

/// Which line numbers stand before a line.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    Original,
    Current,
    Both,
}

/// The columns of a row.
pub(super) struct Columns {
    /// Of a line number; none if there is no room.
    pub(super) digits: u16,
    /// The room of the left half and of the right one, behind the margin and without the line between; the
    /// right one is empty if there is one column.
    pub(super) halves: (Range<u16>, Range<u16>),
    pub(super) numbers: Numbers,
}

impl Columns {
    /// The columns of an area for numbers up to `lines`.
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
        if room < columns.prefix() + NARROWEST {
            columns.digits = 0;
        }
        columns
    }

    /// Whether the original stands beside the text.
    pub(super) fn is_split(&self) -> bool {
        matches!(self.numbers, Numbers::Original)
    }

    /// Columns before the text: numbers, sign, blanks.
    pub(super) fn prefix(&self) -> u16 {
        let numbers = match (self.digits, self.numbers) {
            (0, _) => 0,
            (digits, Numbers::Both) => 2 * (digits + 1),
            (digits, Numbers::Original | Numbers::Current) => digits + 1,
        };
        numbers + 2
    }

    /// The room for text on the left and on the right.
    pub(super) fn rooms(&self) -> (usize, usize) {
        let room = |half: &Range<u16>| half.len().saturating_sub(self.prefix().into());
        (room(&self.halves.0), room(&self.halves.1))
    }

    /// The room that every line has.
    pub(super) fn room(&self) -> usize {
        match (self.numbers, self.rooms()) {
            (Numbers::Current | Numbers::Both, (room, _)) => room,
            (Numbers::Original, (left, right)) => left.min(right),
        }
    }

    /// The room for the reason of a hunk, over both sides.
    pub(super) fn reason_room(&self) -> usize {
        let (left, right) = &self.halves;
        left.end.max(right.end).saturating_sub(left.start + self.prefix()).into()
    }
}
