//! Rows of a page as blocks: hunks, the lines around them, and folds for the rest. Pure arithmetic on line
//! numbers, without the texts.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState};

use super::alignment::Alignment;

/// Unchanged lines that stay in sight around a hunk, unless the person wishes more.
const CONTEXT: usize = 3;

/// A person wishes so many of them more, or fewer, at once.
const MORE_CONTEXT: usize = 5;

/// Unchanged lines that stay in sight around a line with a note.
const AROUND_NOTE: usize = 1;

/// Fewer lines than this are not worth a fold.
const FEWEST: usize = 3;

/// The numbers of one line in each of the three texts, 0-based.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineNumbers {
    pub(super) original: usize,
    pub(super) proposed: usize,
    pub(super) current: usize,
}

impl LineNumbers {
    /// The numbers of the line that is so many lines further down, in unchanged text.
    pub(super) fn below(self, lines: usize) -> Self {
        Self {
            original: self.original + lines,
            proposed: self.proposed + lines,
            current: self.current + lines,
        }
    }
}

/// Rows that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// The first row.
    pub(super) row: usize,
    /// How many rows, at least one.
    pub(super) rows: usize,
    /// The lines it begins with.
    pub(super) at: LineNumbers,
    /// Their content.
    pub(super) kind: Kind,
}

/// The content of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Unchanged lines.
    Same,
    /// One row that stands for unchanged lines; if the fold is open, they follow that row.
    Fold { lines: usize, open: bool },
    /// A hunk, by its index.
    Hunk(usize),
}

impl Block {
    /// The first row after it.
    pub(super) fn end(&self) -> usize {
        self.row + self.rows
    }

    /// How many lines of unchanged text it has.
    pub(super) fn lines(&self) -> usize {
        match self.kind {
            Kind::Same => self.rows,
            Kind::Fold { lines, .. } => lines,
            Kind::Hunk(_) => 0,
        }
    }

    /// How many of its lines are above a row of it; `None` on the row of a fold itself.
    pub(super) fn offset(&self, row: usize) -> Option<usize> {
        let below = row.saturating_sub(self.row).min(self.rows.saturating_sub(1));
        match self.kind {
            Kind::Fold { .. } => below.checked_sub(1),
            Kind::Same | Kind::Hunk(_) => Some(below),
        }
    }

    /// The row that shows its line, or stands for it.
    pub(super) fn row_of(&self, offset: usize) -> usize {
        let below = match self.kind {
            Kind::Fold { open: false, .. } => 0,
            Kind::Fold { open: true, .. } => offset + 1,
            Kind::Same | Kind::Hunk(_) => offset,
        };
        self.row + below.min(self.rows.saturating_sub(1))
    }
}

/// The content of a row of a hunk. Lines are counted from the first one of the hunk in their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkRow {
    /// A line of the original that goes, and one that comes: beside each other, or only one of them.
    Becomes(Option<usize>, Option<usize>),
    /// A line of the original that stays, for the person dropped the change.
    Stays(usize),
    /// Says that the change is dropped. The lines that are not written follow.
    Dropped,
    /// A line of the proposal that is not written.
    NotWritten(usize),
    /// A sentence below the lines, by its number.
    Said(usize),
}

/// How many rows the lines of a hunk take.
pub(super) fn hunk_rows(hunk: &Hunk, alignment: &Alignment) -> usize {
    match hunk.state {
        HunkState::Dropped => hunk.original.len() + 1 + hunk.proposed.len(),
        HunkState::Kept | HunkState::Edited => alignment.rows(lines_of(hunk)).max(1),
    }
}

/// The lines that go, and those that come.
fn lines_of(hunk: &Hunk) -> (usize, usize) {
    (hunk.original.len(), hunk.current.len())
}

