//! The columns of a page: margin, line numbers, signs, and the room that is left for text.

use std::ops::Range;

use ratatui_core::layout::Rect;

use super::cells::{Cell, Row};
use super::model::Page;
use super::rows::Kind;
use super::texts::Side;
use crate::options::Layout;
use crate::width::{self, Units};

/// A text with less room than this gets the room of the line numbers too.
const NARROWEST: u16 = 16;

/// So many lines are measured for [`Page::needs`].
const MEASURED: usize = 1_000;

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
    /// Columns before the text: numbers, sign, blanks.
    pub(super) fn prefix(&self) -> u16 {
        let numbers = match (self.digits, self.numbers) {
            (0, _) => 0,
            (digits, Numbers::Both) => 2 * (digits + 1),
            (digits, Numbers::Original | Numbers::Current) => digits + 1,
        };
        numbers + 2
    }
}

impl Page {
    pub(super) fn columns(&self, area: Rect) -> Columns {
        let lines = self.texts.text(Side::Original).len().max(self.texts.text(Side::Current).len());
        let digits = u16::try_from(lines.max(1).ilog10() + 1).unwrap_or(1);
        let inner = area.right().min(area.x + 1)..area.right();
        let mut columns = match self.shape() {
            Layout::OneColumn => {
                let numbers = if self.is_one_sided() { Numbers::Current } else { Numbers::Both };
                Columns { digits, halves: (inner, 0..0), numbers }
            }
            Layout::SideBySide => {
                let middle = inner.start + (inner.end - inner.start).saturating_sub(1) / 2;
                let right = inner.end.min(middle + 1)..inner.end;
                Columns { digits, halves: (inner.start..middle, right), numbers: Numbers::Original }
            }
        };
        let room = columns.halves.0.end - columns.halves.0.start;
        if room < columns.prefix() + NARROWEST {
            columns.digits = 0;
        }
        columns
    }

    /// The room for text on the left and on the right, in an area this wide.
    pub(super) fn rooms(&self, width: u16) -> (usize, usize) {
        let columns = self.columns(Rect { width, height: 1, ..Rect::ZERO });
        let room = |half: &Range<u16>| half.len().saturating_sub(columns.prefix().into());
        (room(&columns.halves.0), room(&columns.halves.1))
    }

    /// The room for the reason of a hunk, over both sides of an area this wide.
    pub(super) fn reason_room(&self, width: u16) -> usize {
        let columns = self.columns(Rect { width, height: 1, ..Rect::ZERO });
        width.saturating_sub(columns.halves.0.start + columns.prefix()).into()
    }

    /// The room that every line has in an area this wide.
    pub(crate) fn room(&self, width: u16) -> usize {
        match (self.shape(), self.rooms(width)) {
            (Layout::OneColumn, (room, _)) => room,
            (Layout::SideBySide, (left, right)) => left.min(right),
        }
    }

    /// The furthest that some rows can scroll to the side in an area this wide.
    pub(crate) fn most_sideways(&self, rows: Range<usize>, width: u16) -> usize {
        if self.form.wrap.is_some() {
            return 0;
        }
        let (left_room, right_room) = self.rooms(width);
        let over = |cell: Cell, room: usize| {
            width::columns(self.texts.line(cell.side, cell.line)).saturating_sub(room)
        };
        let mut most = 0;
        self.each_row(rows, |_, _, row| {
            if let Row::Reason(hunk) = row {
                let needs = width::columns(&self.reason_of(hunk));
                most = most.max(needs.saturating_sub(self.reason_room(width)));
            }
            let (left, right) = sides(row);
            let left = left.map_or(0, |cell| over(cell, left_room));
            let right = right.map_or(0, |cell| over(cell, right_room));
            most = most.max(left).max(right);
        });
        most
    }

    /// The columns that the changed lines and those around them need, at most so many. Folded lines do not
    /// count, nor do opened folds: the answer stays while the person reads.
    pub(crate) fn needs(&self, most: usize) -> usize {
        let mut widest = 0;
        let blocks = self.blocks.iter().filter(|block| !matches!(block.kind, Kind::Fold { .. }));
        let rows = blocks.flat_map(|block| (block.row..block.end()).map(move |row| (block, row)));
        for (block, row) in rows.take(MEASURED) {
            let (left, right) = sides(self.row_in(block, row));
            for cell in left.into_iter().chain(right) {
                widest = widest.max(Units::from(self.texts.line(cell.side, cell.line), most).column());
            }
            if widest >= most {
                return most;
            }
        }
        widest
    }
}

fn sides(row: Row) -> (Option<Cell>, Option<Cell>) {
    match row {
        Row::Fold { .. } | Row::Reason(_) => (None, None),
        Row::One(cell) => (Some(cell), None),
        Row::Two(left, right) => (left, right),
    }
}
