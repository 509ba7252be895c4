//! A review laid out in rows: numbered lines, the original beside or above the current text, unchanged lines
//! folded. Each lookup touches only the rows on the screen, however long the text is.

use std::ops::Range;

use alongside_desk::review_model::SeenPart;
use alongside_desk::{Hunk, HunkState, Lines, Review, Text};

use super::content::{Cell, Content, Row, Sentence, Sign};
use super::kind::ReviewKind;
use super::line_place::row_of;
use super::notes::{self, NoteRows, PageLines, PageNote, PlacedNotes};
use super::rows::{Block, InSight, Kind};
use super::search::Match;
use super::seen_lines::{EditedLine, SeenLines, ShownLine};
use super::texts::Side;
use super::wrapping::{LineRows, Wrap, Wrapping};
use crate::options::Layout;
use crate::text::width;

/// A review on a screen. Its content has unwrapped rows; here each is one or more rows of the screen. Beside
/// one another, both sides take as many rows as the longer one.
#[derive(Debug)]
pub(crate) struct Page {
    content: Content,
    form: PageForm,
    in_sight: InSight,
    /// Present while long lines are wrapped.
    wrapping: Option<Wrapping>,
    notes: Vec<PageNote>,
    placed_notes: PlacedNotes,
}

/// How a page is laid out.
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