/// The content of a row of a hunk.
pub(super) fn hunk_row(hunk: &Hunk, alignment: &Alignment, row: usize) -> HunkRow {
    let (left, rows) = (hunk.original.len(), hunk_rows(hunk, alignment));
    match hunk.state {
        _ if row >= rows => HunkRow::Said(row - rows),
        HunkState::Dropped if row < left => HunkRow::Stays(row),
        HunkState::Dropped if row == left => HunkRow::Dropped,
        HunkState::Dropped => HunkRow::NotWritten(row - left - 1),
        HunkState::Kept | HunkState::Edited => {
            let (old, new) = alignment.lines_in(row, lines_of(hunk));
            HunkRow::Becomes(old, new)
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

/// The row of a hunk that shows a line of what comes, or would come.
pub(super) fn row_of_new(hunk: &Hunk, alignment: &Alignment, line: usize) -> usize {
    match hunk.state {
        HunkState::Dropped => hunk.original.len() + 1 + line,
        HunkState::Kept | HunkState::Edited => alignment.row_of_new(line, lines_of(hunk)),
    }
}

/// The unchanged lines that a person has in sight: so many around each hunk, those with a note, and the folds
/// that they have opened, as lines of the original, which never changes.
#[derive(Debug)]
pub(super) struct InSight {
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

impl Default for InSight {
    fn default() -> Self {
        Self { around: CONTEXT, open: Vec::new(), noted: NotedLines::default() }
    }
}

impl InSight {
    /// Shows more lines around each hunk, or fewer again; never fewer than at first.
    pub(super) fn change_context(&mut self, is_more: bool) {
        self.around = match is_more {
            true => self.around.saturating_add(MORE_CONTEXT),
            false => self.around.saturating_sub(MORE_CONTEXT).max(CONTEXT),
        };
    }

    /// The lines around each hunk.
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

    /// Shows these lines, and no longer those before.
    pub(super) fn set_noted(&mut self, noted: NotedLines) {
        self.noted = noted;
    }

    /// The lines with a note among some unchanged lines, in order, counted from `at`.
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

/// All blocks of a review whose current text has so many lines. `rows`: how many rows each hunk takes.
pub(super) fn blocks(
    hunks: &[Hunk],
    rows: impl Fn(usize) -> usize,
    current_lines: usize,
    in_sight: &InSight,
) -> Vec<Block> {
    let mut stack = Stack { blocks: Vec::with_capacity(hunks.len() * 4 + 1), row: 0 };
    let mut at = LineNumbers::default();
    for (index, hunk) in hunks.iter().enumerate() {
        let lines = hunk.current.start.saturating_sub(at.current);
        stack.unchanged(at, lines, (index > 0, true), in_sight);
        at = LineNumbers {
            original: hunk.original.start,
            proposed: hunk.proposed.start,
            current: hunk.current.start,
        };
        stack.push(at, rows(index), Kind::Hunk(index));
        at = LineNumbers {
            original: hunk.original.end,
            proposed: hunk.proposed.end,
            current: hunk.current.end,
        };
    }
    let rest = current_lines.saturating_sub(at.current);
    match hunks {
        // Without hunks there is nothing else to see, so the text is not folded.
        [] if rest > 0 => stack.push(at, rest, Kind::Same),
        _ => stack.unchanged(at, rest, (!hunks.is_empty(), false), in_sight),
    }
    stack.blocks
}

struct Stack {
    blocks: Vec<Block>,
    row: usize,
}

impl Stack {
    fn push(&mut self, at: LineNumbers, rows: usize, kind: Kind) {
        if rows > 0 {
            self.blocks.push(Block { row: self.row, rows, at, kind });
            self.row += rows;
        }
    }

    /// Unchanged lines with a hunk above, below, or both.
    fn unchanged(&mut self, at: LineNumbers, lines: usize, (above, below): (bool, bool), in_sight: &InSight) {
        let head = if above { in_sight.around } else { 0 };
        let tail = if below { in_sight.around } else { 0 };
        let hidden = lines.saturating_sub(head + tail);
        if hidden < FEWEST {
            self.push(at, lines, Kind::Same);
            return;
        }
        self.push(at, head, Kind::Same);
        let (mut next, end) = (head, head + hidden);
        for line in in_sight.noted(at, &(head..end)) {
            let from = line.saturating_sub(AROUND_NOTE).max(next);
            let to = (line + 1 + AROUND_NOTE).min(end).max(from);
            self.fold(at.below(next), from - next, in_sight);
            self.push(at.below(from), to - from, Kind::Same);
            next = to;
        }
        self.fold(at.below(next), end - next, in_sight);
        self.push(at.below(end), tail, Kind::Same);
    }

    /// Unchanged lines that nothing shows.
    fn fold(&mut self, at: LineNumbers, lines: usize, in_sight: &InSight) {
        if lines < FEWEST {
            self.push(at, lines, Kind::Same);
            return;
        }
        let open = in_sight.has(&(at.original..at.original + lines));
        self.push(at, if open { lines + 1 } else { 1 }, Kind::Fold { lines, open });
    }
}
