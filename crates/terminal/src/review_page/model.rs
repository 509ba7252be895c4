//! A review laid out in rows: numbered lines, the original beside or above the current text, unchanged lines
//! folded. Each lookup touches only the rows on the screen, however long the text is.

use std::ops::Range;

use alongside_desk::{Hunk, Review};

use super::rows::{self, Block, Kind, OpenFolds};
use super::texts::{ReviewTexts, Side};
use super::wrapping::{self, Wrapping};
use crate::options::Layout;

#[derive(Debug)]
pub(crate) struct Page {
    pub(super) texts: ReviewTexts,
    pub(super) hunks: Vec<Hunk>,
    pub(super) form: PageForm,
    pub(super) open_folds: OpenFolds,
    pub(super) blocks: Vec<Block>,
    /// Present while long lines are wrapped.
    pub(super) wrapping: Option<Wrapping>,
}

/// How a page is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageForm {
    pub(crate) layout: Layout,
    /// The width of the page at which long lines are wrapped; without it they are cut.
    pub(crate) wrap: Option<u16>,
}

impl From<Layout> for PageForm {
    fn from(layout: Layout) -> Self {
        Self { layout, wrap: None }
    }
}

/// A row that is found again after the page has changed: by its line in the texts that never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchor {
    original: usize,
    proposed: usize,
    spot: AnchorKind,
    /// The column at which the row begins, if a long line goes on there.
    column: usize,
}

/// The kind of an anchored row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnchorKind {
    Line,
    Fold,
    /// A row of the hunk that begins there.
    Hunk(usize),
}

impl Page {
    /// Lays a review out with all unchanged stretches folded. A new file has one column in either layout.
    pub(crate) fn new(review: &Review, form: impl Into<PageForm>) -> Self {
        let mut page = Self {
            texts: ReviewTexts::new(review),
            hunks: review.hunks.clone(),
            form: form.into(),
            open_folds: OpenFolds::default(),
            blocks: Vec::new(),
            wrapping: None,
        };
        page.lay_out();
        page
    }

    /// Takes a change of the same review in; what was unfolded stays so. Rows may move: see
    /// [`anchor`](Self::anchor).
    pub(crate) fn update(&mut self, review: &Review) {
        self.texts.update(review);
        self.hunks.clone_from(&review.hunks);
        self.lay_out();
    }

    /// Lays it out otherwise. Rows move.
    pub(crate) fn relayout(&mut self, form: impl Into<PageForm>) {
        let form = form.into();
        if form != self.form {
            self.form = form;
            self.lay_out();
        }
    }

    pub(crate) fn form(&self) -> PageForm {
        self.form
    }

    fn lay_out(&mut self) {
        let lines = self.texts.text(Side::Current).len();
        self.blocks = rows::blocks(&self.hunks, lines, self.shape(), &self.open_folds);
        self.wrap_rows();
    }

    /// The layout in fact: where there is no original, there is nothing to set the text beside.
    pub(super) fn shape(&self) -> Layout {
        if self.is_one_sided() { Layout::OneColumn } else { self.form.layout }
    }

    pub(super) fn is_one_sided(&self) -> bool {
        self.texts.text(Side::Original).is_empty()
    }

    pub(super) fn unwrapped_rows(&self) -> usize {
        self.blocks.last().map_or(0, Block::end)
    }

    /// The rows of a hunk, by its index; empty if there is no such hunk.
    pub(crate) fn hunk_rows(&self, hunk: usize) -> Range<usize> {
        let rows = |block: &Block| self.first_row(block.row)..self.first_row(block.end());
        self.hunk_block(hunk).map_or(0..0, rows)
    }

    pub(super) fn hunk_block(&self, hunk: usize) -> Option<&Block> {
        let wanted = self.hunks.get(hunk)?;
        // Blocks lie in the order of the current text; those that begin at the same line are few.
        let from = self.blocks.partition_point(|block| block.at.current < wanted.current.start);
        self.blocks[from..].iter().find(|block| block.kind == Kind::Hunk(hunk))
    }

    /// The hunk that a row belongs to, as an index.
    pub(crate) fn hunk_at(&self, row: usize) -> Option<usize> {
        match self.block(self.unwrapped(row))?.kind {
            Kind::Hunk(hunk) => Some(hunk),
            Kind::Same | Kind::Fold { .. } => None,
        }
    }

