//! Draws the rows of a page that are on the screen.

use std::ops::Range;

use alongside_desk::harmless;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::columns::{Columns, Numbers};
use super::content::Content;
use super::draw_line::{LineStyles, draw_line};
use super::line_pairs::drawn_whitespace;
use super::notes::{NoteKind, NoteRow, PageLines};
use super::page::Page;
use super::row_wrapping::first_column;
use super::rows::BlockKind;
use super::search::{Match, Needle};
use super::sentences::Sentence;
use super::texts::Side;
use super::unwrapped_row::{Cell, Row, Sign};
use super::wrapping::{LineRows, Part, Wrap};
use crate::colour::Colours;
use crate::palette::{Change, Palette};
use crate::text::width;

/// The sign of a row that continues the line of the row above.
const CONTINUATION_SIGN: &str = "↳";

/// The pointer at the current match of a search, for terminals that show no styles.
const MATCH_SIGN: &str = "▸";

/// The options of drawing a page.
pub(crate) struct DrawOptions<'a> {
    /// All styles.
    pub(crate) palette: &'a Palette,
    /// The colours of source code.
    pub(crate) colours: &'a Colours,
    /// The hunk that keys act on.
    pub(crate) hunk: Option<usize>,
    /// The needle of a search. Every match is highlighted.
    pub(crate) search: Option<&'a Needle>,
    /// The current match, which has another style.
    pub(crate) found: Option<Match>,
    /// The columns by which every line is scrolled to the side.
    pub(crate) sideways: usize,
    /// The lines that the person has chosen. If present, these lines are highlighted instead of the whole
    /// hunk.
    pub(crate) chosen: Option<PageLines>,
}

/// A row on the screen: a part of an unwrapped row.
struct RowPart {
    /// The content of the whole unwrapped row.
    shown: Row,
    /// Whether the row is the first, and whether it is the last row of its block.
    ends: (bool, bool),
    /// The part of the line on each side; `None` if the line of that side has fewer rows.
    parts: (Option<Part>, Option<Part>),
}

/// The page and the buffer while a page is drawn.
struct Drawing<'a> {
    content: &'a Content,
    columns: Columns,
    options: &'a DrawOptions<'a>,
    buf: &'a mut Buffer,
}

/// Draws the rows of a page from `top` on. Draws every cell of `area`, and no cell outside.
pub(crate) fn draw(page: &Page, buf: &mut Buffer, area: Rect, top: usize, options: &DrawOptions<'_>) {
    let area = area.intersection(buf.area);
    for at in area.positions() {
        buf[at].reset();
    }
    buf.set_style(area, options.palette.text);
    if area.is_empty() {
        return;
    }
    if page.rows() == 0 {
        buf.set_stringn(area.x, area.y, "The text is empty.", area.width.into(), options.palette.quiet);
    }
    let content = page.content();
    let wrap = page.form().wrap;
    let room = content.columns_in(wrap.width().unwrap_or(area.width));
    let mut drawing = Drawing { content, columns: content.columns(area), options, buf };
    let visible = top..top.saturating_add(area.height.into()).min(page.rows());
    page.for_each_row(visible.clone(), |unwrapped, block, shown| {
        let (rows, of_line) = (page.rows_of(unwrapped), page.rows_of_line(unwrapped));
        let wrapped = page.line_rows(&shown);
        let (left_room, right_room) = match shown {
            Row::Sentence(..) => (room.reason_room(), 0),
            _ => room.rooms(),
        };
        for row in rows.start.max(visible.start)..rows.end.min(visible.end) {
            let part = |wrapped: &LineRows, room: usize| Part::of(wrapped, row - of_line.start, room);
            let y = area.y + u16::try_from(row - top).unwrap_or(area.height);
            let strip = Rect { y, height: 1, ..area }.intersection(area);
            let first = unwrapped == block.row && row == rows.start;
            let last = unwrapped + 1 == block.end() && row + 1 == rows.end;
            if !of_line.contains(&row) {
                let hunk = match block.kind {
                    BlockKind::Hunk(hunk) if row >= of_line.end => Some(hunk),
                    _ => None,
                };
                drawing.draw_margin(strip, (first, last), hunk, false);
                if let Some(note) = note_in(page, unwrapped, row) {
                    drawing.draw_note(strip, note);
                }
                continue;
            }
            let parts = match &wrapped {
                Some((left, right)) => (part(left, left_room), part(right, right_room)),
                None => {
                    let from = match wrap {
                        Wrap::Changes(_) if options.sideways == 0 => first_column(content, &shown, &room),
                        Wrap::Nothing | Wrap::Changes(_) | Wrap::All(_) => options.sideways,
                    };
                    (Some(Part::cut(from)), Some(Part::cut(from)))
                }
            };
            drawing.draw_row(strip, &RowPart { shown, ends: (first, last), parts });
        }
    });
}

