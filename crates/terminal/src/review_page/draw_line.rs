//! Draws one line of text: cut to its columns, with the styles of its words and of matches.

use std::borrow::Cow;
use std::num::NonZeroU16;
use std::ops::Range;

use ratatui_core::buffer::{Buffer, CellDiffOption, CellWidth as _};
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::search::Needle;
use super::texts::NO_NEWLINE_SIGN;
use super::wrapping::Part;
use crate::colour::Span;
use crate::palette::Palette;
use crate::text::width::{Shown, Unit, Units};

/// The sign at which a line is cut.
const CUT_SIGN: &str = "…";

/// The bytes before and after the visible part of a line in which matches are searched for, too.
const SEARCH_MARGIN_BYTES: usize = 256;

/// The styles and signs of a line.
pub(super) struct LineStyles<'a> {
    /// The style below all others.
    pub(super) base: Style,
    /// The syntax colours, in bytes.
    pub(super) spans: &'a [Span],
    /// The words that differ, and their style.
    pub(super) words: (&'a [alongside_desk::Range], Style),
    /// Whether the sign of a cut has a style of its own if it hides changed words, or a part of a line that
    /// is new as a whole.
    pub(super) hides_changes: bool,
    /// The whitespace that is drawn on a changed line, in bytes.
    pub(super) drawn_whitespace: Option<[Range<usize>; 2]>,
    /// The needle of a search.
    pub(super) search: Option<&'a Needle>,
    /// The current match, in bytes.
    pub(super) found: Option<Range<usize>>,
    /// Whether the line ending is missing.
    pub(super) ends_open: bool,
    /// The palette, for all other styles.
    pub(super) palette: &'a Palette,
}

/// Draws a part of a line, as far as there is room.
pub(super) fn draw_line(buf: &mut Buffer, area: Rect, text: &str, part: &Part, styles: &LineStyles<'_>) {
    if area.is_empty() {
        return;
    }
    let sideways = part.columns.start;
    let right = sideways.saturating_add(area.width.into()).min(part.columns.end);
    let mut units = Units::from(text, sideways);
    let visible: Vec<Unit<'_>> = units.by_ref().take_while(|unit| unit.column < right).collect();
    let (end, byte) = visible
        .last()
        .map_or((units.column(), text.len()), |last| (last.column + last.width, last.bytes.end));
    let behind = if styles.ends_open && byte == text.len() { NO_NEWLINE_SIGN } else { "" };
    let goes_on = part.is_cut() && (byte < text.len() || end + behind.len() > right);
    let began = part.is_cut() && sideways > 0 && !text.is_empty();
    // Columns of a character that is only partly visible stay empty.
    let window = sideways.saturating_add(began.into())..right - usize::from(goes_on);
    let x = |column: usize| area.x + u16::try_from(column - sideways).unwrap_or(area.width);

    let found = styles.found(text, &visible);
    for unit in &visible {
        let (from, to) = (unit.column.max(window.start), (unit.column + unit.width).min(window.end));
        if from >= to {
            continue;
        }
        let style = styles.style(unit, &found);
        if let Some(sign) = styles.whitespace_sign(text, unit).filter(|_| from == unit.column) {
            let style = style.patch(styles.palette.mark).patch(styles.words.1);
            let shown = format!("{sign}{}", " ".repeat(to - from - 1));
            buf.set_stringn(x(from), area.y, shown, to - from, style);
            continue;
        }
        let shown = match &unit.shown {
            Shown::Text(shown) if shown.len() == 1 => {
                // Most characters are ASCII. ratatui would search for others that combine with them.
                if let Some(cell) = buf.cell_mut((x(from), area.y)) {
                    cell.set_symbol(shown).set_style(style);
                }
                continue;
            }
            Shown::Text(shown)
                if to - from == unit.width && usize::from(shown.cell_width()) != unit.width =>
            {
                // ratatui gives the voiced ｶﾞ one column too many, and would leave out the character.
                let width =
                    NonZeroU16::new(u16::try_from(unit.width).unwrap_or(1)).unwrap_or(NonZeroU16::MIN);
                let first = &mut buf[(x(from), area.y)];
                first.set_symbol(shown).set_style(style).set_diff_option(CellDiffOption::ForcedWidth(width));
                continue;
            }
            Shown::Text(shown) if to - from == unit.width => Cow::Borrowed(*shown),
            Shown::Escape(escape) => Cow::Borrowed(&escape[from - unit.column..to - unit.column]),
            Shown::Text(_) | Shown::Tab => Cow::Owned(" ".repeat(to - from)),
        };
        buf.set_stringn(x(from), area.y, shown, to - from, style);
    }
    let style = styles.base.patch(styles.palette.mark);
    let (from, to) = (end.max(window.start), (end + behind.len()).min(window.end));
    if from < to {
        buf.set_stringn(x(from), area.y, &behind[from - end..to - end], to - from, style);
    }
    let first = visible.first().map_or(usize::MAX, |first| first.utf16);
    let last = visible.last().map_or(0, |last| last.utf16);
    if goes_on {
        let style = styles.cut_style(style, |word| word.end.character as usize > last);
        buf[(x(right - 1), area.y)].set_symbol(CUT_SIGN).set_style(style);
    }
    if began {
        let style = styles.cut_style(style, |word| (word.start.character as usize) <= first);
        buf[(area.x, area.y)].set_symbol(CUT_SIGN).set_style(style);
    }
}

