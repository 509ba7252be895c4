//! The content of a page as *unwrapped rows*, one for each line: a line of one text or of two, with numbers
//! and a sign.

use std::borrow::Cow;
use std::sync::OnceLock;

use alongside_desk::{Hunk, HunkState, Limit, Lines, Range, Review, look_alikes, messages, moved};
use ratatui_core::layout::Rect;

use super::accepted_hunks::AcceptedHunks;
use super::alignment::{Alignment, PLAIN, STACKED};
use super::columns::Columns;
use super::enclosing_heading::enclosing;
use super::kind::ReviewKind;
use super::line_pairs;
use super::rows::{self, Block, HunkRow, InSight, Kind, LineNumbers};
use super::texts::{ENDS_OPEN, ReviewTexts, Side};
use super::wrapping::{LineRows, MOST_ROWS, Wrap, Wrapping, is_moderate};
use crate::options::Layout;
use crate::text::width;

/// The texts of a review, and the blocks of rows that show them.
#[derive(Debug)]
pub(crate) struct Content {
    pub(super) texts: ReviewTexts,
    pub(super) hunks: Vec<Hunk>,
    kind: ReviewKind,
    /// Whether the file is Markdown.
    is_prose: bool,
    /// The sentences below each hunk.
    said: Vec<Vec<Sentence>>,
    /// The lines of each hunk that stand beside each other, once that was asked.
    alignments: Vec<OnceLock<Alignment>>,
    /// The lines of each edited hunk that the person left as they were, once that was asked.
    kept_lines: Vec<OnceLock<Alignment>>,
    /// The hunks that are folded, since the person knows them already.
    known: AcceptedHunks,
    pub(super) blocks: Vec<Block>,
    layout: Layout,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    /// A fold over some lines, and the line of the current text that follows it.
    Fold { lines: usize, open: bool, next: usize },
    /// One cell over the whole width.
    One(Cell),
    /// A line of the original beside a line of the text in its place. A side with fewer lines is empty.
    Two(Option<Cell>, Option<Cell>),
    /// Says that a hunk is dropped, where its new lines would stand.
    Dropped(usize),
    /// A sentence on a hunk, by the number of both, over the whole width.
    Said(usize, usize),
    /// The row that stands for a folded hunk.
    Known(usize),
}

/// A sentence that stands below a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sentence {
    /// Why lines of the hunk differ that look the same.
    HardToSee(String),
    /// From where lines of the hunk were moved, or where to.
    Moved(String),
    /// The person's reason.
    Reason(String),
}

impl Sentence {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::HardToSee(text) | Self::Moved(text) | Self::Reason(text) => text,
        }
    }
}

impl Row {
    /// The cells of the row, the left one first.
    pub(super) fn cells(self) -> impl Iterator<Item = Cell> {
        let (left, right) = match self {
            Self::Fold { .. } | Self::Dropped(_) | Self::Said(..) | Self::Known(_) => (None, None),
            Self::One(cell) => (Some(cell), None),
            Self::Two(left, right) => (left, right),
        };
        left.into_iter().chain(right)
    }
}

/// A line as it stands in a row. All lines are 0-based.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// The text that the line is from.
    pub(super) side: Side,
    /// The number of the line in that text.
    pub(super) line: usize,
    /// The line whose words are the same, and whose colours are used until those of this line are known.
    /// For an unchanged or kept line, this is a line of the proposal, which never changes.
    pub(super) twin: (Side, usize),
    /// The number of the line in the original, if it is there.
    pub(super) original: Option<usize>,
    /// The number of the line in the current text, if it is there.
    pub(super) current: Option<usize>,
    pub(super) sign: Sign,
    /// The hunk that the line is in, if it is in one.
    pub(super) hunk: Option<usize>,
}

/// The sign of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// The line stays.
    Same,
    /// The line is removed.
    Removed,
    /// The line is added.
    Added,
    /// The person has written the line.
    Edited,
    /// The proposal adds the line, and the person has dropped it.
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

