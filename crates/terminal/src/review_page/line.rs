//! Draws one line of text: cut to its column, with the styles of its words and of matches.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::find::Needle;
use crate::colour::Span;
use crate::palette::Palette;
use crate::width::{Shown, Unit, Units};

/// The mark where a line is cut.
const CUT: &str = "…";

/// The mark behind a last line without line ending, as in diffs.
const ENDS_OPEN: &str = " \\ no newline at end";

/// A search for matches goes on so many bytes beyond the visible part.
const AROUND: usize = 256;

/// The marks on a line.
pub(super) struct Marks<'a> {
    /// The style below all others.
    pub(super) base: Style,
    /// Syntax, in bytes.
    pub(super) spans: &'a [Span],
    /// Words that differ, and their style.
    pub(super) words: (&'a [alongside_desk::Range], Style),
    /// The needle of a search.
    pub(super) search: Option<&'a Needle>,
    /// Whether the line ending is missing.
    pub(super) ends_open: bool,
    /// For the rest.
    pub(super) palette: &'a Palette,
}

/// Draws the visible part of a line, from column `sideways` on.
pub(super) fn line(buf: &mut Buffer, area: Rect, text: &str, sideways: usize, marks: &Marks<'_>) {
    if area.is_empty() {
        return;
    }
    let right = sideways.saturating_add(area.width.into());
    let mut units = Units::from(text, sideways);
    let in_sight: Vec<Unit<'_>> = units.by_ref().take_while(|unit| unit.column < right).collect();
    let (end, byte) = in_sight
        .last()
        .map_or((units.column(), text.len()), |last| (last.column + last.width, last.bytes.end));
    let behind = if marks.ends_open && byte == text.len() { ENDS_OPEN } else { "" };
    let goes_on = byte < text.len() || end + behind.len() > right;
    let began = sideways > 0 && !text.is_empty();
    // A character that is only half visible is blank.
    let window = sideways.saturating_add(began.into())..right - usize::from(goes_on);
    let x = |column: usize| area.x + u16::try_from(column - sideways).unwrap_or(area.width);

    let found = marks.found(text, &in_sight);
    for unit in &in_sight {
        let (from, to) = (unit.column.max(window.start), (unit.column + unit.width).min(window.end));
        if from >= to {
            continue;
        }
        let shown = match &unit.shown {
            Shown::Text(shown) if to - from == unit.width => Cow::Borrowed(*shown),
            Shown::Escape(escape) => Cow::Borrowed(&escape[from - unit.column..to - unit.column]),
            Shown::Text(_) | Shown::Tab => Cow::Owned(" ".repeat(to - from)),
        };
        buf.set_stringn(x(from), area.y, shown, to - from, marks.style(unit, &found));
    }
    let style = marks.base.patch(marks.palette.mark);
    let (from, to) = (end.max(window.start), (end + behind.len()).min(window.end));
    if from < to {
        buf.set_stringn(x(from), area.y, &behind[from - end..to - end], to - from, style);
    }
    if goes_on {
        buf[(x(right - 1), area.y)].set_symbol(CUT).set_style(style);
    }
    if began {
        buf[(area.x, area.y)].set_symbol(CUT).set_style(style);
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

    /// The visible matches of a search, in bytes of the line.
    fn found(&self, text: &str, in_sight: &[Unit<'_>]) -> Vec<Range<usize>> {
        let (Some(needle), Some(first), Some(last)) = (self.search, in_sight.first(), in_sight.last()) else {
            return Vec::new();
        };
        let start = text.floor_char_boundary(first.bytes.start.saturating_sub(AROUND));
        let end = text.ceil_char_boundary((last.bytes.end + AROUND).min(text.len()));
        needle.places(&text[start..end]).map(|place| place.start + start..place.end + start).collect()
    }
}
