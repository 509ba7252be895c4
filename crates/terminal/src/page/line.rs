//! Draws one line of text: cut to its column, with the styles of its words and of what is searched for.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Needle;
use crate::colour::Span;
use crate::palette::Palette;
use crate::width::{Shown, Unit, Units};

/// Says that a line goes on where it is cut.
const CUT: &str = "…";

/// Said behind a last line without line ending, as diffs say it.
const ENDS_OPEN: &str = " \\ no newline at end";

/// What is searched for is looked for so many bytes beyond what is in sight.
const AROUND: usize = 256;

/// What is to be seen in a line besides its text.
pub(super) struct Marks<'a> {
    /// What all styles are patched onto.
    pub(super) base: Style,
    /// Syntax, in bytes.
    pub(super) spans: &'a [Span],
    /// Words that differ, and how they look.
    pub(super) words: (&'a [alongside_desk::Range], Style),
    /// What is searched for.
    pub(super) search: Option<&'a Needle>,
    /// Whether the line ending is missing.
    pub(super) ends_open: bool,
    /// For the rest.
    pub(super) palette: &'a Palette,
}

/// Draws what is in sight of a line, beginning `sideways` columns into it.
pub(super) fn line(buf: &mut Buffer, area: Rect, text: &str, sideways: usize, marks: &Marks<'_>) {
    let room = usize::from(area.width);
    if area.is_empty() {
        return;
    }
    let mut units = Units::from(text, sideways);
    let right = sideways.saturating_add(room);
    let in_sight: Vec<Unit<'_>> = units.by_ref().take_while(|unit| unit.column < right).collect();
    let found = marks.found(text, &in_sight);
    for unit in &in_sight {
        let style = marks.style(unit, &found);
        // A unit that is only half in sight is blank there.
        let from = unit.column.max(sideways);
        let to = (unit.column + unit.width).min(right);
        let x = area.x + column(from - sideways);
        let whole = to - from == unit.width;
        match &unit.shown {
            Shown::Text(shown) if whole => {
                buf.set_stringn(x, area.y, shown, unit.width, style);
            }
            Shown::Escape(escape) => {
                let shown = escape.get(from - unit.column..to - unit.column).unwrap_or_default();
                buf.set_stringn(x, area.y, shown, to - from, style);
            }
            Shown::Text(_) | Shown::Tab => {
                buf.set_stringn(x, area.y, " ".repeat(to - from), to - from, style);
            }
        }
    }
    let end = in_sight.last().map_or(units.column(), |unit| unit.column + unit.width);
    let ended = in_sight.last().map_or(text.len(), |unit| unit.bytes.end) == text.len();
    let style = marks.base.patch(marks.palette.mark);
    let mut over = !ended || end > right;
    if ended && marks.ends_open {
        let passed = sideways.saturating_sub(end);
        let x = end.saturating_sub(sideways).min(room);
        let shown = ENDS_OPEN.get(passed..).unwrap_or_default();
        buf.set_stringn(area.x + column(x), area.y, shown, room - x, style);
        over |= x + shown.len() > room;
    }
    if over {
        cut(buf, area, room - 1, style);
    }
    let before = sideways > 0 && !text.is_empty();
    if before {
        cut(buf, area, 0, style);
    }
}

impl Marks<'_> {
    fn style(&self, unit: &Unit<'_>, found: &[Range<usize>]) -> Style {
        let mut style = self.base;
        let byte = unit.bytes.start;
        let after = self.spans.partition_point(|span| usize::from(span.end) <= byte);
        if let Some(span) = self.spans.get(after).filter(|span| usize::from(span.start) <= byte) {
            style = style.patch(self.palette.class(span.class));
        }
        if matches!(unit.shown, Shown::Escape(_)) {
            style = style.patch(self.palette.mark);
        }
        let (words, look) = self.words;
        let after = words.partition_point(|word| word.end.character as usize <= unit.utf16);
        if words.get(after).is_some_and(|word| word.start.character as usize <= unit.utf16) {
            style = style.patch(look);
        }
        let after = found.partition_point(|place| place.end <= byte);
        if found.get(after).is_some_and(|place| place.start < unit.bytes.end) {
            style = style.patch(self.palette.found);
        }
        style
    }

    /// Where what is searched for is in sight, in bytes of the line.
    fn found(&self, text: &str, in_sight: &[Unit<'_>]) -> Vec<Range<usize>> {
        let (Some(needle), Some(first), Some(last)) = (self.search, in_sight.first(), in_sight.last()) else {
            return Vec::new();
        };
        let start = text.floor_char_boundary(first.bytes.start.saturating_sub(AROUND));
        let end = text.ceil_char_boundary((last.bytes.end + AROUND).min(text.len()));
        needle.places(&text[start..end]).map(|place| place.start + start..place.end + start).collect()
    }
}

/// Says in one column that the line goes on there. What a wide character leaves of itself is blanked.
fn cut(buf: &mut Buffer, area: Rect, at: usize, style: Style) {
    let x = area.x + column(at);
    let wide = |x: u16| unicode_width::UnicodeWidthStr::width(buf[(x, area.y)].symbol()) > 1;
    let neighbour = match at {
        0 => (area.width > 1 && wide(x)).then(|| x + 1),
        _ => wide(x - 1).then(|| x - 1),
    };
    if let Some(neighbour) = neighbour {
        buf[(neighbour, area.y)].set_symbol(" ").set_style(style);
    }
    buf[(x, area.y)].set_symbol(CUT).set_style(style);
}

fn column(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