    /// The anchor that finds this row again after [`update`](Self::update), [`relayout`](Self::relayout) or
    /// [`toggle_fold`](Self::toggle_fold).
    pub(crate) fn anchor(&self, row: usize) -> Anchor {
        let row = row.min(self.rows().saturating_sub(1));
        let column = self.column_of(row);
        let row = self.unwrapped(row);
        let Some(block) = self.block(row) else {
            return Anchor { original: 0, proposed: 0, spot: AnchorKind::Line, column };
        };
        let (below, spot) = match (block.kind, block.offset(row)) {
            (Kind::Hunk(_), offset) => (0, AnchorKind::Hunk(offset.unwrap_or(0))),
            (_, Some(offset)) => (offset, AnchorKind::Line),
            (_, None) => (0, AnchorKind::Fold),
        };
        let at = block.at.below(below);
        Anchor { original: at.original, proposed: at.proposed, spot, column }
    }

    /// The column at which a row begins, of the longer line if there are two.
    fn column_of(&self, row: usize) -> usize {
        let unwrapped = self.unwrapped(row);
        let part = row.saturating_sub(self.first_row(unwrapped));
        let (Some(width), Some(block), 1..) = (self.form.wrap, self.block(unwrapped), part) else { return 0 };
        self.longer_starts(&self.row_in(block, unwrapped), width).get(part).copied().unwrap_or(0)
    }

    /// Where an anchored row is now, or what is left of it.
    pub(crate) fn row(&self, anchor: Anchor) -> usize {
        let unwrapped = self.unwrapped_row(anchor);
        let first = self.first_row(unwrapped);
        let (Some(width), Some(block), 1..) = (self.form.wrap, self.block(unwrapped), anchor.column) else {
            return first;
        };
        let starts = self.longer_starts(&self.row_in(block, unwrapped), width);
        first + wrapping::row_of(&starts, anchor.column)
    }

    fn unwrapped_row(&self, anchor: Anchor) -> usize {
        let wanted = (anchor.original, anchor.proposed);
        let starts = |block: &Block| (block.at.original, block.at.proposed);
        let after = self.blocks.partition_point(|block| starts(block) <= wanted);
        // Where a hunk has no lines in texts that never change, the lines below it begin where it does.
        let here = self.blocks[..after].iter().rev().take_while(|block| starts(block) == wanted);
        let exactly = |is: fn(Kind) -> bool| here.clone().find(|block| is(block.kind));
        let block = match anchor.spot {
            AnchorKind::Hunk(_) => exactly(|kind| matches!(kind, Kind::Hunk(_))),
            AnchorKind::Fold => exactly(|kind| matches!(kind, Kind::Fold { .. })),
            AnchorKind::Line => None,
        };
        let Some(block) = block.or(self.blocks[..after].last()) else { return 0 };
        let below = anchor.original.saturating_sub(block.at.original);
        match (anchor.spot, block.kind) {
            (AnchorKind::Fold, Kind::Fold { .. }) => block.row,
            (AnchorKind::Hunk(within), _) => block.row_of(within + below),
            _ => block.row_of(below),
        }
    }

    /// The row of the fold, open or closed, that is nearest to `row` among some rows.
    pub(crate) fn fold_near(&self, row: usize, within: Range<usize>) -> Option<usize> {
        let first = self.blocks.partition_point(|block| self.first_row(block.row) < within.start);
        self.blocks[first..]
            .iter()
            .map(|block| (self.first_row(block.row), block.kind))
            .take_while(|(row, _)| *row < within.end)
            .filter(|(_, kind)| matches!(kind, Kind::Fold { .. }))
            .map(|(row, _)| row)
            .min_by_key(|fold| fold.abs_diff(row))
    }

    /// Opens the fold whose row this is, or closes the open one that it belongs to. False if there is none.
    pub(crate) fn toggle_fold(&mut self, row: usize) -> bool {
        let block = self.block(self.unwrapped(row));
        let Some(&Block { at, kind: Kind::Fold { lines, open }, .. }) = block else { return false };
        let lines = at.original..at.original + lines;
        if open {
            self.open_folds.close(&lines);
        } else {
            self.open_folds.open(lines);
        }
        self.lay_out();
        true
    }

    /// The block of an unwrapped row.
    pub(super) fn block(&self, row: usize) -> Option<&Block> {
        self.blocks.get(self.block_index(row))
    }

    pub(super) fn block_index(&self, row: usize) -> usize {
        self.blocks.partition_point(|block| block.end() <= row)
    }
}
