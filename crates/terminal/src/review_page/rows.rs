//! The rows of a page as blocks: hunks, the unchanged lines around them, and folds over other lines. Pure
//! arithmetic on line numbers, without the texts.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState};

use super::alignment::Alignment;

/// The unchanged lines that are visible around a hunk, unless the person asks for more.
const CONTEXT_LINES: usize = 3;

/// The unchanged lines around a hunk that one key adds or removes.
const CONTEXT_STEP_LINES: usize = 5;

/// The unchanged lines that are visible around a line with a note.
const NOTE_CONTEXT_LINES: usize = 1;

/// The least number of lines in a fold.
const MIN_FOLD_LINES: usize = 3;

/// The numbers of one line in each of the three texts, counted from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineNumbers {
    pub(super) original: usize,
    pub(super) proposed: usize,
    pub(super) current: usize,
}

impl LineNumbers {
    /// The numbers of the line that is `lines` lines further down in unchanged text.
    pub(super) fn below(self, lines: usize) -> Self {
        Self {
            original: self.original + lines,
            proposed: self.proposed + lines,
            current: self.current + lines,
        }
    }
}

/// Successive rows with the same kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// The first row.
    pub(super) row: usize,
    /// The number of rows, at least one.
    pub(super) rows: usize,
    /// The line with which the block begins.
    pub(super) at: LineNumbers,
    /// The content of the rows.
    pub(super) kind: BlockKind,
}

/// The content of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Unchanged lines.
    Same,
    /// One row in place of unchanged lines. If the fold is open, the lines follow that row.
    Fold { lines: usize, open: bool },
    /// A hunk, by its index.
    Hunk(usize),
}

impl Block {
    /// The first row after the block.
    pub(super) fn end(&self) -> usize {
        self.row + self.rows
    }

    /// The number of unchanged lines in the block.
    pub(super) fn lines(&self) -> usize {
        match self.kind {
            BlockKind::Same => self.rows,
            BlockKind::Fold { lines, .. } => lines,
            BlockKind::Hunk(_) => 0,
        }
    }

    /// The number of the block's lines above one of its rows; `None` for the row of a fold itself.
    pub(super) fn offset(&self, row: usize) -> Option<usize> {
        let below = row.saturating_sub(self.row).min(self.rows.saturating_sub(1));
        match self.kind {
            BlockKind::Fold { .. } => below.checked_sub(1),
            BlockKind::Same | BlockKind::Hunk(_) => Some(below),
        }
    }

    /// The row that shows the line at this offset, or the row of the fold over it.
    pub(super) fn row_of(&self, offset: usize) -> usize {
        let below = match self.kind {
            BlockKind::Fold { open: false, .. } => 0,
            BlockKind::Fold { open: true, .. } => offset + 1,
            BlockKind::Same | BlockKind::Hunk(_) => offset,
        };
        self.row + below.min(self.rows.saturating_sub(1))
    }
}

/// The content of a row of a hunk. Lines count from 0 at the first line of the hunk in their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkRow {
    /// A removed line of the original, an added line, or both.
    Changed(Option<usize>, Option<usize>),
    /// A line of the original that stays, because the person has dropped the change.
    Unchanged(usize),
    /// The sentence that the change is dropped. The lines that are not written follow.
    Dropped,
    /// A line of the proposal that is not written.
    NotWritten(usize),
    /// A sentence below the lines, by its number.
    Sentence(usize),
}

/// The number of rows of a hunk's lines.
pub(super) fn hunk_rows(hunk: &Hunk, alignment: &Alignment) -> usize {
    match hunk.state {
        HunkState::Dropped => hunk.original.len() + 1 + hunk.proposed.len(),
        HunkState::Kept | HunkState::Edited => alignment.rows(lines_of(hunk)).max(1),
    }
}

/// The numbers of removed and of added lines.
fn lines_of(hunk: &Hunk) -> (usize, usize) {
    (hunk.original.len(), hunk.current.len())
}

/// The content of a row of a hunk.
pub(super) fn hunk_row(hunk: &Hunk, alignment: &Alignment, row: usize) -> HunkRow {
    let (left, rows) = (hunk.original.len(), hunk_rows(hunk, alignment));
    match hunk.state {
        _ if row >= rows => HunkRow::Sentence(row - rows),
        HunkState::Dropped if row < left => HunkRow::Unchanged(row),
        HunkState::Dropped if row == left => HunkRow::Dropped,
        HunkState::Dropped => HunkRow::NotWritten(row - left - 1),
        HunkState::Kept | HunkState::Edited => {
            let (old, new) = alignment.lines_in(row, lines_of(hunk));
            HunkRow::Changed(old, new)
        }
    }
}

/// The row of a hunk that shows a line of the original.
pub(super) fn row_of_old(hunk: &Hunk, alignment: &Alignment, line: usize) -> usize {
    match hunk.state {
        HunkState::Dropped => line,
        HunkState::Kept | HunkState::Edited => alignment.row_of_old(line),
    }
}

/// The row of a hunk that shows a new line: a line of the current text or, if the hunk is dropped, of the
/// proposal.
pub(super) fn row_of_new(hunk: &Hunk, alignment: &Alignment, line: usize) -> usize {
    match hunk.state {
        HunkState::Dropped => hunk.original.len() + 1 + line,
        HunkState::Kept | HunkState::Edited => alignment.row_of_new(line, lines_of(hunk)),
    }
}

/// The visible unchanged lines: lines around each hunk, lines with a note, and the opened folds, as lines of
/// the original, which never changes.
#[derive(Debug)]
pub(super) struct VisibleLines {
    around: usize,
    open: Vec<Range<usize>>,
    noted: NotedLines,
}

