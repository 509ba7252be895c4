//! The content of a row: a line of one text or of two, with numbers and a sign.

use std::ops::Range;

use alongside_desk::{HunkState, Text, messages};

use super::model::Page;
use super::rows::{self, Block, Kind, Place};
use super::texts::Side;
use crate::options::Layout;

#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    /// A fold over some lines.
    Fold { lines: usize, open: bool },
    /// One cell over the whole width.
    One(Cell),
    /// The original beside the text in its place; nothing where one has fewer lines.
    Two(Option<Cell>, Option<Cell>),
    /// The person's reason for a hunk, over the whole width.
    Reason(usize),
}

/// A line as it stands in a row. All lines are 0-based.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// The text it is from.
    pub(super) side: Side,
    /// Its line there.
    pub(super) line: usize,
    /// The line that has its colours and words. For an unchanged or kept line that is the proposal's, which
    /// never changes, so that an edit needs no new colours.
    pub(super) twin: (Side, usize),
    /// Its line in the original, if it is there.
    pub(super) original: Option<usize>,
    /// Its line in the current text, if it is there.
    pub(super) current: Option<usize>,
    pub(super) sign: Sign,
    /// Its hunk, if it is in one.
    pub(super) hunk: Option<usize>,
}

/// The sign of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It stays.
    Same,
    /// It goes.
    Removed,
    /// It comes.
    Added,
    /// The person wrote it.
    Edited,
    /// It would have come, but the person does not want it.
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

impl Page {
    /// The content of an unwrapped row in a block.
    pub(super) fn row_in(&self, block: &Block, row: usize) -> Row {
        match (block.kind, block.offset(row)) {
            (Kind::Fold { lines, open }, None) => Row::Fold { lines, open },
            (Kind::Hunk(hunk), Some(offset)) if offset + 1 == block.rows && self.has_reason(hunk) => {
                Row::Reason(hunk)
            }
            (Kind::Hunk(hunk), Some(offset)) => self.hunk_row(hunk, offset),
            (_, offset) => self.same(block.at.below(offset.unwrap_or(0))),
        }
    }

    fn has_reason(&self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| hunk.reason.is_some())
    }

    /// The words of the row that has the reason for a hunk.
    pub(super) fn reason_of(&self, hunk: usize) -> String {
        self.hunks.get(hunk).and_then(messages::why).unwrap_or_default()
    }

    fn same(&self, at: Place) -> Row {
        let right = Cell {
            side: Side::Current,
            line: at.current,
            twin: (Side::Proposed, at.proposed),
            original: Some(at.original),
            current: Some(at.current),
            sign: Sign::Same,
            hunk: None,
        };
        match self.shape() {
            Layout::OneColumn => Row::One(right),
            Layout::SideBySide => {
                let twin = (Side::Original, at.original);
                Row::Two(Some(Cell { side: Side::Original, line: at.original, twin, ..right }), Some(right))
            }
        }
    }

    fn hunk_row(&self, index: usize, offset: usize) -> Row {
        let (left, right) = rows::sides(&self.hunks[index]);
        match self.shape() {
            Layout::SideBySide => Row::Two(
                (offset < left).then(|| self.before(index, offset)),
                (offset < right).then(|| self.after(index, offset)),
            ),
            Layout::OneColumn if offset < left => Row::One(self.before(index, offset)),
            Layout::OneColumn => Row::One(self.after(index, offset - left)),
        }
    }

    /// A line of a hunk as it was.
    fn before(&self, index: usize, offset: usize) -> Cell {
        let hunk = &self.hunks[index];
        let line = hunk.original.start + offset;
        let stays = hunk.state == HunkState::Dropped;
        Cell {
            side: Side::Original,
            line,
            twin: (Side::Original, line),
            original: Some(line),
            current: stays.then_some(hunk.current.start + offset),
            sign: if stays { Sign::Same } else { Sign::Removed },
            hunk: Some(index),
        }
    }

    /// A line of a hunk as it would be accepted, or of what was dropped.
    fn after(&self, index: usize, offset: usize) -> Cell {
        let hunk = &self.hunks[index];
        let (proposed, current) = (hunk.proposed.start + offset, hunk.current.start + offset);
        let (side, line, twin, sign) = match hunk.state {
            HunkState::Kept => (Side::Current, current, (Side::Proposed, proposed), Sign::Added),
            HunkState::Edited => (Side::Current, current, (Side::Current, current), Sign::Edited),
            HunkState::Dropped => (Side::Proposed, proposed, (Side::Proposed, proposed), Sign::Dropped),
        };
        let current = (side == Side::Current).then_some(current);
        Cell { side, line, twin, original: None, current, sign, hunk: Some(index) }
    }

    /// Calls back with every unwrapped row that has a row among some.
    pub(super) fn each_row(&self, rows: Range<usize>, mut each: impl FnMut(usize, &Block, Row)) {
        if rows.is_empty() {
            return;
        }
        let wanted = self.unwrapped(rows.start)..self.unwrapped(rows.end - 1).saturating_add(1);
        let first = self.block_index(wanted.start);
        for block in self.blocks[first..].iter().take_while(|block| block.row < wanted.end) {
            for row in wanted.start.max(block.row)..wanted.end.min(block.end()) {
                each(row, block, self.row_in(block, row));
            }
        }
    }

    /// Which lines of which texts some rows show in colour, for
    /// [`Colours::ask`](crate::colour::Colours::ask).
    pub(crate) fn lines_in(&self, rows: Range<usize>) -> Vec<(Text, Range<usize>)> {
        let mut wanted: Vec<(Side, Range<usize>)> = Vec::new();
        let mut want = |cell: Cell| {
            let (side, line) = cell.twin;
            let known = wanted.iter_mut().rev().find(|(known, lines)| *known == side && lines.end == line);
            match known {
                _ if cell.sign == Sign::Dropped => {}
                Some((_, lines)) => lines.end += 1,
                None => wanted.push((side, line..line + 1)),
            }
        };
        self.each_row(rows, |_, _, row| match row {
            Row::Fold { .. } | Row::Reason(_) => {}
            Row::One(cell) => want(cell),
            Row::Two(left, right) => left.into_iter().chain(right).for_each(&mut want),
        });
        wanted.into_iter().map(|(side, lines)| (self.texts.text(side).clone(), lines)).collect()
    }
}