/// The note in a row above or below the line of an unwrapped row.
fn note_in(page: &Page, unwrapped: usize, row: usize) -> Option<&NoteRow> {
    let (rows, of_line) = (page.rows_of(unwrapped), page.rows_of_line(unwrapped));
    let notes = page.notes_at(unwrapped)?;
    match row.checked_sub(of_line.end) {
        Some(below) => notes.below.get(below),
        None => notes.above.get(row.checked_sub(rows.start)?),
    }
}

impl Drawing<'_> {
    fn draw_row(&mut self, strip: Rect, row: &RowPart) {
        let half = |half: &Range<u16>| Rect { x: half.start, width: half.end - half.start, ..strip };
        let (left_half, right_half) = (half(&self.columns.halves.0), half(&self.columns.halves.1));
        let (left_part, right_part) = &row.parts;
        match row.shown {
            Row::Fold { lines, open, next } => {
                let sign = if open { "▾" } else { "⋯" };
                let s = if lines == 1 { "" } else { "s" };
                let within = if open { None } else { self.content.enclosing(next) };
                let within = within.map(|name| format!(" in {}", harmless::name(name))).unwrap_or_default();
                let says = format!("{sign} {lines} unchanged line{s}{within}");
                self.draw_fold(strip, left_half, &says);
            }
            Row::FoldedHunk(hunk) => {
                self.draw_fold(strip, left_half, &self.content.folded_hunk_text(hunk));
                self.draw_margin(strip, row.ends, Some(hunk), false);
            }
            Row::One(cell) => {
                self.draw_margin(strip, row.ends, cell.hunk, self.is_chosen(&row.shown));
                self.draw_cell(left_half, self.columns.numbers, cell, left_part.as_ref());
            }
            Row::Sentence(hunk, number) => {
                self.draw_margin(strip, row.ends, Some(hunk), false);
                if let (Some(sentence), Some(part)) = (self.content.sentence(hunk, number), left_part) {
                    self.draw_sentence(strip, sentence, part);
                }
            }
            Row::Dropped(hunk) => {
                self.draw_margin(strip, row.ends, Some(hunk), false);
                self.draw_divider(left_half, strip);
                let (half, part) = match self.columns.is_split() {
                    true => (right_half, right_part),
                    false => (left_half, left_part),
                };
                self.draw_dropped(half, hunk, part.as_ref());
            }
            Row::Two(left, right) => {
                let hunk = left.or(right).and_then(|cell| cell.hunk);
                self.draw_margin(strip, row.ends, hunk, self.is_chosen(&row.shown));
                self.draw_divider(left_half, strip);
                if let Some(cell) = left {
                    self.draw_cell(left_half, Numbers::Original, cell, left_part.as_ref());
                }
                if let Some(cell) = right {
                    self.draw_cell(right_half, Numbers::Current, cell, right_part.as_ref());
                }
            }
        }
    }

    /// Draws the row of a fold.
    fn draw_fold(&mut self, strip: Rect, left_half: Rect, says: &str) {
        let palette = self.options.palette;
        self.buf.set_style(strip, palette.fold);
        let x = left_half.x + self.columns.prefix().saturating_sub(2);
        let room = strip.right().saturating_sub(x);
        self.buf.set_stringn(x.min(strip.right() - 1), strip.y, says, room.into(), palette.fold);
    }

    /// Draws the line between the sides, if there are two.
    fn draw_divider(&mut self, left_half: Rect, strip: Rect) {
        if self.columns.is_split() && left_half.right() < strip.right() {
            let style = self.options.palette.border;
            self.buf[(left_half.right(), strip.y)].set_symbol("│").set_style(style);
        }
    }

    /// Draws the sign and the sentence of a dropped hunk, or a part of the sentence.
    fn draw_dropped(&mut self, half: Rect, hunk: usize, part: Option<&Part>) {
        let (Some(part), palette) = (part, self.options.palette) else { return };
        let x = half.x + self.columns.prefix();
        let (sign, style) = match part.is_continuation {
            true => (CONTINUATION_SIGN, palette.number),
            false => (Sign::Dropped.shown(), palette.dropped.sign),
        };
        if x <= half.right() {
            self.buf.set_stringn(x.saturating_sub(2), half.y, sign, 1, style);
        }
        let text = Rect { x, width: half.right().saturating_sub(x), ..half };
        let styles = LineStyles::plain(palette.dropped.sign, palette);
        draw_line(self.buf, text, &self.content.dropped_text(hunk), part, &styles);
    }

    /// Draws the extent of a hunk in the first column, because adjacent hunks may have no line between them.
    /// `is_chosen`: whether the row has a line that the person has chosen.
    fn draw_margin(&mut self, strip: Rect, ends: (bool, bool), hunk: Option<usize>, is_chosen: bool) {
        let palette = self.options.palette;
        let is_meant = match &self.options.chosen {
            Some(_) => is_chosen,
            None => self.options.hunk == hunk,
        };
        let (symbol, style) = match ends {
            _ if hunk.is_none() => return,
            _ if is_meant => ("▌", palette.cursor),
            (true, true) => ("•", palette.margin),
            (true, false) => ("╭", palette.margin),
            (false, true) => ("╰", palette.margin),
            (false, false) => ("│", palette.margin),
        };
        self.buf[(strip.x, strip.y)].set_symbol(symbol).set_style(style);
    }

    /// Whether a row shows a line that the person has chosen.
    fn is_chosen(&self, row: &Row) -> bool {
        let Some(chosen) = &self.options.chosen else { return false };
        row.cells().any(|cell| match (chosen.is_old, cell.sign) {
            (true, Sign::Same | Sign::Removed) => {
                cell.original.is_some_and(|line| chosen.lines.contains(&line))
            }
            (false, Sign::Added | Sign::Edited | Sign::Dropped) => chosen.lines.contains(&cell.twin.1),
            (true | false, _) => false,
        })
    }

    /// Draws a row of a note.
    fn draw_note(&mut self, strip: Rect, note: &NoteRow) {
        let style = match note.kind {
            NoteKind::Words => self.options.palette.reason,
            NoteKind::Code => self.options.palette.quiet,
            NoteKind::Warning => self.options.palette.warning,
        };
        self.draw_text(strip, &note.text, &note.part, style);
    }

    /// Draws a sentence on a hunk, or a part of it.
    fn draw_sentence(&mut self, strip: Rect, sentence: &Sentence, part: &Part) {
        let style = match sentence {
            Sentence::HardToSee(_) => self.options.palette.warning,
            Sentence::Moved(_) => self.options.palette.quiet,
            Sentence::Reason(_) => self.options.palette.reason,
        };
        self.draw_text(strip, sentence.text(), part, style);
    }

    /// Draws a sentence over the whole width, or a part of it.
    fn draw_text(&mut self, strip: Rect, text: &str, part: &Part, style: Style) {
        let (palette, x) = (self.options.palette, self.columns.halves.0.start + self.columns.prefix());
        if part.is_continuation && x < strip.right() {
            self.buf.set_stringn(x.saturating_sub(2), strip.y, CONTINUATION_SIGN, 1, palette.number);
        }
        let room = Rect { x, width: strip.right().saturating_sub(x), ..strip };
        draw_line(self.buf, room, text, part, &LineStyles::plain(style, palette));
    }

    /// Draws a cell in its area. Draws nothing without a part: the line beside it has more rows.
    fn draw_cell(&mut self, room: Rect, numbers: Numbers, cell: Cell, part: Option<&Part>) {
        let Some(part) = part else { return };
        let (palette, content) = (self.options.palette, self.content);
        let change = match cell.sign {
            // An unchanged line has no words that differ.
            Sign::Same => Change { line: palette.text, sign: palette.text, words: Style::new() },
            Sign::Removed => palette.removed,
            Sign::Added => palette.added,
            Sign::Edited => palette.edited,
            Sign::Dropped => palette.dropped,
        };
        let Rect { mut x, y, .. } = room;
        if self.columns.digits > 0 {
            let number = |line: Option<usize>| match line {
                Some(line) if !part.is_continuation => (line + 1).to_string(),
                _ => String::new(),
            };
            let width = usize::from(self.columns.digits);
            let shown = match numbers {
                Numbers::Original => format!("{:>width$} ", number(cell.original)),
                Numbers::Current => format!("{:>width$} ", number(cell.current)),
                Numbers::Both => {
                    format!("{:>width$} {:>width$} ", number(cell.original), number(cell.current))
                }
            };
            let rest = room.right().saturating_sub(x).into();
            (x, _) = self.buf.set_stringn(x, y, shown, rest, palette.number);
        }
        let rest = Rect { x, y, width: room.right().saturating_sub(x), height: 1 };
        self.buf.set_style(rest, change.line);
        let (sign, style) = match part.is_continuation {
            true => (CONTINUATION_SIGN, palette.number),
            false => (cell.sign.shown(), change.sign),
        };
        (x, _) = self.buf.set_stringn(x, y, sign, rest.width.into(), change.line.patch(style));
        let shown_line = content.texts.line(cell.side, cell.line);
        let found = self.options.found.filter(|found| found.is_in(&cell)).map(|found| found.bytes());
        let begins_here = |found: &Range<usize>| {
            let first = || width::columns_of_bytes(shown_line, found.clone()).start;
            part.is_cut() || part.columns.contains(&first())
        };
        if found.as_ref().is_some_and(begins_here) {
            let style = change.line.patch(palette.cursor);
            self.buf.set_stringn(x, y, MATCH_SIGN, room.right().saturating_sub(x).into(), style);
        }
        let x = x.saturating_add(1).saturating_add(u16::try_from(part.indent).unwrap_or(0));
        let text = Rect { x, y, width: room.right().saturating_sub(x), height: 1 };
        let plain = cell.sign == Sign::Dropped || (cell.sign != Sign::Same && !palette.syntax_in_changes);
        let colours_of =
            |(side, line): (Side, usize)| self.options.colours.line(content.texts.text(side).text(), line);
        let spans = colours_of(content.colour_source(&cell)).or_else(|| colours_of(cell.twin));
        let (is_changed, words) = (cell.sign != Sign::Same, content.words(cell));
        let styles = LineStyles {
            drawn_whitespace: is_changed.then(|| drawn_whitespace(shown_line, content.counterpart(&cell))),
            spans: spans.filter(|_| !plain).unwrap_or_default(),
            words: (&words, change.words),
            hides_changes: is_changed,
            search: self.options.search,
            found,
            ends_open: content.texts.ends_open(cell.side, cell.line),
            ..LineStyles::plain(change.line, palette)
        };
        draw_line(self.buf, text, shown_line, part, &styles);
    }
}
