//! The rows of a page. Its blocks are *unwrapped rows*, one for each line; here each becomes one or more rows
//! of the screen. Beside one another, both sides take as many rows as the longer one.

use std::ops::Range;

use super::cells::{Cell, Row};
use super::line::ENDS_OPEN;
use super::model::Page;
use super::wrapping::{Wrapping, row_starts};

impl Page {
    /// The columns at which the rows of an unwrapped row begin, of both sides: see [`row_starts`].
    pub(super) fn starts_in(&self, row: &Row, width: u16) -> (Vec<usize>, Vec<usize>) {
        let (left, right) = self.rooms(width);
        let starts = |cell: &Cell, room: usize| {
            let mark = if self.texts.ends_open(cell.side, cell.line) { ENDS_OPEN.len() } else { 0 };
            row_starts(self.texts.line(cell.side, cell.line), mark, room)
        };
        match row {
            Row::Fold { .. } => (vec![0], Vec::new()),
            Row::Reason(hunk) => (row_starts(&self.reason_of(*hunk), 0, self.reason_room(width)), Vec::new()),
            Row::One(cell) => (starts(cell, left), Vec::new()),
            Row::Two(before, after) => (
                before.as_ref().map_or_else(Vec::new, |cell| starts(cell, left)),
                after.as_ref().map_or_else(Vec::new, |cell| starts(cell, right)),
            ),
        }
    }

    /// The same, of the side that takes more rows.
    pub(super) fn longer_starts(&self, row: &Row, width: u16) -> Vec<usize> {
        let (left, right) = self.starts_in(row, width);
        if right.len() > left.len() { right } else { left }
    }

    /// Measures every line that is not folded.
    pub(super) fn wrap_rows(&mut self) {
        self.wrapping = None;
        let Some(width) = self.form.wrap else { return };
        let unwrapped = self.unwrapped_rows();
        let mut starts = Vec::with_capacity(unwrapped + 1);
        let mut next = 0;
        for block in &self.blocks {
            for row in block.row..block.end() {
                starts.push(next);
                let (left, right) = self.starts_in(&self.row_in(block, row), width);
                next += left.len().max(right.len()).max(1);
            }
        }
        starts.push(next);
        self.wrapping = Some(Wrapping { starts });
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.first_row(self.unwrapped_rows())
    }

    /// The first row of an unwrapped row.
    pub(super) fn first_row(&self, unwrapped: usize) -> usize {
        match &self.wrapping {
            None => unwrapped,
            Some(Wrapping { starts }) => starts.get(unwrapped).or(starts.last()).copied().unwrap_or(0),
        }
    }

    /// The rows of an unwrapped row.
    pub(super) fn rows_of(&self, unwrapped: usize) -> Range<usize> {
        self.first_row(unwrapped)..self.first_row(unwrapped + 1)
    }

    /// The unwrapped row that a row belongs to; beyond the end, one that does not exist.
    pub(super) fn unwrapped(&self, row: usize) -> usize {
        match &self.wrapping {
            None => row,
            Some(Wrapping { starts }) if row >= self.rows() => starts.len().saturating_sub(1),
            Some(Wrapping { starts }) => starts.partition_point(|start| *start <= row).saturating_sub(1),
        }
    }
}
