//! A review laid out in rows: numbered lines, the original beside or above the current text, unchanged lines
//! folded. The cost of a lookup depends on the number of rows on the screen, and not on the length of the
//! text.

use std::ops::Range;

use alongside_desk::{Lines, Review, Text};

use super::content::Content;
use super::kind::ReviewKind;
use super::line_place::row_of;
use super::notes::{self, NoteRows, PageLines, PageNote, PlacedNotes};
use super::row_wrapping::{first_column, wrap_rows, wrapped_row};
use super::rows::{Block, BlockKind, VisibleLines};
use super::sentences::Sentence;
use super::texts::Side;
use super::unwrapped_row::{Cell, Row, Sign};
use super::wrapping::{LineRows, Wrap, Wrapping};
use crate::options::Layout;
use crate::text::width;

/// A review laid out in rows of the screen. Each unwrapped row of its content is one or more rows of the
/// screen. If two sides are beside each other, both get as many rows as the longer side needs.
#[derive(Debug)]
pub(crate) struct Page {
    content: Content,
    form: PageForm,
    visible_lines: VisibleLines,
    /// The rows of wrapped lines; `None` if no line is wrapped.
    wrapping: Option<Wrapping>,
    notes: Vec<PageNote>,
    placed_notes: PlacedNotes,
}

/// The form in which a page is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageForm {
    pub(crate) layout: Layout,
    pub(crate) wrap: Wrap,
}

impl From<Layout> for PageForm {
    fn from(layout: Layout) -> Self {
        Self { layout, wrap: Wrap::Nothing }
    }
}

impl Page {
    /// Lays out a proposal with all unchanged parts folded. A new file has one column in either layout.
    #[cfg(test)]
    pub(crate) fn new(review: &Review, form: impl Into<PageForm>) -> Self {
        Self::of_kind(review, form.into(), ReviewKind::Proposal)
    }

    /// Lays out a review of this kind with all unchanged parts folded.
    pub(crate) fn of_kind(review: &Review, form: PageForm, kind: ReviewKind) -> Self {
        let content = Content::new(review, form.layout, kind);
        let mut page = Self {
            content,
            form,
            visible_lines: VisibleLines::default(),
            wrapping: None,
            notes: Vec::new(),
            placed_notes: PlacedNotes::default(),
        };
        page.lay_out();
        page
    }

    /// Takes a new revision of the same review. Opened folds stay open. Rows may move: see
    /// [`RowIdentity`](super::RowIdentity).
    pub(crate) fn update(&mut self, review: &Review) {
        self.content.update(review);
        self.lay_out();
    }

    /// Lays the page out in another form. Rows move.
    pub(crate) fn relayout(&mut self, form: impl Into<PageForm>) {
        self.form = form.into();
        self.lay_out();
    }

    /// Replaces the notes, and shows the lines that they are about. Rows may move. Returns false if the notes
    /// are the same.
    pub(crate) fn set_notes(&mut self, notes: &[PageNote]) -> bool {
        let is_other = self.notes != notes;
        if is_other {
            self.notes = notes.to_vec();
            self.visible_lines.set_noted(notes::noted_lines(&self.notes));
            self.lay_out();
        }
        is_other
    }

    /// Folds the hunks in these lines of the proposal, because the person accepted them before they were
    /// written. Rows may move. Returns false if the lines are the same.
    pub(crate) fn set_accepted(&mut self, lines: &[Lines]) -> bool {
        let is_news = self.content.set_accepted(lines);
        if is_news {
            self.lay_out();
        }
        is_news
    }

    fn lay_out(&mut self) {
        self.content.lay_out(self.form.layout, &self.visible_lines);
        self.placed_notes = PlacedNotes::new(&self.notes, &self.content, self.form.wrap);
        self.wrapping = match self.form.wrap {
            Wrap::Nothing => None,
            Wrap::Changes(_) | Wrap::All(_) => {
                Some(wrap_rows(&self.content, self.form.wrap, |row| self.placed_notes.around(row)))
            }
        };
    }

    pub(crate) fn form(&self) -> PageForm {
        self.form
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.first_row(self.content.rows())
    }

    /// The first row of an unwrapped row.
    fn first_row(&self, unwrapped: usize) -> usize {
        self.wrapping.as_ref().map_or(unwrapped, |wrapping| wrapping.first_row(unwrapped))
    }

    /// The rows of an unwrapped row.
    pub(super) fn rows_of(&self, unwrapped: usize) -> Range<usize> {
        self.first_row(unwrapped)..self.first_row(unwrapped + 1)
    }

    /// The rows that show the line of an unwrapped row, without the notes around it.
    pub(super) fn rows_of_line(&self, unwrapped: usize) -> Range<usize> {
        let rows = self.rows_of(unwrapped);
        let (above, below) = (self.placed_notes.above(unwrapped), self.placed_notes.below(unwrapped));
        rows.start + above..rows.end.saturating_sub(below)
    }

