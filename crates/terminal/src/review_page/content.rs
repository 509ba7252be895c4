//! The content of a page as [unwrapped rows](super::unwrapped_row).

use std::borrow::Cow;

use alongside_desk::{Hunk, HunkState, Limit, Lines, Range, Review, messages};
use ratatui_core::layout::Rect;

use super::accepted_hunks::AcceptedHunks;
use super::alignment::Alignment;
use super::columns::Columns;
use super::enclosing_heading::enclosing;
use super::hunk_alignments::HunkAlignments;
use super::kind::ReviewKind;
use super::line_pairs;
use super::rows::{self, Block, BlockKind, HunkRow, LineNumbers, VisibleLines};
use super::sentences::{Sentence, sentences_of};
use super::texts::{ReviewTexts, Side};
use super::unwrapped_row::{Cell, Row, Sign};
use crate::options::Layout;

/// The texts of a review, and the blocks of rows that show them.
#[derive(Debug)]
pub(crate) struct Content {
    pub(super) texts: ReviewTexts,
    pub(super) hunks: Vec<Hunk>,
    kind: ReviewKind,
    /// Whether the file is Markdown.
    is_prose: bool,
    /// The sentences below each hunk.
    sentences: Vec<Vec<Sentence>>,
    alignments: HunkAlignments,
    /// The hunks that the person accepted before the write, which are folded.
    accepted: AcceptedHunks,
    pub(super) blocks: Vec<Block>,
    layout: Layout,
}

impl Content {
    pub(super) fn new(review: &Review, layout: Layout, kind: ReviewKind) -> Self {
        Self::with_hunks(review, review.hunks.clone(), layout, kind)
    }

    /// The content with these hunks of the review only.
    pub(super) fn with_hunks(review: &Review, hunks: Vec<Hunk>, layout: Layout, kind: ReviewKind) -> Self {
        let texts = ReviewTexts::new(review);
        let sentences = sentences_of(&texts, &hunks);
        let is_prose = [".md", ".markdown"].iter().any(|ending| review.file.ends_with(ending));
        let alignments = HunkAlignments::new(&hunks);
        let (accepted, blocks) = (AcceptedHunks::default(), Vec::new());
        Self { texts, hunks, kind, is_prose, sentences, alignments, accepted, layout, blocks }
    }

    /// Takes a new revision of the same review. [`lay_out`](Self::lay_out) must follow.
    pub(super) fn update(&mut self, review: &Review) {
        self.texts.update(review);
        let before = std::mem::replace(&mut self.hunks, review.hunks.clone());
        self.alignments.update(before, &self.hunks);
        self.sentences = sentences_of(&self.texts, &self.hunks);
    }

    /// Sets the lines of the proposal whose hunks the person accepted before they were written. Returns
    /// whether the lines have changed. If so, [`lay_out`](Self::lay_out) must follow.
    pub(super) fn set_accepted(&mut self, lines: &[Lines]) -> bool {
        self.accepted.set_accepted(lines)
    }