/// A row that is found again after the page has changed: by its line in the texts that never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchor {
    original: usize,
    proposed: usize,
    spot: AnchorKind,
    /// The column at which the row begins, if a long line goes on there.
    column: usize,
    /// Whether it is one of the notes above the line.
    is_above: bool,
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
    #[cfg(test)]
    pub(crate) fn new(review: &Review, form: impl Into<PageForm>) -> Self {
        Self::of_kind(review, form.into(), ReviewKind::Proposal)
    }

    /// The page of a review of this kind.
    pub(crate) fn of_kind(review: &Review, form: PageForm, kind: ReviewKind) -> Self {
        let content = Content::new(review, form.layout, kind);
        let mut page = Self {
            content,
            form,
            in_sight: InSight::default(),
            wrapping: None,
            notes: Vec::new(),
            placed_notes: PlacedNotes::default(),
        };
        page.lay_out();
        page
    }

    /// Takes a change of the same review in; what was unfolded stays so. Rows may move: see
    /// [`anchor`](Self::anchor).
    pub(crate) fn update(&mut self, review: &Review) {
        self.content.update(review);
        self.lay_out();
    }

    /// Lays the page out in another form. Rows move.
    pub(crate) fn relayout(&mut self, form: impl Into<PageForm>) {
        self.form = form.into();
        self.lay_out();
    }

    /// Shows these notes with the lines that they are about, in place of those before. Rows move. False if
    /// they are the same.
    pub(crate) fn set_notes(&mut self, notes: &[PageNote]) -> bool {
        let is_other = self.notes != notes;
        if is_other {
            self.notes = notes.to_vec();
            self.in_sight.set_noted(notes::noted_lines(&self.notes));
            self.lay_out();
        }
        is_other
    }

    /// The person accepted the hunks in these lines of the proposal before they were written: they are
    /// folded. Rows move. False if that is known.
    pub(crate) fn set_accepted(&mut self, lines: &[Lines]) -> bool {
        let is_news = self.content.set_accepted(lines);
        if is_news {
            self.lay_out();
        }
        is_news
    }

    fn lay_out(&mut self) {
        self.content.lay_out(self.form.layout, &self.in_sight);
        self.placed_notes = PlacedNotes::new(&self.notes, &self.content, self.form.wrap);
        self.wrapping = match self.form.wrap {
            Wrap::Nothing => None,
            Wrap::Changes(_) | Wrap::All(_) => {
                Some(self.content.wrapped(self.form.wrap, |row| self.placed_notes.around(row)))
            }
        };
    }

    pub(crate) fn form(&self) -> PageForm {
        self.form
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    /// How many rows there are.
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

    /// The rows of some lines of a text, from the first to the last one; none if they are not there.
    pub(crate) fn rows_of_lines(&self, lines: &PageLines) -> Option<Range<usize>> {
        let side = if lines.is_old { Side::Original } else { Side::Proposed };
        let row = |line: usize| row_of(&self.content, side, line).map(|row| self.rows_of_line(row));
        let (first, last) = (row(lines.lines.start)?, row(lines.lines.end.checked_sub(1)?)?);
        Some(first.start..last.end.max(first.end))
    }

    /// The unwrapped row that a row belongs to; beyond the end, one that does not exist.
    pub(super) fn unwrapped(&self, row: usize) -> usize {
        self.wrapping.as_ref().map_or(row, |wrapping| wrapping.unwrapped(row))
    }

    /// Calls back with every unwrapped row that has a row among some.
    pub(super) fn each_row(&self, rows: Range<usize>, mut each: impl FnMut(usize, &Block, Row)) {
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

    /// The room that every line has on a page this wide.
    pub(crate) fn room(&self, width: u16) -> usize {
        self.content.columns_in(width).room()
    }

    /// The furthest that some rows can scroll to the side on a page this wide.
    pub(crate) fn most_sideways(&self, rows: Range<usize>, width: u16) -> usize {
        if matches!(self.form.wrap, Wrap::All(_)) {
            return 0;
        }
        let columns = self.content.columns_in(width);
        let (left_room, right_room) = columns.rooms();
        let over = |cell: Cell, room: usize| {
            width::columns(self.content.texts.line(cell.side, cell.line)).saturating_sub(room)
        };
        let mut most = 0;
        self.each_row(rows, |_, _, row| {
            let is_wrapped = self.line_rows(&row).is_some();
            most = most.max(match row {
                Row::Fold { .. } | Row::Dropped(_) | Row::Known(_) => 0,
                _ if is_wrapped => 0,
                Row::Said(hunk, number) => {
                    let text = self.content.said(hunk, number).map_or("", Sentence::text);
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

    /// Whether one of some rows is shown from its change on, on a page this wide.
    pub(crate) fn has_late_rows(&self, rows: Range<usize>, width: u16) -> bool {
        let columns = self.content.columns_in(width);
        let mut has = false;
        if let Wrap::Changes(_) = self.form.wrap {
            self.each_row(rows, |_, _, row| {
                let is_cut = self.line_rows(&row).is_none();
                has |= is_cut && self.content.first_column(&row, &columns) > 0;
            });
        }
        has
    }

    /// Which lines of which texts some rows show in colour, for
    /// [`Colours::request`](crate::colour::Colours::request).
    pub(crate) fn lines_in(&self, rows: Range<usize>) -> Vec<(Text, Range<usize>)> {
        let mut wanted: Vec<(Side, Range<usize>)> = Vec::new();
        self.each_row(rows, |_, _, row| {
            for cell in row.cells().filter(|cell| cell.sign != Sign::Dropped) {
                let (side, line) = self.content.coloured(&cell);
                match wanted.iter_mut().rev().find(|(known, lines)| *known == side && lines.end == line) {
                    Some((_, lines)) => lines.end += 1,
                    None => wanted.push((side, line..line + 1)),
                }
            }
        });
        wanted.into_iter().map(|(side, lines)| (self.content.texts.text(side).clone(), lines)).collect()
    }

    /// The lines of changes that end among these rows; of a text without changes, all lines.
    pub(crate) fn shown_lines(&self, rows: Range<usize>) -> Vec<ShownLine> {
        let mut shown = Vec::new();
        let content = &self.content;
        self.each_row(rows.clone(), |unwrapped, _, row| {
            if self.rows_of_line(unwrapped).end > rows.end {
                return;
            }
            if let Row::Said(hunk, number) = row
                && let (Some(Sentence::HardToSee(_)), Some(hunk)) =
                    (content.said(hunk, number), content.hunks.get(hunk))
            {
                shown.push(ShownLine::HardToSee(hunk.original.start, hunk.proposed.start));
            }
            for cell in row.cells() {
                let hunk = cell.hunk.and_then(|hunk| content.hunks.get(hunk));
                if let (Some(hunk), Sign::Same, Some(line)) = (hunk, cell.sign, cell.current)
                    && hunk.state == HunkState::Edited
                {
                    shown.push(ShownLine::Edited(self.edited_line(hunk, line)));
                }
                shown.extend(match (hunk, cell.sign) {
                    (None, _) if content.hunks.is_empty() => cell.current.map(ShownLine::Whole),
                    (None, _) => None,
                    (Some(_), Sign::Same | Sign::Removed) => cell.original.map(ShownLine::Original),
                    (Some(_), Sign::Added | Sign::Dropped) => Some(ShownLine::Proposed(cell.twin.1)),
                    (Some(hunk), Sign::Edited) => Some(ShownLine::Edited(self.edited_line(hunk, cell.line))),
                });
            }
        });
        shown
    }

    fn edited_line(&self, hunk: &Hunk, line: usize) -> EditedLine {
        EditedLine::new(hunk.original.start, self.content.texts.line(Side::Current, line))
    }

    /// How much of the review has been on the screen: whole changes, or lines if it has only one.
    pub(crate) fn seen(&self, seen: &SeenLines) -> SeenPart {
        let lines_of = |index: usize, hunk: &Hunk| {
            let old = seen.original.count(hunk.original.start..hunk.original.end);
            let (new, all) = match hunk.state {
                HunkState::Edited => {
                    let lines = hunk.current.start..hunk.current.end;
                    let is_seen = |line: &usize| seen.edited.contains(&self.edited_line(hunk, *line));
                    (lines.filter(is_seen).count(), hunk.current.len())
                }
                HunkState::Kept | HunkState::Dropped => {
                    (seen.proposed.count(hunk.proposed.start..hunk.proposed.end), hunk.proposed.len())
                }
            };
            let (lines, all) = (old + new, hunk.original.len() + all);
            if self.content.is_folded(index) {
                // A hunk that was accepted before the write needs no second look.
                return (all, all);
            }
            // The sentence on what is hard to see belongs to the change.
            let is_said = self.content.is_hard_to_see(index);
            let is_read = !is_said || seen.hard_to_see.contains(&(hunk.original.start, hunk.proposed.start));
            (if is_read { lines } else { lines.min(all.saturating_sub(1)) }, all)
        };
        let is_whole = |index: usize, hunk: &Hunk| {
            let (seen, all) = lines_of(index, hunk);
            seen >= all
        };
        let each = || self.content.hunks.iter().enumerate();
        let unseen = each().filter(|(index, hunk)| !is_whole(*index, hunk));
        let hard_to_see = unseen.filter(|(index, _)| self.content.is_hard_to_see(*index)).count();
        match &*self.content.hunks {
            [] => {
                let all = self.content.texts.text(Side::Current).len();
                SeenPart::lines(seen.whole.count(0..all), all)
            }
            [hunk] => {
                let (seen, all) = lines_of(0, hunk);
                SeenPart::lines(seen, all).with_hard_to_see(hard_to_see)
            }
            hunks => {
                let seen = each().filter(|(index, hunk)| is_whole(*index, hunk)).count();
                SeenPart::changes(seen, hunks.len()).with_hard_to_see(hard_to_see)
            }
        }
    }

    /// The lines on the screen that such rows are of a change, counted from 1 and from its first row, and how
    /// many it has; of a text without changes, of all of it. None if all of them are among the rows.
    pub(crate) fn place_in(&self, hunk: usize, rows: Range<usize>) -> Option<(Range<usize>, usize)> {
        let (of, all) = match self.content.hunk_block(hunk) {
            Some(_) if self.content.is_folded(hunk) => return None,
            Some(block) => (block.row, self.content.rows_of_lines(hunk)),
            None => (0, self.content.rows()),
        };
        let last = rows.end.checked_sub(1)?;
        let line = |row: usize| self.unwrapped(row).saturating_sub(of);
        let (first, last) = (line(rows.start), line(last).min(all.saturating_sub(1)));
        // The part of it that is on the screen decides, so that a wrapped line that goes on is no end.
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

    /// The hunk that a row belongs to, as an index.
    pub(crate) fn hunk_at(&self, row: usize) -> Option<usize> {
        match self.content.block(self.unwrapped(row))?.kind {
            Kind::Hunk(hunk) => Some(hunk),
            Kind::Same | Kind::Fold { .. } => None,
        }
    }

    /// The rows of an unwrapped row, on both sides; none if it is not wrapped.
    pub(super) fn line_rows(&self, row: &Row) -> Option<(LineRows, LineRows)> {
        let columns = self.content.columns_in(self.form.wrap.width()?);
        self.content.wraps(row, self.form.wrap, &columns).then(|| self.content.line_rows(row, &columns))
    }

    /// The rows of an unwrapped row on the side that takes more of them.
    fn longer_rows(&self, unwrapped: usize) -> Option<LineRows> {
        let block = self.content.block(unwrapped)?;
        let (left, right) = self.line_rows(&self.content.row_in(block, unwrapped))?;
        Some(if right.len() > left.len() { right } else { left })
    }

    /// The anchor that finds this row again after [`update`](Self::update), [`relayout`](Self::relayout) or
    /// [`toggle_fold`](Self::toggle_fold).
    pub(crate) fn anchor(&self, row: usize) -> Anchor {
        let row = row.min(self.rows().saturating_sub(1));
        let column = self.column_of(row);
        let is_above = row < self.rows_of_line(self.unwrapped(row)).start;
        let row = self.unwrapped(row);
        let Some(block) = self.content.block(row) else {
            return Anchor { original: 0, proposed: 0, spot: AnchorKind::Line, column, is_above };
        };
        let (below, spot) = match (block.kind, block.offset(row)) {
            (Kind::Hunk(_), offset) => (0, AnchorKind::Hunk(offset.unwrap_or(0))),
            (_, Some(offset)) => (offset, AnchorKind::Line),
            (_, None) => (0, AnchorKind::Fold),
        };
        let at = block.at.below(below);
        Anchor { original: at.original, proposed: at.proposed, spot, column, is_above }
    }

    /// The column at which a row begins, of the longer line if there are two.
    fn column_of(&self, row: usize) -> usize {
        let unwrapped = self.unwrapped(row);
        match row.saturating_sub(self.rows_of_line(unwrapped).start) {
            0 => 0,
            part => self.longer_rows(unwrapped).and_then(|rows| rows.start(part)).unwrap_or(0),
        }
    }

    /// Where an anchored row is now, or what is left of it.
    pub(crate) fn row(&self, anchor: Anchor) -> usize {
        let unwrapped = self.unwrapped_row(anchor);
        let rows = if anchor.column > 0 { self.longer_rows(unwrapped) } else { None };
        let first =
            if anchor.is_above { self.first_row(unwrapped) } else { self.rows_of_line(unwrapped).start };
        first + rows.map_or(0, |rows| rows.row_of(anchor.column))
    }

    fn unwrapped_row(&self, anchor: Anchor) -> usize {
        let wanted = (anchor.original, anchor.proposed);
        let starts = |block: &Block| (block.at.original, block.at.proposed);
        let blocks = &self.content.blocks;
        let after = blocks.partition_point(|block| starts(block) <= wanted);
        // Where a hunk has no lines in texts that never change, the lines below it begin where it does.
        let here = blocks[..after].iter().rev().take_while(|block| starts(block) == wanted);
        let exactly = |is: fn(Kind) -> bool| here.clone().find(|block| is(block.kind));
        let block = match anchor.spot {
            AnchorKind::Hunk(_) => exactly(|kind| matches!(kind, Kind::Hunk(_))),
            AnchorKind::Fold => exactly(|kind| matches!(kind, Kind::Fold { .. })),
            AnchorKind::Line => None,
        };
        let Some(block) = block.or(blocks[..after].last()) else { return 0 };
        let below = anchor.original.saturating_sub(block.at.original);
        match (anchor.spot, block.kind) {
            (AnchorKind::Fold, Kind::Fold { .. }) => block.row,
            (AnchorKind::Hunk(within), _) => block.row_of(within + below),
            _ => block.row_of(below),
        }
    }

    /// Whether a row stands for a hunk that is folded, or is that of an unchanged line or of a fold.
    pub(crate) fn is_fold_or_unchanged(&self, row: usize) -> bool {
        self.hunk_at(row).is_none_or(|hunk| self.content.is_folded(hunk))
    }

    /// The row of the fold, open or closed, that is nearest to `row` among some rows.
    pub(crate) fn fold_near(&self, row: usize, within: Range<usize>) -> Option<usize> {
        let first = self.content.blocks.partition_point(|block| self.first_row(block.row) < within.start);
        self.content.blocks[first..]
            .iter()
            .map(|block| (self.first_row(block.row), block.kind))
            .take_while(|(row, _)| *row < within.end)
            .filter(|(_, kind)| match kind {
                Kind::Fold { .. } => true,
                Kind::Hunk(hunk) => self.content.is_known(*hunk),
                Kind::Same => false,
            })
            .map(|(row, _)| row)
            .min_by_key(|fold| fold.abs_diff(row))
    }

    /// Opens the fold whose row this is, or closes the open one that it belongs to. False if there is none.
    pub(crate) fn toggle_fold(&mut self, row: usize) -> bool {
        let Some(&Block { at, kind, .. }) = self.content.block(self.unwrapped(row)) else { return false };
        match kind {
            Kind::Fold { lines, open } => {
                let lines = at.original..at.original + lines;
                if open {
                    self.in_sight.close(&lines);
                } else {
                    self.in_sight.open(lines);
                }
            }
            Kind::Hunk(hunk) if self.content.toggle_hunk(hunk) => {}
            Kind::Hunk(_) | Kind::Same => return false,
        }
        self.lay_out();
        true
    }

    /// Shows more unchanged lines around the hunks, or fewer again. Returns how many; none if all stays as it
    /// was.
    pub(crate) fn change_context(&mut self, is_more: bool) -> Option<usize> {
        let (rows, context) = (self.rows(), self.in_sight.context());
        self.in_sight.change_context(is_more);
        if self.in_sight.context() != context {
            self.lay_out();
        }
        let is_fold = |block: &Block| matches!(block.kind, Kind::Fold { open: false, .. });
        if is_more && self.rows() == rows && !self.content.blocks.iter().any(is_fold) {
            // Nothing is folded any more.
            self.in_sight.change_context(false);
            self.lay_out();
            return None;
        }
        Some(self.in_sight.context()).filter(|now| *now != context)
    }

    /// The row of a match, or that of the fold over it.
    pub(crate) fn match_row(&self, found: &Match) -> usize {
        let Some((block, offset)) = found.place_in(&self.content) else { return 0 };
        let unwrapped = block.row_of(offset);
        let first = self.rows_of_line(unwrapped).start;
        if self.is_closed(block) {
            return first;
        }
        let Some((left, right)) = self.line_rows(&self.content.row_in(block, unwrapped)) else {
            return first;
        };
        let rows = if found.is_right_in(&self.content) { right } else { left };
        first + rows.row_of(found.columns_in(&self.content).start)
    }

    /// Whether the line of a match is wrapped, so that all of it is in view.
    pub(crate) fn is_wrapped(&self, found: &Match) -> bool {
        let row = |(block, offset): (&Block, usize)| self.content.row_in(block, block.row_of(offset));
        found.place_in(&self.content).is_some_and(|place| self.line_rows(&row(place)).is_some())
    }

    /// Whether a match is above a row. Only the line of that row is measured.
    pub(crate) fn is_above(&self, found: &Match, row: usize) -> bool {
        let Some((block, offset)) = found.place_in(&self.content) else { return true };
        let rows = self.rows_of(block.row_of(offset));
        rows.end <= row || (rows.start < row && self.match_row(found) < row)
    }

    /// Opens the fold over a match, if there is one: rows below it move.
    pub(crate) fn reveal(&mut self, found: &Match) {
        if let Some((block, _)) = found.place_in(&self.content).filter(|(block, _)| self.is_closed(block)) {
            self.toggle_fold(self.first_row(block.row));
        }
    }

    /// Whether one row stands for all lines of a block.
    fn is_closed(&self, block: &Block) -> bool {
        match block.kind {
            Kind::Fold { open, .. } => !open,
            Kind::Hunk(hunk) => self.content.is_folded(hunk),
            Kind::Same => false,
        }
    }
}