impl Content {
    pub(super) fn new(review: &Review, layout: Layout, kind: ReviewKind) -> Self {
        let (texts, hunks) = (ReviewTexts::new(review), review.hunks.clone());
        let said = said_of(&texts, &hunks);
        let is_prose = [".md", ".markdown"].iter().any(|ending| review.file.ends_with(ending));
        let alignments = hunks.iter().map(|_| OnceLock::new()).collect();
        let kept_lines = hunks.iter().map(|_| OnceLock::new()).collect();
        let (known, blocks) = (AcceptedHunks::default(), Vec::new());
        Self { texts, hunks, kind, is_prose, said, alignments, kept_lines, known, layout, blocks }
    }

    /// Takes a change of the same review in, before [`lay_out`](Self::lay_out).
    pub(super) fn update(&mut self, review: &Review) {
        self.texts.update(review);
        let known = std::mem::take(&mut self.alignments);
        let mut known =
            std::mem::replace(&mut self.hunks, review.hunks.clone()).into_iter().zip(known).peekable();
        for hunk in &self.hunks {
            let place = |hunk: &Hunk| (hunk.original.start, hunk.proposed.start);
            while known.next_if(|(other, _)| place(other) < place(hunk)).is_some() {}
            // The lines of a proposal never change.
            let same = known.next_if(|(other, _)| {
                let is_proposed = |hunk: &Hunk| hunk.state != HunkState::Edited;
                let lines = |hunk: &Hunk| (hunk.original, hunk.proposed);
                lines(other) == lines(hunk) && is_proposed(other) && is_proposed(hunk)
            });
            self.alignments.push(same.map(|(_, alignment)| alignment).unwrap_or_default());
        }
        self.kept_lines = self.hunks.iter().map(|_| OnceLock::new()).collect();
        self.said = said_of(&self.texts, &self.hunks);
    }

    /// Sets the lines of the proposal whose hunks the person accepted before they were written. Returns
    /// whether they have changed: then [`lay_out`](Self::lay_out) follows.
    pub(super) fn set_accepted(&mut self, lines: &[Lines]) -> bool {
        self.known.set_accepted(lines)
    }

