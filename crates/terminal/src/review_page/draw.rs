//! Draws the rows of a page that are on the screen.

use std::ops::Range;

use alongside_desk::Words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::cells::{Cell, Row, Sign};
use super::find::Needle;
use super::line::{Marks, line};
use super::model::Page;
use super::rows::Block;
use super::texts::Side;
use crate::colour::Colours;
use crate::options::Layout;
use crate::palette::{Change, Palette};
use crate::width;

/// A text with less room than this gets the room of the line numbers too.
const NARROWEST: u16 = 16;

/// Everything but the page and its place that decides how it is drawn.
pub(crate) struct DrawOptions<'a> {
    /// All styles.
    pub(crate) palette: &'a Palette,
    /// The colours of source code.
    pub(crate) colours: &'a Colours,
    /// The hunk that keys act on.
    pub(crate) hunk: Option<usize>,
    /// The needle of a search: every match is marked.
    pub(crate) search: Option<&'a Needle>,
    /// Columns that every line is scrolled to the side.
    pub(crate) sideways: usize,
}

/// Which line numbers stand before a line.
#[derive(Clone, Copy)]
enum Numbers {
    Original,
    Current,
    Both,
}

/// The columns of a row.
struct Columns {
    /// Of a line number; none if there is no room.
    digits: u16,
    /// The room of the left half and of the right one, behind the margin and without the line between; the
    /// right one is empty if there is one column.
    halves: (Range<u16>, Range<u16>),
    numbers: Numbers,
}

impl Page {
    /// Draws the rows from `top` on. Every cell of `area` is drawn, and none outside of it.
    pub(crate) fn draw(&self, buf: &mut Buffer, area: Rect, top: usize, options: &DrawOptions<'_>) {
        let area = area.intersection(buf.area);
        for at in area.positions() {
            buf[at].reset();
        }
        buf.set_style(area, options.palette.text);
        if area.is_empty() {
            return;
        }
        let columns = self.columns(area);
        if self.rows() == 0 {
            buf.set_stringn(area.x, area.y, "The text is empty.", area.width.into(), options.palette.quiet);
        }
        self.each_row(top..top.saturating_add(area.height.into()), |row, block, shown| {
            let y = area.y + u16::try_from(row - top).unwrap_or(area.height);
            let strip = Rect { y, height: 1, ..area }.intersection(area);
            self.row_on(buf, strip, &columns, (row, block, shown), options);
        });
    }

    /// The furthest that some rows can scroll to the side in an area this wide.
    pub(crate) fn most_sideways(&self, rows: Range<usize>, width: u16) -> usize {
        let columns = self.columns(Rect { width, height: 1, ..Rect::ZERO });
        let over = |cell: Cell, half: &Range<u16>| {
            let room = half.len().saturating_sub(columns.prefix().into());
            width::columns(self.texts.line(cell.side, cell.line)).saturating_sub(room)
        };
        let mut most = 0;
        self.each_row(rows, |_, _, row| {
            let (left, right) = match row {
                Row::Fold { .. } => (None, None),
                Row::One(cell) => (Some(cell), None),
                Row::Two(left, right) => (left, right),
            };
            let left = left.map_or(0, |cell| over(cell, &columns.halves.0));
            let right = right.map_or(0, |cell| over(cell, &columns.halves.1));
            most = most.max(left).max(right);
        });
        most
    }

    fn columns(&self, area: Rect) -> Columns {
        let lines = self.texts.text(Side::Original).len().max(self.texts.text(Side::Current).len());
        let digits = u16::try_from(lines.max(1).ilog10() + 1).unwrap_or(1);
        let inner = area.right().min(area.x + 1)..area.right();
        let mut columns = match self.shape() {
            Layout::OneColumn => {
                let numbers = if self.is_one_sided() { Numbers::Current } else { Numbers::Both };
                Columns { digits, halves: (inner, 0..0), numbers }
            }
            Layout::SideBySide => {
                let middle = inner.start + (inner.end - inner.start).saturating_sub(1) / 2;
                let right = inner.end.min(middle + 1)..inner.end;
                Columns { digits, halves: (inner.start..middle, right), numbers: Numbers::Original }
            }
        };
        let room = columns.halves.0.end - columns.halves.0.start;
        if room < columns.prefix() + NARROWEST {
            columns.digits = 0;
        }
        columns
    }