impl<'a> LineStyles<'a> {
    /// Creates styles for plain text.
    pub(super) fn plain(base: Style, palette: &'a Palette) -> Self {
        let words: (&[alongside_desk::Range], _) = (&[], Style::new());
        Self {
            base,
            spans: &[],
            words,
            hides_changes: false,
            drawn_whitespace: None,
            search: None,
            found: None,
            ends_open: false,
            palette,
        }
    }

    /// The style of the sign of a cut. `is_hidden`: whether the cut hides a word that differs.
    fn cut_style(&self, style: Style, is_hidden: impl FnMut(&alongside_desk::Range) -> bool) -> Style {
        let (words, look) = self.words;
        let hides = self.hides_changes && (words.is_empty() || words.iter().any(is_hidden));
        if hides { style.patch(look).patch(self.palette.hidden) } else { style }
    }

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
        if self.word_at(unit).is_some() {
            style = style.patch(self.words.1);
        }
        let after = found.partition_point(|place| place.end <= byte);
        if found.get(after).is_some_and(|place| place.start < unit.bytes.end) {
            style = style.patch(self.palette.found);
        }
        if self.found.as_ref().is_some_and(|found| found.start < unit.bytes.end && byte < found.end) {
            style = style.patch(self.palette.found_here);
        }
        style
    }

    /// The visible sign for a whitespace character; `None` if it is not drawn.
    fn whitespace_sign(&self, text: &str, unit: &Unit<'_>) -> Option<&'static str> {
        let drawn = self.drawn_whitespace.as_ref()?;
        let character = &text[unit.bytes.clone()];
        let differs =
            || drawn.iter().any(|range| range.contains(&unit.bytes.start)) || self.is_word(text, unit);
        match character {
            " " if differs() => Some("·"),
            "\t" if differs() => Some("→"),
            " " | "\t" => None,
            _ => {
                // Other whitespace, such as a no-break space, looks like a space.
                let is_whitespace = character.chars().all(char::is_whitespace);
                (is_whitespace && matches!(unit.shown, Shown::Text(_))).then_some("␣")
            }
        }
    }

    /// Whether this whitespace character is in a differing word that consists of whitespace only.
    fn is_word(&self, text: &str, unit: &Unit<'_>) -> bool {
        let Some(word) = self.word_at(unit) else { return false };
        let (before, after) = text.split_at(unit.bytes.start);
        let (before, after) = (before.chars().rev(), after.chars());
        let above = unit.utf16 - word.start.character as usize;
        let below = (word.end.character as usize).saturating_sub(unit.utf16);
        // A space and a tab are one UTF-16 code unit each, so code units can be counted as characters.
        let mut around = before.take(above).chain(after.take(below));
        around.all(|c| matches!(c, ' ' | '\t'))
    }

    /// The differing word that contains a unit.
    fn word_at(&self, unit: &Unit<'_>) -> Option<&'a alongside_desk::Range> {
        let words = self.words.0;
        let after = words.partition_point(|word| word.end.character as usize <= unit.utf16);
        words.get(after).filter(|word| word.start.character as usize <= unit.utf16)
    }

    /// The visible matches of a search, in bytes of the line.
    fn found(&self, text: &str, visible: &[Unit<'_>]) -> Vec<Range<usize>> {
        let (Some(needle), Some(first), Some(last)) = (self.search, visible.first(), visible.last()) else {
            return Vec::new();
        };
        let start = text.floor_char_boundary(first.bytes.start.saturating_sub(SEARCH_MARGIN_BYTES));
        let end = text.ceil_char_boundary((last.bytes.end + SEARCH_MARGIN_BYTES).min(text.len()));
        needle.find_in(&text[start..end]).map(|place| place.start + start..place.end + start).collect()
    }
}
