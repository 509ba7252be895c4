//! The identity of a row, by which it is found again after the page has changed.

use super::page::Page;
use super::rows::{Block, BlockKind};
use super::wrapping::LineRows;

/// The identity of a row: its line in the original and the proposal, which never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowIdentity {
    original: usize,
    proposed: usize,
    kind: RowKind,
    /// The column at which the row begins, if the row continues a wrapped line.
    column: usize,
    /// Whether the row is a note above the line.
    is_above: bool,
}

/// The kind of an anchored row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Line,
    Fold,
    /// A row of the hunk that begins at the line, by its offset.
    Hunk(usize),
}

impl RowIdentity {
    /// The identity by which [`row_in`](Self::row_in) finds this row again after an update, in another layout
    /// and once folds are opened or closed.
    pub(crate) fn of(page: &Page, row: usize) -> Self {
        let row = row.min(page.rows().saturating_sub(1));
        let unwrapped = page.unwrapped(row);
        let of_line = page.rows_of_line(unwrapped);
        let (column, is_above) = (column_of(page, unwrapped, row), row < of_line.start);
        let Some(block) = page.content().block(unwrapped) else {
            return Self { original: 0, proposed: 0, kind: RowKind::Line, column, is_above };
        };
        let (below, kind) = match (block.kind, block.offset(unwrapped)) {
            (BlockKind::Hunk(_), offset) => (0, RowKind::Hunk(offset.unwrap_or(0))),
            (_, Some(offset)) => (offset, RowKind::Line),
            (_, None) => (0, RowKind::Fold),
        };
        let at = block.at.below(below);
        Self { original: at.original, proposed: at.proposed, kind, column, is_above }
    }

    /// The row now, or the nearest row if that row is gone.
    pub(crate) fn row_in(self, page: &Page) -> usize {
        let unwrapped = self.unwrapped_row_in(page);
        let rows = if self.column > 0 { longer_rows(page, unwrapped) } else { None };
        let first = match self.is_above {
            true => page.rows_of(unwrapped).start,
            false => page.rows_of_line(unwrapped).start,
        };
        first + rows.map_or(0, |rows| rows.row_of(self.column))
    }

    fn unwrapped_row_in(self, page: &Page) -> usize {
        let wanted = (self.original, self.proposed);
        let starts = |block: &Block| (block.at.original, block.at.proposed);
        let blocks = &page.content().blocks;
        let after = blocks.partition_point(|block| starts(block) <= wanted);
        // A hunk without lines in the original and the proposal begins at the same line as the block below
        // it.
        let here = blocks[..after].iter().rev().take_while(|block| starts(block) == wanted);
        let exactly = |is: fn(BlockKind) -> bool| here.clone().find(|block| is(block.kind));
        let block = match self.kind {
            RowKind::Hunk(_) => exactly(|kind| matches!(kind, BlockKind::Hunk(_))),
            RowKind::Fold => exactly(|kind| matches!(kind, BlockKind::Fold { .. })),
            RowKind::Line => None,
        };
        let Some(block) = block.or(blocks[..after].last()) else { return 0 };
        let below = self.original.saturating_sub(block.at.original);
        match (self.kind, block.kind) {
            (RowKind::Fold, BlockKind::Fold { .. }) => block.row,
            (RowKind::Hunk(within), _) => block.row_of(within + below),
            _ => block.row_of(below),
        }
    }
}

/// The column of the line at which a row begins; of the longer line if there are two.
fn column_of(page: &Page, unwrapped: usize, row: usize) -> usize {
    match row.saturating_sub(page.rows_of_line(unwrapped).start) {
        0 => 0,
        part => longer_rows(page, unwrapped).and_then(|rows| rows.start(part)).unwrap_or(0),
    }
}

/// The wrapped rows of an unwrapped row, on the side that has more of them.
fn longer_rows(page: &Page, unwrapped: usize) -> Option<LineRows> {
    let block = page.content().block(unwrapped)?;
    let (left, right) = page.line_rows(&page.content().row_in(block, unwrapped))?;
    Some(if right.len() > left.len() { right } else { left })
}