    /// The notes around an unwrapped row.
    pub(super) fn notes_at(&self, unwrapped: usize) -> Option<&NoteRows> {
        self.placed_notes.at(unwrapped)
    }

    /// The rows of these lines of a text, from the first to the last line; `None` if the lines are not on the
    /// page.
    pub(crate) fn rows_of_lines(&self, lines: &PageLines) -> Option<Range<usize>> {
        let side = if lines.is_old { Side::Original } else { Side::Proposed };
        let row = |line: usize| row_of(&self.content, side, line).map(|row| self.rows_of_line(row));
        let (first, last) = (row(lines.lines.start)?, row(lines.lines.end.checked_sub(1)?)?);
        Some(first.start..last.end.max(first.end))
    }

    /// The unwrapped row that contains a row. Beyond the end, a row that does not exist.
    pub(super) fn unwrapped(&self, row: usize) -> usize {
        self.wrapping.as_ref().map_or(row, |wrapping| wrapping.unwrapped(row))
    }

    /// Calls `each` for every unwrapped row that has a row among `rows`.
    pub(super) fn for_each_row(&self, rows: Range<usize>, mut each: impl FnMut(usize, &Block, Row)) {
        if rows.is_empty() {
            return;
        }
        let wanted = self.unwrapped(rows.start)..self.unwrapped(rows.end - 1).saturating_add(1);
        let first = self.content.block_index(wanted.start);
        for block in self.content.blocks[first..].iter().take_while(|block| block.row < wanted.end) {
            for row in wanted.start.max(block.row)..wanted.end.min(block.end()) {
                each(row, block, self.content.row_in(block, row));
            }
        }
    }

    /// The columns that every line has on a page of this width.
    pub(crate) fn room(&self, width: u16) -> usize {
        self.content.columns_in(width).room()
    }

    /// The most columns by which these rows can scroll to the side on a page of this width.
    pub(crate) fn max_sideways(&self, rows: Range<usize>, width: u16) -> usize {
        if matches!(self.form.wrap, Wrap::All(_)) {
            return 0;
        }
        let columns = self.content.columns_in(width);
        let (left_room, right_room) = columns.rooms();
        let over = |cell: Cell, room: usize| {
            width::columns(self.content.texts.line(cell.side, cell.line)).saturating_sub(room)
        };
        let mut most = 0;
        self.for_each_row(rows, |_, _, row| {
            let is_wrapped = self.line_rows(&row).is_some();
            most = most.max(match row {
                Row::Fold { .. } | Row::Dropped(_) | Row::FoldedHunk(_) => 0,
                _ if is_wrapped => 0,
                Row::Sentence(hunk, number) => {
                    let text = self.content.sentence(hunk, number).map_or("", Sentence::text);
                    width::columns(text).saturating_sub(columns.reason_room())
                }
                Row::One(cell) => over(cell, left_room),
                Row::Two(left, right) => {
                    let left = left.map_or(0, |cell| over(cell, left_room));
                    right.map_or(0, |cell| over(cell, right_room)).max(left)
                }
            });
        });
        most
    }

    /// Whether one of these rows begins at its change, and not at its first column, on a page of this width.
    pub(crate) fn has_rows_from_change(&self, rows: Range<usize>, width: u16) -> bool {
        let columns = self.content.columns_in(width);
        let mut has = false;
        if let Wrap::Changes(_) = self.form.wrap {
            self.for_each_row(rows, |_, _, row| {
                let is_cut = self.line_rows(&row).is_none();
                has |= is_cut && first_column(&self.content, &row, &columns) > 0;
            });
        }
        has
    }

    /// The texts and lines that these rows show in colour, for
    /// [`Colours::request`](crate::colour::Colours::request).
    pub(crate) fn lines_in(&self, rows: Range<usize>) -> Vec<(Text, Range<usize>)> {
        let mut wanted: Vec<(Side, Range<usize>)> = Vec::new();
        self.for_each_row(rows, |_, _, row| {
            for cell in row.cells().filter(|cell| cell.sign != Sign::Dropped) {
                let (side, line) = self.content.colour_source(&cell);
                match wanted.iter_mut().rev().find(|(known, lines)| *known == side && lines.end == line) {
                    Some((_, lines)) => lines.end += 1,
                    None => wanted.push((side, line..line + 1)),
                }
            }
        });
        wanted.into_iter().map(|(side, lines)| (self.content.texts.text(side).clone(), lines)).collect()
    }

