//! Draws the rows of a page that are on the screen.

use std::ops::Range;

use alongside_desk::Words;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::cells::{Cell, Row, Sign};
use super::columns::{Columns, Numbers};
use super::find::{Match, Needle};
use super::line::{Marks, Part, line};
use super::model::Page;
use super::texts::Side;
use super::wrapping;
use crate::colour::Colours;
use crate::palette::{Change, Palette};
use crate::width;

/// The sign of a row that goes on with the line above it.
const GOES_ON: &str = "↳";

/// The pointer at the current match of a search: terminals may show no styles.
const FOUND_HERE: &str = "▸";

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
    /// The match that the person went to last: it is marked otherwise.
    pub(crate) found: Option<Match>,
    /// Columns that every line is scrolled to the side.
    pub(crate) sideways: usize,
}

/// One of the rows that an unwrapped row takes.
struct RowPart {
    /// Its content, all parts together.
    shown: Row,
    /// Whether it is the first or the last row of its block.
    ends: (bool, bool),
    /// The columns that it shows of the line on either side; none if it is the whole line.
    columns: Option<(Option<Part>, Option<Part>)>,
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
        let visible = top..top.saturating_add(area.height.into()).min(self.rows());
        self.each_row(visible.clone(), |unwrapped, block, shown| {
            let rows = self.rows_of(unwrapped);
            let starts = self.form.wrap.map(|width| self.starts_in(&shown, width));
            let width = self.form.wrap.unwrap_or(area.width);
            let (left_room, right_room) = match shown {
                Row::Reason(_) => (self.reason_room(width), 0),
                _ => self.rooms(width),
            };
            for row in rows.start.max(visible.start)..rows.end.min(visible.end) {
                let part = |starts: &[usize], room: usize| {
                    let columns = wrapping::columns_of(starts, row - rows.start, room)?;
                    Some(Part { columns, goes_on: row > rows.start })
                };
                let y = area.y + u16::try_from(row - top).unwrap_or(area.height);
                let strip = Rect { y, height: 1, ..area }.intersection(area);
                let first = unwrapped == block.row && row == rows.start;
                let last = unwrapped + 1 == block.end() && row + 1 == rows.end;
                let columns_shown =
                    starts.as_ref().map(|(left, right)| (part(left, left_room), part(right, right_room)));
                let part = RowPart { shown, ends: (first, last), columns: columns_shown };
                self.row_on(buf, strip, &columns, &part, options);
            }
        });
    }

    fn row_on(
        &self,
        buf: &mut Buffer,
        strip: Rect,
        columns: &Columns,
        row: &RowPart,
        options: &DrawOptions<'_>,
    ) {
        let (palette, y) = (options.palette, strip.y);
        let half = |half: &Range<u16>| Rect { x: half.start, width: half.end - half.start, ..strip };
        let (left_part, right_part) = row.columns.clone().unzip();
        match row.shown {
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
                self.margin(buf, strip, row, cell.hunk, options);
                let place = (half(&columns.halves.0), columns.numbers);
                self.cell(buf, place, columns, (cell, left_part), options);
            }
            Row::Reason(hunk) => {
                self.margin(buf, strip, row, Some(hunk), options);
                self.reason(buf, strip, columns, (hunk, left_part), options);
            }
            Row::Two(left, right) => {
                let hunk = left.or(right).and_then(|cell| cell.hunk);
                self.margin(buf, strip, row, hunk, options);
                let (left_half, right_half) = &columns.halves;
                if left_half.end < strip.right() {
                    buf[(left_half.end, y)].set_symbol("│").set_style(palette.border);
                }
                if let Some(cell) = left {
                    let place = (half(left_half), Numbers::Original);
                    self.cell(buf, place, columns, (cell, left_part), options);
                }
                if let Some(cell) = right {
                    let place = (half(right_half), Numbers::Current);
                    self.cell(buf, place, columns, (cell, right_part), options);
                }
            }
        }
    }

    /// Draws the reach of a hunk in the first column: adjacent hunks may have no line between them.
    fn margin(
        &self,
        buf: &mut Buffer,
        strip: Rect,
        row: &RowPart,
        hunk: Option<usize>,
        options: &DrawOptions<'_>,
    ) {
        let Some(hunk) = hunk else { return };
        let (symbol, style) = match row.ends {
            _ if options.hunk == Some(hunk) => ("▌", options.palette.cursor),
            (true, true) => ("•", options.palette.margin),
            (true, false) => ("╭", options.palette.margin),
            (false, true) => ("╰", options.palette.margin),
            (false, false) => ("│", options.palette.margin),
        };
        buf[(strip.x, strip.y)].set_symbol(symbol).set_style(style);
    }

    /// Draws the person's reason for a hunk, or a part of it.
    fn reason(
        &self,
        buf: &mut Buffer,
        strip: Rect,
        columns: &Columns,
        (hunk, part): (usize, Option<Option<Part>>),
        options: &DrawOptions<'_>,
    ) {
        let palette = options.palette;
        let Some(part) = part.map_or(Some(Part::cut(options.sideways)), |part| part) else { return };
        let x = columns.halves.0.start + columns.prefix();
        if part.goes_on && x < strip.right() {
            buf.set_stringn(x.saturating_sub(2), strip.y, GOES_ON, 1, palette.number);
        }
        let text = Rect { x, width: strip.right().saturating_sub(x), ..strip };
        let no_words: &[alongside_desk::Range] = &[];
        let marks = Marks {
            base: palette.quiet,
            spans: &[],
            words: (no_words, Style::new()),
            search: None,
            found: None,
            ends_open: false,
            palette,
        };
        line(buf, text, &self.reason_of(hunk), &part, &marks);
    }

    fn cell(
        &self,
        buf: &mut Buffer,
        (room, numbers): (Rect, Numbers),
        columns: &Columns,
        (cell, part): (Cell, Option<Option<Part>>),
        options: &DrawOptions<'_>,
    ) {
        let palette = options.palette;
        // The line beside it takes more rows.
        let Some(part) = part.map_or(Some(Part::cut(options.sideways)), |part| part) else { return };
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
            let number = |line: Option<usize>| match line {
                Some(line) if !part.goes_on => (line + 1).to_string(),
                _ => String::new(),
            };
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
        let (sign, style) = match part.goes_on {
            true => (GOES_ON, palette.number),
            false => (cell.sign.shown(), change.sign),
        };
        (x, _) = buf.set_stringn(x, y, sign, rest.width.into(), change.line.patch(style));
        let shown_line = self.texts.line(cell.side, cell.line);
        let found = options.found.filter(|found| self.is_in(found, &cell)).map(|found| found.bytes());
        let begins_here = |found: &Range<usize>| {
            let first = || width::columns_of_bytes(shown_line, found.clone()).start;
            part.is_cut() || part.columns.contains(&first())
        };
        if found.as_ref().is_some_and(begins_here) {
            let style = change.line.patch(palette.cursor);
            buf.set_stringn(x, y, FOUND_HERE, room.right().saturating_sub(x).into(), style);
        }
        let text = Rect { x: x.saturating_add(1), y, width: room.right().saturating_sub(x + 1), height: 1 };
        let (twin, twin_line) = cell.twin;
        let plain = cell.sign == Sign::Dropped || (cell.sign != Sign::Same && !palette.syntax_in_changes);
        let spans = options.colours.line(self.texts.text(twin).text(), twin_line).filter(|_| !plain);
        let marks = Marks {
            base: change.line,
            spans: spans.unwrap_or_default(),
            words: (self.words(cell), change.words),
            search: options.search,
            found,
            ends_open: self.texts.ends_open(cell.side, cell.line),
            palette,
        };
        line(buf, text, shown_line, &part, &marks);
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