    fn row_on(
        &self,
        buf: &mut Buffer,
        strip: Rect,
        columns: &Columns,
        (row, block, shown): (usize, &Block, Row),
        options: &DrawOptions<'_>,
    ) {
        let (palette, y) = (options.palette, strip.y);
        let half = |half: &Range<u16>| Rect { x: half.start, width: half.end - half.start, ..strip };
        match shown {
            Row::Fold { lines, open } => {
                let sign = if open { "▾" } else { "⋯" };
                let s = if lines == 1 { "" } else { "s" };
                let says = format!("{sign} {lines} unchanged line{s}");
                buf.set_style(strip, palette.fold);
                let x = columns.halves.0.start + columns.prefix().saturating_sub(2);
                let room = strip.right().saturating_sub(x);
                buf.set_stringn(x.min(strip.right() - 1), y, says, room.into(), palette.fold);
            }
            Row::One(cell) => {
                self.margin(buf, strip, (row, block), cell.hunk, options);
                self.cell(buf, half(&columns.halves.0), columns, columns.numbers, cell, options);
            }
            Row::Two(left, right) => {
                let hunk = left.or(right).and_then(|cell| cell.hunk);
                self.margin(buf, strip, (row, block), hunk, options);
                let (left_half, right_half) = &columns.halves;
                if left_half.end < strip.right() {
                    buf[(left_half.end, y)].set_symbol("│").set_style(palette.border);
                }
                if let Some(cell) = left {
                    self.cell(buf, half(left_half), columns, Numbers::Original, cell, options);
                }
                if let Some(cell) = right {
                    self.cell(buf, half(right_half), columns, Numbers::Current, cell, options);
                }
            }
        }
    }

    /// Draws the reach of a hunk in the first column: adjacent hunks may have no line between them.
    fn margin(
        &self,
        buf: &mut Buffer,
        strip: Rect,
        (row, block): (usize, &Block),
        hunk: Option<usize>,
        options: &DrawOptions<'_>,
    ) {
        let Some(hunk) = hunk else { return };
        let (symbol, style) = match (row == block.row, row + 1 == block.end()) {
            _ if options.hunk == Some(hunk) => ("▌", options.palette.cursor),
            (true, true) => ("•", options.palette.margin),
            (true, false) => ("╭", options.palette.margin),
            (false, true) => ("╰", options.palette.margin),
            (false, false) => ("│", options.palette.margin),
        };
        buf[(strip.x, strip.y)].set_symbol(symbol).set_style(style);
    }

    fn cell(
        &self,
        buf: &mut Buffer,
        room: Rect,
        columns: &Columns,
        numbers: Numbers,
        cell: Cell,
        options: &DrawOptions<'_>,
    ) {
        let palette = options.palette;
        let change = match cell.sign {
            // A line that stays differs in no word.
            Sign::Same => Change { line: palette.text, sign: palette.text, words: Style::new() },
            Sign::Removed => palette.removed,
            Sign::Added => palette.added,
            Sign::Edited => palette.edited,
            Sign::Dropped => palette.dropped,
        };
        let Rect { mut x, y, .. } = room;
        if columns.digits > 0 {
            let number = |line: Option<usize>| line.map_or_else(String::new, |line| (line + 1).to_string());
            let width = usize::from(columns.digits);
            let shown = match numbers {
                Numbers::Original => format!("{:>width$} ", number(cell.original)),
                Numbers::Current => format!("{:>width$} ", number(cell.current)),
                Numbers::Both => {
                    format!("{:>width$} {:>width$} ", number(cell.original), number(cell.current))
                }
            };
            (x, _) = buf.set_stringn(x, y, shown, room.right().saturating_sub(x).into(), palette.number);
        }
        let rest = Rect { x, y, width: room.right().saturating_sub(x), height: 1 };
        buf.set_style(rest, change.line);
        (x, _) = buf.set_stringn(x, y, cell.sign.shown(), rest.width.into(), change.line.patch(change.sign));
        let text = Rect { x: x.saturating_add(1), y, width: room.right().saturating_sub(x + 1), height: 1 };
        let (twin, twin_line) = cell.twin;
        let plain = cell.sign == Sign::Dropped || (cell.sign != Sign::Same && !palette.syntax_in_changes);
        let spans = options.colours.line(self.texts.text(twin).text(), twin_line).filter(|_| !plain);
        let marks = Marks {
            base: change.line,
            spans: spans.unwrap_or_default(),
            words: (self.words(cell), change.words),
            search: options.search,
            ends_open: self.texts.ends_open(cell.side, cell.line),
            palette,
        };
        line(buf, text, self.texts.line(cell.side, cell.line), options.sideways, &marks);
    }

    /// Those words of a line that differ, in order.
    fn words(&self, cell: Cell) -> &[alongside_desk::Range] {
        let words: Option<&Words> =
            cell.hunk.and_then(|hunk| self.hunks.get(hunk)).and_then(|hunk| hunk.words.as_ref());
        let ranges = match (words, cell.twin.0) {
            (None, _) => return &[],
            (Some(words), Side::Original) => &words.removed,
            (Some(words), Side::Proposed | Side::Current) => &words.added,
        };
        let before = |line: usize| ranges.partition_point(|range| (range.start.line as usize) < line);
        ranges.get(before(cell.twin.1)..before(cell.twin.1 + 1)).unwrap_or_default()
    }
}

impl Columns {
    /// Columns before the text: numbers, sign, blanks.
    fn prefix(&self) -> u16 {
        let numbers = match (self.digits, self.numbers) {
            (0, _) => 0,
            (digits, Numbers::Both) => 2 * (digits + 1),
            (digits, Numbers::Original | Numbers::Current) => digits + 1,
        };
        numbers + 2
    }
}