    /// The range of a change's lines among these rows, counted from 1 at its first row, and the number of all
    /// its lines; for a text without changes, of the whole text. `None` if all of the lines are among the
    /// rows.
    pub(crate) fn visible_part(&self, hunk: usize, rows: Range<usize>) -> Option<(Range<usize>, usize)> {
        let (of, all) = match self.content.hunk_block(hunk) {
            Some(_) if self.content.is_folded(hunk) => return None,
            Some(block) => (block.row, self.content.rows_of_lines(hunk)),
            None => (0, self.content.rows()),
        };
        let last = rows.end.checked_sub(1)?;
        let line = |row: usize| self.unwrapped(row).saturating_sub(of);
        let (first, last) = (line(rows.start), line(last).min(all.saturating_sub(1)));
        // Rows of the screen decide, and not lines: the last line may be wrapped and continue below the
        // screen.
        let rows_of = self.first_row(of)..self.first_row(of + all);
        let is_whole = rows.start <= rows_of.start && rows_of.end <= rows.end;
        let is_there = rows_of.start < rows.end && rows.start < rows_of.end;
        (is_there && !is_whole && rows_of.len() > rows.len()).then_some((first + 1..last + 2, all))
    }

    /// The rows of a hunk, by its index; empty if there is no such hunk.
    pub(crate) fn hunk_rows(&self, hunk: usize) -> Range<usize> {
        let rows = |block: &Block| self.first_row(block.row)..self.first_row(block.end());
        self.content.hunk_block(hunk).map_or(0..0, rows)
    }

    /// The hunk that contains a row, as an index.
    pub(crate) fn hunk_at(&self, row: usize) -> Option<usize> {
        match self.content.block(self.unwrapped(row))?.kind {
            BlockKind::Hunk(hunk) => Some(hunk),
            BlockKind::Same | BlockKind::Fold { .. } => None,
        }
    }

    /// The wrapped rows of an unwrapped row, on both sides; `None` if it is not wrapped.
    pub(super) fn line_rows(&self, row: &Row) -> Option<(LineRows, LineRows)> {
        let columns = self.content.columns_in(self.form.wrap.width()?);
        wrapped_row(&self.content, row, self.form.wrap, &columns)
    }

    /// Whether a row is a fold, an unchanged line, or the row of a folded hunk.
    pub(crate) fn is_fold_or_unchanged(&self, row: usize) -> bool {
        self.hunk_at(row).is_none_or(|hunk| self.content.is_folded(hunk))
    }

    /// The row of the open or closed fold that is nearest to `row` among the rows `within`.
    pub(crate) fn fold_near(&self, row: usize, within: Range<usize>) -> Option<usize> {
        let first = self.content.blocks.partition_point(|block| self.first_row(block.row) < within.start);
        self.content.blocks[first..]
            .iter()
            .map(|block| (self.first_row(block.row), block.kind))
            .take_while(|(row, _)| *row < within.end)
            .filter(|(_, kind)| match kind {
                BlockKind::Fold { .. } => true,
                BlockKind::Hunk(hunk) => self.content.can_fold(*hunk),
                BlockKind::Same => false,
            })
            .map(|(row, _)| row)
            .min_by_key(|fold| fold.abs_diff(row))
    }

    /// Opens the fold of this row, or closes the open fold that contains the row. Returns false if there is
    /// none.
    pub(crate) fn toggle_fold(&mut self, row: usize) -> bool {
        let Some(&Block { at, kind, .. }) = self.content.block(self.unwrapped(row)) else { return false };
        match kind {
            BlockKind::Fold { lines, open } => {
                let lines = at.original..at.original + lines;
                if open {
                    self.visible_lines.close(&lines);
                } else {
                    self.visible_lines.open(lines);
                }
            }
            BlockKind::Hunk(hunk) if self.content.toggle_hunk(hunk) => {}
            BlockKind::Hunk(_) | BlockKind::Same => return false,
        }
        self.lay_out();
        true
    }

    /// Shows more unchanged lines around the hunks, or fewer. Returns their new number; `None` if it does not
    /// change.
    pub(crate) fn change_context(&mut self, is_more: bool) -> Option<usize> {
        let (rows, context) = (self.rows(), self.visible_lines.context());
        self.visible_lines.change_context(is_more);
        if self.visible_lines.context() != context {
            self.lay_out();
        }
        let is_fold = |block: &Block| matches!(block.kind, BlockKind::Fold { open: false, .. });
        if is_more && self.rows() == rows && !self.content.blocks.iter().any(is_fold) {
            // All lines are visible already, so the number does not grow any further.
            self.visible_lines.change_context(false);
            self.lay_out();
            return None;
        }
        Some(self.visible_lines.context()).filter(|now| *now != context)
    }

    /// Whether a block is a closed fold or a folded hunk.
    pub(super) fn is_folded_block(&self, block: &Block) -> bool {
        match block.kind {
            BlockKind::Fold { open, .. } => !open,
            BlockKind::Hunk(hunk) => self.content.is_folded(hunk),
            BlockKind::Same => false,
        }
    }
}