    /// Opens a folded hunk, or folds it again. Returns false if the hunk cannot be folded. If it can,
    /// [`lay_out`](Self::lay_out) must follow.
    pub(super) fn toggle_hunk(&mut self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| self.accepted.toggle(hunk))
    }

    /// Whether a hunk can be folded.
    pub(super) fn can_fold(&self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| self.accepted.is_accepted(hunk))
    }

    /// Whether a hunk is folded, so that one row replaces it.
    pub(super) fn is_folded(&self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| self.accepted.is_folded(hunk))
    }

    /// The text of the row in place of a folded hunk.
    pub(super) fn folded_hunk_text(&self, hunk: usize) -> String {
        let Some(hunk) = self.hunks.get(hunk) else { return String::new() };
        format!("⋯ +{} -{} accepted before the write", hunk.proposed.len(), hunk.original.len())
    }

    /// Computes the blocks of rows.
    pub(super) fn lay_out(&mut self, layout: Layout, visible_lines: &VisibleLines) {
        self.layout = layout;
        let lines = self.texts.text(Side::Current).len();
        let rows_of = |hunk: usize| match self.is_folded(hunk) {
            true => 1,
            false => self.rows_of_lines(hunk) + self.sentences.get(hunk).map_or(0, Vec::len),
        };
        self.blocks = rows::blocks(&self.hunks, rows_of, lines, visible_lines);
    }

    /// The number of rows of a hunk's lines.
    pub(super) fn rows_of_lines(&self, hunk: usize) -> usize {
        self.hunks.get(hunk).map_or(0, |of| rows::hunk_rows(of, self.row_alignment(hunk)))
    }

    /// The lines of a hunk that share rows. In the one-column layout only lines that the person left
    /// unchanged share a row, so that other lines need no comparison.
    fn row_alignment(&self, hunk: usize) -> &Alignment {
        match self.effective_layout() {
            Layout::SideBySide => self.alignment(hunk),
            Layout::OneColumn => self.kept_lines(hunk),
        }
    }

    /// The lines of an edited hunk that the person left unchanged.
    fn kept_lines(&self, index: usize) -> &Alignment {
        self.alignments.kept_lines(&self.texts, &self.hunks, index)
    }

    /// Whether an edited hunk still has this line of the original.
    pub(super) fn is_kept_line(&self, hunk: usize, offset: usize) -> bool {
        self.kept_lines(hunk).new_of(offset).is_some()
    }

    /// The alignment of the sides of a hunk.
    fn alignment(&self, hunk: usize) -> &Alignment {
        self.alignments.sides(&self.texts, &self.hunks, hunk)
    }

    /// The row of a hunk that shows a line of the original. Rows and lines count from 0 at the beginning of
    /// the hunk.
    pub(super) fn row_of_old(&self, hunk: usize, line: usize) -> usize {
        let row = |of: &Hunk| rows::row_of_old(of, self.row_alignment(hunk), line);
        self.hunks.get(hunk).map_or(0, row)
    }

    /// The row of a hunk that shows an added or dropped line. Rows and lines count from 0 at the beginning of
    /// the hunk.
    pub(super) fn row_of_new(&self, hunk: usize, line: usize) -> usize {
        let row = |of: &Hunk| rows::row_of_new(of, self.row_alignment(hunk), line);
        self.hunks.get(hunk).map_or(0, row)
    }

    /// The layout in use. Without an original, this is always one column.
    pub(super) fn effective_layout(&self) -> Layout {
        if self.is_one_sided() { Layout::OneColumn } else { self.layout }
    }

    pub(super) fn is_one_sided(&self) -> bool {
        self.texts.text(Side::Original).is_empty()
    }

    /// The number of unwrapped rows.
    pub(super) fn rows(&self) -> usize {
        self.blocks.last().map_or(0, Block::end)
    }

    pub(super) fn block(&self, row: usize) -> Option<&Block> {
        self.blocks.get(self.block_index(row))
    }

    pub(super) fn block_index(&self, row: usize) -> usize {
        self.blocks.partition_point(|block| block.end() <= row)
    }

    pub(super) fn hunk_block(&self, hunk: usize) -> Option<&Block> {
        let wanted = self.hunks.get(hunk)?;
        // Blocks are in the order of the current text, and only a few blocks begin at the same line.
        let from = self.blocks.partition_point(|block| block.at.current < wanted.current.start);
        self.blocks[from..].iter().find(|block| block.kind == BlockKind::Hunk(hunk))
    }

    /// The content of a row in a block.
    pub(super) fn row_in(&self, block: &Block, row: usize) -> Row {
        match (block.kind, block.offset(row)) {
            (BlockKind::Fold { lines, open }, None) => {
                Row::Fold { lines, open, next: block.at.current + lines }
            }
            (BlockKind::Hunk(hunk), _) if self.is_folded(hunk) => Row::FoldedHunk(hunk),
            (BlockKind::Hunk(hunk), Some(offset)) => self.hunk_row(hunk, offset),
            (_, offset) => self.unchanged_row(block.at.below(offset.unwrap_or(0))),
        }
    }

    /// The sentence that a hunk is dropped, or marked to be undone.
    pub(super) fn dropped_text(&self, hunk: usize) -> String {
        let said = match self.kind {
            ReviewKind::Proposal => messages::dropped,
            ReviewKind::TurnFile => messages::to_be_undone,
        };
        self.hunks.get(hunk).map(said).unwrap_or_default()
    }

    /// A sentence below a hunk, by its number.
    pub(super) fn sentence(&self, hunk: usize, number: usize) -> Option<&Sentence> {
        self.sentences.get(hunk)?.get(number)
    }

    /// Whether a hunk has a difference that is hard to see.
    pub(super) fn is_hard_to_see(&self, hunk: usize) -> bool {
        let is_warning = |sentence: &Sentence| matches!(sentence, Sentence::HardToSee(_));
        self.sentences.get(hunk).is_some_and(|said| said.iter().any(is_warning))
    }

    fn unchanged_row(&self, at: LineNumbers) -> Row {
        let right = Cell {
            side: Side::Current,
            line: at.current,
            twin: (Side::Proposed, at.proposed),
            original: Some(at.original),
            current: Some(at.current),
            sign: Sign::Same,
            hunk: None,
        };
        match self.effective_layout() {
            Layout::OneColumn => Row::One(right),
            Layout::SideBySide => {
                let twin = (Side::Original, at.original);
                Row::Two(Some(Cell { side: Side::Original, line: at.original, twin, ..right }), Some(right))
            }
        }
    }

    fn hunk_row(&self, index: usize, offset: usize) -> Row {
        let shape = self.effective_layout();
        let (left, right) = match rows::hunk_row(&self.hunks[index], self.row_alignment(index), offset) {
            HunkRow::Sentence(number) => return Row::Sentence(index, number),
            HunkRow::Dropped => return Row::Dropped(index),
            HunkRow::NotWritten(line) => (None, Some(self.new_cell(index, line))),
            HunkRow::Changed(old, new) => {
                (old.map(|line| self.old_cell(index, line)), new.map(|line| self.new_cell(index, line)))
            }
            HunkRow::Unchanged(line) => {
                let right = self.old_cell(index, line);
                let twin = Cell { side: Side::Current, line: right.current.unwrap_or(0), ..right };
                (Some(right).filter(|_| shape == Layout::SideBySide), Some(twin))
            }
        };
        match shape {
            Layout::SideBySide => Row::Two(left, right),
            Layout::OneColumn => right.or(left).map_or(Row::Two(None, None), Row::One),
        }
    }

    /// The cell of an old line of a hunk.
    pub(super) fn old_cell(&self, index: usize, offset: usize) -> Cell {
        let hunk = &self.hunks[index];
        let line = hunk.original.start + offset;
        let kept = match hunk.state {
            HunkState::Dropped => Some(offset),
            HunkState::Kept => None,
            HunkState::Edited => self.kept_lines(index).new_of(offset),
        };
        Cell {
            side: Side::Original,
            line,
            twin: (Side::Original, line),
            original: Some(line),
            current: kept.map(|offset| hunk.current.start + offset),
            sign: if kept.is_some() { Sign::Same } else { Sign::Removed },
            hunk: Some(index),
        }
    }

    /// The cell of a new line of a hunk: a line that would be accepted, or a dropped line.
    pub(super) fn new_cell(&self, index: usize, offset: usize) -> Cell {
        let hunk = &self.hunks[index];
        let (proposed, current) = (hunk.proposed.start + offset, hunk.current.start + offset);
        let kept = self.kept_lines(index).old_of(offset);
        let (side, line, twin, sign) = match hunk.state {
            HunkState::Kept => (Side::Current, current, (Side::Proposed, proposed), Sign::Added),
            HunkState::Edited if kept.is_some() => {
                (Side::Current, current, (Side::Current, current), Sign::Same)
            }
            HunkState::Edited => (Side::Current, current, (Side::Current, current), Sign::Edited),
            HunkState::Dropped => (Side::Proposed, proposed, (Side::Proposed, proposed), Sign::Dropped),
        };
        let current = (side == Side::Current).then_some(current);
        let original = kept.map(|offset| hunk.original.start + offset);
        Cell { side, line, twin, original, current, sign, hunk: Some(index) }
    }

    /// The function or heading that encloses a line of the current text.
    pub(super) fn enclosing(&self, line: usize) -> Option<&str> {
        let text = self.texts.text(Side::Current);
        (line < text.len()).then(|| enclosing(text, line, self.is_prose)).flatten()
    }

    /// The text and the line from which a cell gets its colours. Lines that will be written get the colours
    /// of the current text, because a drop may change the syntax of lines outside of its hunk.
    pub(super) fn colour_source(&self, cell: &Cell) -> (Side, usize) {
        match cell.side {
            Side::Current => (Side::Current, cell.line),
            Side::Original | Side::Proposed => cell.twin,
        }
    }

    /// The counterpart of a line on the other side of its hunk.
    pub(super) fn counterpart(&self, cell: &Cell) -> Option<&str> {
        let index = cell.hunk?;
        let hunk = self.hunks.get(index)?;
        line_pairs::counterpart(&self.texts, hunk, self.alignment(index), (cell.side, cell.line))
    }

    /// The words of a line that differ, in order. If the hunk was too large for a comparison of words, the
    /// part of the line that differs from its counterpart.
    pub(super) fn words(&self, cell: Cell) -> Cow<'_, [Range]> {
        let Some(hunk) = cell.hunk.and_then(|hunk| self.hunks.get(hunk)) else { return Cow::Borrowed(&[]) };
        let ranges = match (&hunk.words, cell.twin.0) {
            (None, _) if hunk.limit == Some(Limit::Words) && cell.sign != Sign::Same => {
                let line = self.texts.line(cell.side, cell.line);
                let other = self.counterpart(&cell);
                let part = other.and_then(|other| line_pairs::differing_part(line, other, cell.twin.1));
                return Cow::Owned(part.into_iter().collect());
            }
            (None, _) => return Cow::Borrowed(&[]),
            (Some(words), Side::Original) => &words.removed,
            (Some(words), Side::Proposed | Side::Current) => &words.added,
        };
        let before = |line: usize| ranges.partition_point(|range| (range.start.line as usize) < line);
        Cow::Borrowed(ranges.get(before(cell.twin.1)..before(cell.twin.1 + 1)).unwrap_or_default())
    }

    /// The columns of a row in an area.
    pub(super) fn columns(&self, area: Rect) -> Columns {
        let lines = self.texts.text(Side::Original).len().max(self.texts.text(Side::Current).len());
        Columns::new(area, lines, self.effective_layout(), self.is_one_sided())
    }

    /// The columns of a row of this width.
    pub(super) fn columns_in(&self, width: u16) -> Columns {
        self.columns(Rect { width, height: 1, ..Rect::ZERO })
    }
}