    /// Opens a hunk that is folded, or folds it again, before [`lay_out`](Self::lay_out). False if it cannot
    /// be folded.
    pub(super) fn toggle_hunk(&mut self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| self.known.toggle(hunk))
    }

    /// Whether a hunk can be folded.
    pub(super) fn is_known(&self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| self.known.has(hunk))
    }

    /// Whether a hunk is folded: one row stands for it.
    pub(super) fn is_folded(&self, hunk: usize) -> bool {
        self.hunks.get(hunk).is_some_and(|hunk| self.known.is_folded(hunk))
    }

    /// The words of the row that stands for a hunk.
    pub(super) fn known_words(&self, hunk: usize) -> String {
        let Some(hunk) = self.hunks.get(hunk) else { return String::new() };
        format!("⋯ +{} -{} accepted before the write", hunk.proposed.len(), hunk.original.len())
    }

    /// Finds the rows of everything.
    pub(super) fn lay_out(&mut self, layout: Layout, in_sight: &InSight) {
        self.layout = layout;
        let lines = self.texts.text(Side::Current).len();
        let rows_of = |hunk: usize| match self.is_folded(hunk) {
            true => 1,
            false => self.rows_of_lines(hunk) + self.said.get(hunk).map_or(0, Vec::len),
        };
        self.blocks = rows::blocks(&self.hunks, rows_of, lines, in_sight);
    }

    /// How many rows the lines of a hunk take.
    pub(super) fn rows_of_lines(&self, hunk: usize) -> usize {
        self.hunks.get(hunk).map_or(0, |of| rows::hunk_rows(of, self.beside(hunk)))
    }

    /// The lines of a hunk that share rows. One column has none but those that the person left as they were,
    /// and needs no comparison of all others.
    fn beside(&self, hunk: usize) -> &Alignment {
        match self.shape() {
            Layout::SideBySide => self.alignment(hunk),
            Layout::OneColumn => self.kept_lines(hunk),
        }
    }

    /// The lines of a hunk that the person edited, and left as they were.
    fn kept_lines(&self, index: usize) -> &Alignment {
        match (self.hunks.get(index), self.kept_lines.get(index)) {
            (Some(hunk), Some(known)) if hunk.state == HunkState::Edited => {
                known.get_or_init(|| line_pairs::kept_lines(&self.texts, hunk, self.alignment(index)))
            }
            _ => &STACKED,
        }
    }

    /// Whether a line of the original is in an edited hunk, and is there as it was.
    pub(super) fn is_kept_line(&self, hunk: usize, offset: usize) -> bool {
        self.kept_lines(hunk).new_of(offset).is_some()
    }

    /// The lines of a hunk that became other lines.
    fn alignment(&self, hunk: usize) -> &Alignment {
        match (self.hunks.get(hunk), self.alignments.get(hunk)) {
            (Some(hunk), Some(known)) => known.get_or_init(|| line_pairs::alignment(&self.texts, hunk)),
            _ => &PLAIN,
        }
    }

    /// The row of a hunk that shows a line of the original, counted from the first one of the hunk.
    pub(super) fn row_of_old(&self, hunk: usize, line: usize) -> usize {
        let row = |of: &Hunk| rows::row_of_old(of, self.beside(hunk), line);
        self.hunks.get(hunk).map_or(0, row)
    }

    /// The row of a hunk that shows an added or dropped line, counted from the first one of the hunk.
    pub(super) fn row_of_new(&self, hunk: usize, line: usize) -> usize {
        let row = |of: &Hunk| rows::row_of_new(of, self.beside(hunk), line);
        self.hunks.get(hunk).map_or(0, row)
    }

    /// The layout that is used: one column if there is no original, for the text has nothing to stand beside.
    pub(super) fn shape(&self) -> Layout {
        if self.is_one_sided() { Layout::OneColumn } else { self.layout }
    }

    pub(super) fn is_one_sided(&self) -> bool {
        self.texts.text(Side::Original).is_empty()
    }

    /// How many rows there are.
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
        // Blocks lie in the order of the current text; those that begin at the same line are few.
        let from = self.blocks.partition_point(|block| block.at.current < wanted.current.start);
        self.blocks[from..].iter().find(|block| block.kind == Kind::Hunk(hunk))
    }

    /// The content of a row in a block.
    pub(super) fn row_in(&self, block: &Block, row: usize) -> Row {
        match (block.kind, block.offset(row)) {
            (Kind::Fold { lines, open }, None) => Row::Fold { lines, open, next: block.at.current + lines },
            (Kind::Hunk(hunk), _) if self.is_folded(hunk) => Row::Known(hunk),
            (Kind::Hunk(hunk), Some(offset)) => self.hunk_row(hunk, offset),
            (_, offset) => self.same(block.at.below(offset.unwrap_or(0))),
        }
    }

    /// The words of the row that says that a hunk is dropped, or marked to be undone.
    pub(super) fn dropped(&self, hunk: usize) -> String {
        let said = match self.kind {
            ReviewKind::Proposal => messages::dropped,
            ReviewKind::TurnFile => messages::to_be_undone,
        };
        self.hunks.get(hunk).map(said).unwrap_or_default()
    }

    /// A sentence below a hunk, by its number.
    pub(super) fn said(&self, hunk: usize, number: usize) -> Option<&Sentence> {
        self.said.get(hunk)?.get(number)
    }

    /// Whether something in a hunk is hard to see.
    pub(super) fn is_hard_to_see(&self, hunk: usize) -> bool {
        let is_warning = |sentence: &Sentence| matches!(sentence, Sentence::HardToSee(_));
        self.said.get(hunk).is_some_and(|said| said.iter().any(is_warning))
    }

    fn same(&self, at: LineNumbers) -> Row {
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
        let shape = self.shape();
        let (left, right) = match rows::hunk_row(&self.hunks[index], self.beside(index), offset) {
            HunkRow::Said(number) => return Row::Said(index, number),
            HunkRow::Dropped => return Row::Dropped(index),
            HunkRow::NotWritten(line) => (None, Some(self.after(index, line))),
            HunkRow::Becomes(old, new) => {
                (old.map(|line| self.before(index, line)), new.map(|line| self.after(index, line)))
            }
            HunkRow::Stays(line) => {
                let right = self.before(index, line);
                let twin = Cell { side: Side::Current, line: right.current.unwrap_or(0), ..right };
                (Some(right).filter(|_| shape == Layout::SideBySide), Some(twin))
            }
        };
        match shape {
            Layout::SideBySide => Row::Two(left, right),
            Layout::OneColumn => right.or(left).map_or(Row::Two(None, None), Row::One),
        }
    }

    /// A line of a hunk as it was.
    pub(super) fn before(&self, index: usize, offset: usize) -> Cell {
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

    /// A line of a hunk as it would be accepted, or of what was dropped.
    pub(super) fn after(&self, index: usize, offset: usize) -> Cell {
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

    /// The function or heading in which a line of the current text stands.
    pub(super) fn enclosing(&self, line: usize) -> Option<&str> {
        let text = self.texts.text(Side::Current);
        (line < text.len()).then(|| enclosing(text, line, self.is_prose)).flatten()
    }

    /// The text and the line whose colours a line has. A drop may mend the syntax of lines that it does not
    /// touch, so lines that will be written have those of the current text.
    pub(super) fn coloured(&self, cell: &Cell) -> (Side, usize) {
        match cell.side {
            Side::Current => (Side::Current, cell.line),
            Side::Original | Side::Proposed => cell.twin,
        }
    }

    /// The line on the other side of its hunk that a line was made of, or became.
    pub(super) fn counterpart(&self, cell: &Cell) -> Option<&str> {
        let index = cell.hunk?;
        let hunk = self.hunks.get(index)?;
        line_pairs::counterpart(&self.texts, hunk, self.alignment(index), (cell.side, cell.line))
    }

    /// The words of a line that differ, in order. Where too much differs for the words of the hunk to be
    /// compared, the part of the line in which it and its counterpart differ.
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

    /// The column from which a row that is cut is shown, on a page that wraps changes: a third of the room
    /// before the first word that differs, if that is too far to the side.
    pub(super) fn first_column(&self, row: &Row, columns: &Columns) -> usize {
        let room = columns.room();
        let first = |cell: Cell| {
            let line = self.texts.line(cell.side, cell.line);
            let word = *self.words(cell).first()?;
            let byte = byte_of(line, word.start.character);
            // The mark of the cut takes a column.
            let end = width::columns(&line[..byte_of(line, word.end.character)]) + 1;
            Some((width::columns(&line[..byte]), end))
        };
        let changed = row.cells().filter(|cell| cell.sign != Sign::Same);
        let word = changed.filter_map(first).min_by_key(|(start, _)| *start);
        word.filter(|(_, end)| *end > room).map_or(0, |(start, _)| start.saturating_sub(room / 3))
    }

    /// The columns of a row, in an area.
    pub(super) fn columns(&self, area: Rect) -> Columns {
        let lines = self.texts.text(Side::Original).len().max(self.texts.text(Side::Current).len());
        Columns::new(area, lines, self.shape(), self.is_one_sided())
    }

    /// The columns of a row this wide.
    pub(super) fn columns_in(&self, width: u16) -> Columns {
        self.columns(Rect { width, height: 1, ..Rect::ZERO })
    }

    /// The wrapped rows of a row, on both sides.
    pub(super) fn line_rows(&self, row: &Row, columns: &Columns) -> (LineRows, LineRows) {
        let (left, right) = columns.rooms();
        let rows = |cell: &Cell, room: usize| {
            let mark = if self.texts.ends_open(cell.side, cell.line) { ENDS_OPEN.len() } else { 0 };
            LineRows::new(self.texts.line(cell.side, cell.line), mark, room)
        };
        let none = LineRows::default;
        match row {
            Row::Fold { .. } | Row::Known(_) => (LineRows::new("", 0, left), none()),
            Row::Said(hunk, number) => {
                let text = self.said(*hunk, *number).map_or("", Sentence::text);
                (LineRows::new(text, 0, columns.reason_room()), none())
            }
            Row::Dropped(hunk) => match self.shape() {
                Layout::SideBySide => (none(), LineRows::new(&self.dropped(*hunk), 0, right)),
                Layout::OneColumn => (LineRows::new(&self.dropped(*hunk), 0, left), none()),
            },
            Row::One(cell) => (rows(cell, left), none()),
            Row::Two(before, after) => (
                before.as_ref().map_or_else(none, |cell| rows(cell, left)),
                after.as_ref().map_or_else(none, |cell| rows(cell, right)),
            ),
        }
    }

    /// Whether a row is wrapped. One that has nothing but one row either way is.
    pub(super) fn wraps(&self, row: &Row, wrap: Wrap, columns: &Columns) -> bool {
        match (wrap, row) {
            (Wrap::Nothing, _) => false,
            (Wrap::All(_), _) | (Wrap::Changes(_), Row::Said(..) | Row::Dropped(_)) => true,
            (Wrap::Changes(_), Row::Fold { .. } | Row::Known(_)) => false,
            (Wrap::Changes(_), Row::One(_) | Row::Two(..)) => {
                let is_moderate =
                    |cell: Cell| is_moderate(self.texts.line(cell.side, cell.line), columns.room());
                // Among them are the lines that stay where a change is dropped.
                row.cells().any(|cell| cell.hunk.is_some()) && row.cells().all(is_moderate) && {
                    let (left, right) = self.line_rows(row, columns);
                    left.len().max(right.len()) <= MOST_ROWS
                }
            }
        }
    }

    /// Measures every line that is wrapped. `around`: how many rows of something else stand around each row.
    pub(super) fn wrapped(&self, wrap: Wrap, around: impl Fn(usize) -> usize) -> Wrapping {
        let (columns, mut next) = (self.columns_in(wrap.width().unwrap_or(u16::MAX)), 0);
        let mut starts = Vec::with_capacity(self.rows() + 1);
        for block in &self.blocks {
            let is_cut = matches!(wrap, Wrap::Changes(_)) && !matches!(block.kind, Kind::Hunk(_));
            for row in block.row..block.end() {
                starts.push(next);
                let shown = if is_cut { None } else { Some(self.row_in(block, row)) };
                next += match shown.filter(|shown| self.wraps(shown, wrap, &columns)) {
                    Some(shown) => {
                        let (left, right) = self.line_rows(&shown, &columns);
                        left.len().max(right.len()).max(1)
                    }
                    None => 1,
                };
                next += around(row);
            }
        }
        starts.push(next);
        Wrapping { starts }
    }
}

/// The sentences below each hunk.
fn said_of(texts: &ReviewTexts, hunks: &[Hunk]) -> Vec<Vec<Sentence>> {
    let all = [Side::Original, Side::Proposed, Side::Current].map(|side| texts.text(side));
    let mut moves: Vec<Vec<Sentence>> = vec![Vec::new(); hunks.len()];
    for block in moved(hunks, texts.text(Side::Original), texts.text(Side::Current)) {
        let said = [(block.from, messages::moved_away(&block)), (block.to, messages::moved_here(&block))];
        for (hunk, said) in said {
            moves[hunk].push(Sentence::Moved(said));
        }
    }
    let said = |(hunk, moves): (&Hunk, Vec<Sentence>)| {
        let (old, new) = look_alikes::sides(hunk, all);
        let unseen = look_alikes::hard_to_see(old, new).map(Sentence::HardToSee);
        let why = messages::why(hunk).map(Sentence::Reason);
        unseen.into_iter().chain(moves).chain(why).collect()
    };
    hunks.iter().zip(moves).map(said).collect()
}

/// The byte at which a character of a line begins that is given in UTF-16 units.
pub(super) fn byte_of(line: &str, character: u32) -> usize {
    let mut units = 0;
    let before = line.char_indices().find(|(_, c)| {
        let is_it = units >= character as usize;
        units += c.len_utf16();
        is_it
    });
    before.map_or(line.len(), |(at, _)| at)
}