/// The lines that notes are about.
#[derive(Debug, Default)]
pub(super) struct NotedLines {
    pub(super) original: Vec<usize>,
    pub(super) proposed: Vec<usize>,
}

impl Default for VisibleLines {
    fn default() -> Self {
        Self { around: CONTEXT_LINES, open: Vec::new(), noted: NotedLines::default() }
    }
}

impl VisibleLines {
    /// Shows more lines around each hunk, or fewer, but never fewer than [`CONTEXT_LINES`].
    pub(super) fn change_context(&mut self, is_more: bool) {
        self.around = match is_more {
            true => self.around.saturating_add(CONTEXT_STEP_LINES),
            false => self.around.saturating_sub(CONTEXT_STEP_LINES).max(CONTEXT_LINES),
        };
    }

    /// The number of visible lines around each hunk.
    pub(super) fn context(&self) -> usize {
        self.around
    }

    pub(super) fn open(&mut self, lines: Range<usize>) {
        self.close(&lines);
        let at = self.open.partition_point(|open| open.start < lines.start);
        self.open.insert(at, lines);
    }

    pub(super) fn close(&mut self, lines: &Range<usize>) {
        self.open.retain(|open| open.end <= lines.start || lines.end <= open.start);
    }

    /// Replaces the lines with a note.
    pub(super) fn set_noted(&mut self, noted: NotedLines) {
        self.noted = noted;
    }

    /// The sorted lines with a note among `lines`. Lines count from `at`, the beginning of an unchanged part.
    fn noted(&self, at: LineNumbers, lines: &Range<usize>) -> Vec<usize> {
        let old = self.noted.original.iter().map(|line| line.checked_sub(at.original));
        let new = self.noted.proposed.iter().map(|line| line.checked_sub(at.proposed));
        let mut noted: Vec<_> = old.chain(new).flatten().filter(|line| lines.contains(line)).collect();
        noted.sort_unstable();
        noted
    }

    fn has(&self, lines: &Range<usize>) -> bool {
        let at = self.open.partition_point(|open| open.end <= lines.start);
        self.open.get(at).is_some_and(|open| open.start < lines.end)
    }
}

/// Computes all blocks of a review whose current text has `current_lines` lines. `rows` returns the number of
/// rows of a hunk.
pub(super) fn blocks(
    hunks: &[Hunk],
    rows: impl Fn(usize) -> usize,
    current_lines: usize,
    visible_lines: &VisibleLines,
) -> Vec<Block> {
    let mut builder = BlockBuilder { blocks: Vec::with_capacity(hunks.len() * 4 + 1), row: 0 };
    let mut at = LineNumbers::default();
    for (index, hunk) in hunks.iter().enumerate() {
        let lines = hunk.current.start.saturating_sub(at.current);
        builder.add_unchanged(at, lines, (index > 0, true), visible_lines);
        at = LineNumbers {
            original: hunk.original.start,
            proposed: hunk.proposed.start,
            current: hunk.current.start,
        };
        builder.push(at, rows(index), BlockKind::Hunk(index));
        at = LineNumbers {
            original: hunk.original.end,
            proposed: hunk.proposed.end,
            current: hunk.current.end,
        };
    }
    let rest = current_lines.saturating_sub(at.current);
    match hunks {
        // The text of a review without hunks is not folded.
        [] if rest > 0 => builder.push(at, rest, BlockKind::Same),
        _ => builder.add_unchanged(at, rest, (!hunks.is_empty(), false), visible_lines),
    }
    builder.blocks
}

struct BlockBuilder {
    blocks: Vec<Block>,
    row: usize,
}

impl BlockBuilder {
    fn push(&mut self, at: LineNumbers, rows: usize, kind: BlockKind) {
        if rows > 0 {
            self.blocks.push(Block { row: self.row, rows, at, kind });
            self.row += rows;
        }
    }

    /// Adds unchanged lines with a hunk above, below, or both.
    fn add_unchanged(
        &mut self,
        at: LineNumbers,
        lines: usize,
        (above, below): (bool, bool),
        visible_lines: &VisibleLines,
    ) {
        let head = if above { visible_lines.around } else { 0 };
        let tail = if below { visible_lines.around } else { 0 };
        let hidden = lines.saturating_sub(head + tail);
        if hidden < MIN_FOLD_LINES {
            self.push(at, lines, BlockKind::Same);
            return;
        }
        self.push(at, head, BlockKind::Same);
        let (mut next, end) = (head, head + hidden);
        for line in visible_lines.noted(at, &(head..end)) {
            let from = line.saturating_sub(NOTE_CONTEXT_LINES).max(next);
            let to = (line + 1 + NOTE_CONTEXT_LINES).min(end).max(from);
            self.add_fold(at.below(next), from - next, visible_lines);
            self.push(at.below(from), to - from, BlockKind::Same);
            next = to;
        }
        self.add_fold(at.below(next), end - next, visible_lines);
        self.push(at.below(end), tail, BlockKind::Same);
    }

    /// Adds a fold over unchanged lines, or the lines themselves if they are few.
    fn add_fold(&mut self, at: LineNumbers, lines: usize, visible_lines: &VisibleLines) {
        if lines < MIN_FOLD_LINES {
            self.push(at, lines, BlockKind::Same);
            return;
        }
        let open = visible_lines.has(&(at.original..at.original + lines));
        self.push(at, if open { lines + 1 } else { 1 }, BlockKind::Fold { lines, open });
    }
}
