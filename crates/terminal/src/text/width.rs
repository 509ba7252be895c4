//! The columns of a line of text. A line is a sequence of units: a unit is one visible character with its
//! width. Wide and combining characters have the width that terminals give them, a tab reaches to the next
//! multiple of [`TAB_COLUMNS`], and a character that is harmful for a terminal or has no width becomes a
//! visible escape.
//!
//! A line is only read up to the last requested column.

use std::ops::Range;

use alongside_desk::harmless;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The columns between two tab stops.
pub(crate) const TAB_COLUMNS: usize = 4;

/// The longest grapheme cluster of one unit, in bytes. A longer cluster is split into several units.
const MAX_CLUSTER_BYTES: usize = 64;

/// A part of a line that is drawn or left out as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    /// The bytes of the unit in the line.
    pub(crate) bytes: Range<usize>,
    /// The offset of the unit in the line, in UTF-16 code units.
    pub(crate) utf16: usize,
    /// The first column of the unit.
    pub(crate) column: usize,
    /// The number of columns of the unit, at least one.
    pub(crate) width: usize,
    /// The visible form.
    pub(crate) shown: Shown<'a>,
}

/// The visible form of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown<'a> {
    /// The text itself.
    Text(&'a str),
    /// Spaces.
    Tab,
    /// An escape that replaces the text.
    Escape(String),
}

/// The units of a line without its line ending.
#[derive(Debug, Clone)]
pub(crate) struct Units<'a> {
    line: &'a str,
    byte: usize,
    utf16: usize,
    column: usize,
}

impl<'a> Units<'a> {
    /// Creates the units from the one at `column` on; empty if the line is shorter.
    pub(crate) fn from(line: &'a str, column: usize) -> Self {
        let mut units = Self { line, byte: 0, utf16: 0, column: 0 };
        loop {
            units.skip_simple(column - units.column);
            let before = units.clone();
            match units.next() {
                Some(unit) if unit.column + unit.width <= column => {}
                Some(_) => return before,
                None => return units,
            }
        }
    }

    /// The column at which the remaining units begin.
    pub(crate) fn column(&self) -> usize {
        self.column
    }

    /// Whether no unit of the line remains.
    pub(crate) fn is_at_end(&self) -> bool {
        self.byte == self.line.len()
    }

    /// Skips characters that can be measured without tables, `max_columns` at most.
    fn skip_simple(&mut self, max_columns: usize) {
        let mut chars = self.line[self.byte..].chars();
        let mut next = chars.next().map(|c| (c, simple_width(c)));
        let mut skipped = 0;
        while let Some((c, Some(width))) = next {
            next = chars.next().map(|c| (c, simple_width(c)));
            // A character that is not plain may combine with this one.
            if skipped + width > max_columns || matches!(next, Some((_, None))) {
                break;
            }
            skipped += width;
            self.byte += c.len_utf8();
            self.utf16 += c.len_utf16();
        }
        self.column += skipped;
    }

    /// The text of the next unit, and whether it is harmful, so that it must be escaped.
    fn next_text(&self) -> Option<(&'a str, bool)> {
        let rest = &self.line[self.byte..];
        match rest.as_bytes() {
            [] => return None,
            [b' '..=b'~', after, ..] if after.is_ascii() => return Some((&rest[..1], false)),
            _ => {}
        }
        let text = rest[..rest.floor_char_boundary(MAX_CLUSTER_BYTES)].graphemes(true).next()?;
        // Whether a character is harmful depends on the characters before it, such as in an emoji sequence.
        let known = &self.line[..self.byte + text.len()];
        let mut chars = text.char_indices();
        match chars.find(|(at, _)| harmless::is_harmful_at(known, self.byte + at)) {
            Some((0, c)) => Some((&text[..c.len_utf8()], true)),
            Some((end, _)) => Some((&text[..end], false)),
            None => Some((text, false)),
        }
    }
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        let (mut text, harmful) = self.next_text()?;
        // Most units are plain, and need no tables.
        let columns = if matches!(text.as_bytes(), [b' '..=b'~']) { 1 } else { text.width() };
        let (width, shown) = match columns {
            _ if text == "\t" => (TAB_COLUMNS - self.column % TAB_COLUMNS, Shown::Tab),
            width if width > 0 && !harmful => (width, Shown::Text(text)),
            // An invisible, combining or harmful text: each of its characters becomes an escape.
            _ => {
                let first = text.chars().next()?;
                text = &text[..first.len_utf8()];
                let escape = match harmless::name(text) {
                    name if name == text => format!("\\u{{{:x}}}", u32::from(first)),
                    name => name.into_owned(),
                };
                (escape.len(), Shown::Escape(escape))
            }
        };
        let bytes = self.byte..self.byte + text.len();
        let unit = Unit { bytes, utf16: self.utf16, column: self.column, width, shown };
        self.byte += text.len();
        self.utf16 += text.encode_utf16().count();
        self.column += width;
        Some(unit)
    }
}

/// The width of a character that never combines with its neighbours; `None` for other characters.
fn simple_width(c: char) -> Option<usize> {
    match c {
        ' '..='~' | '\u{c0}'..='\u{24f}' | '\u{400}'..='\u{481}' => Some(1),
        '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => Some(2),
        _ => None,
    }
}

/// The number of columns of a line.
pub(crate) fn columns(line: &str) -> usize {
    Units::from(line, usize::MAX).column()
}

/// The columns of some bytes of a line.
pub(crate) fn columns_of_bytes(line: &str, bytes: Range<usize>) -> Range<usize> {
    let mut units = Units::from(line, 0).skip_while(|unit| unit.bytes.end <= bytes.start);
    let Some(first) = units.next() else {
        let end = columns(line);
        return end..end;
    };
    let end = first.column + first.width;
    let last = units.take_while(|unit| unit.bytes.start < bytes.end).last();
    first.column..last.map_or(end, |last| last.column + last.width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(line: &str) -> Vec<(usize, usize, String)> {
        Units::from(line, 0)
            .map(|unit| {
                let shown = match unit.shown {
                    Shown::Text(text) => text.to_owned(),
                    Shown::Tab => "→".into(),
                    Shown::Escape(escape) => escape,
                };
                (unit.column, unit.width, shown)
            })
            .collect()
    }

    #[test]
    fn a_cluster_of_code_points_is_one_character() {
        let unit = |column, width, shown: &str| (column, width, shown.to_owned());
        assert_eq!(shown("a漢b"), [unit(0, 1, "a"), unit(1, 2, "漢"), unit(3, 1, "b")]);
        assert_eq!(shown("ae\u{301}🇩🇪"), [unit(0, 1, "a"), unit(1, 1, "e\u{301}"), unit(2, 2, "🇩🇪")]);
        assert_eq!(
            shown("a\tbcd\t"),
            [
                unit(0, 1, "a"),
                unit(1, 3, "→"),
                unit(4, 1, "b"),
                unit(5, 1, "c"),
                unit(6, 1, "d"),
                unit(7, 1, "→"),
            ]
        );
        assert_eq!(shown("a\u{1b}"), [unit(0, 1, "a"), unit(1, 4, "\\x1b")]);
        assert_eq!(shown("e\u{200d}x"), [unit(0, 1, "e"), unit(1, 8, "\\u{200d}"), unit(9, 1, "x")]);
        assert_eq!(shown("1\u{fe0f}"), [unit(0, 1, "1"), unit(1, 8, "\\u{fe0f}")]);
        assert_eq!(
            shown("\u{2764}\u{fe0f}\u{fe0f}"),
            [unit(0, 2, "\u{2764}\u{fe0f}"), unit(2, 8, "\\u{fe0f}")]
        );
        assert_eq!(shown("\u{1f469}\u{200d}\u{1f469}"), [unit(0, 2, "\u{1f469}\u{200d}\u{1f469}")]);
        assert_eq!(shown("ｶﾞa"), [unit(0, 2, "ｶﾞ"), unit(2, 1, "a")]);
        assert_eq!(shown("\u{2800}"), [unit(0, 8, "\\u{2800}")]);
        assert_eq!(shown("\u{301}"), [unit(0, 7, "\\u{301}")], "a combining character without a base");
        assert_eq!(columns("\t漢"), 6);
        assert_eq!(columns_of_bytes("\t漢b", 1..4), 4..6);
        assert_eq!(columns_of_bytes("\t漢b", 0..5), 0..7);
        assert_eq!(columns_of_bytes("ab", 2..2), 2..2);
        assert_eq!(columns(""), 0);
    }

    fn any_line() -> impl Strategy<Value = String> {
        let plain = proptest::collection::vec(b' '..=b'~', 0..600)
            .prop_map(|bytes| bytes.into_iter().map(char::from).collect::<String>());
        let hard = proptest::collection::vec(
            prop_oneof![
                any::<char>(),
                proptest::sample::select(
                    "\u{301}漢\t\u{200d}😀\u{fe0f}\u{647}\u{e0100}\u{2800}1".chars().collect::<Vec<_>>()
                )
            ],
            0..8,
        )
        .prop_map(|chars| chars.into_iter().collect::<String>());
        (plain.clone(), hard, plain).prop_map(|(a, b, c)| a + &b + &c)
    }

    #[test]
    fn widths_without_tables_match_the_tables() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let Some(width) = simple_width(c) else { continue };
            for alone in [format!("{c}"), format!("{c}{c}"), format!("a{c}漢")] {
                assert_eq!(alone.graphemes(true).count(), alone.chars().count(), "{alone:?}");
            }
            assert_eq!(c.to_string().width(), width, "{c:?}");
            assert!(!harmless::is_harmful(c));
        }
    }

    proptest! {
        #[test]
        fn a_line_can_be_begun_anywhere(line in any_line(), column in 0..1500usize) {
            let all: Vec<_> = Units::from(&line, 0).collect();
            let from: Vec<_> = Units::from(&line, column).collect();
            let in_sight = all.iter().filter(|unit| unit.column + unit.width > column);
            let expected: Vec<_> = in_sight.cloned().collect();
            prop_assert_eq!(from, expected);
            prop_assert_eq!(columns(&line), all.last().map_or(0, |unit| unit.column + unit.width));
        }

        #[test]
        fn nothing_is_left_out_and_nothing_harmful_shown(line in any_line()) {
            let (mut bytes, mut utf16, mut column) = (0, 0, 0);
            for unit in Units::from(&line, 0) {
                prop_assert_eq!((unit.bytes.start, unit.utf16, unit.column), (bytes, utf16, column));
                let text = &line[unit.bytes.clone()];
                match &unit.shown {
                    Shown::Text(shown) => {
                        prop_assert_eq!(*shown, text);
                        prop_assert_eq!(shown.width(), unit.width);
                        prop_assert_eq!(harmless::harmful(shown).count(), 0);
                    }
                    Shown::Tab => prop_assert_eq!((unit.column + unit.width) % TAB_COLUMNS, 0),
                    Shown::Escape(escape) => {
                        prop_assert!(escape.bytes().all(|byte| byte.is_ascii_graphic()));
                        prop_assert_eq!(escape.len(), unit.width);
                    }
                }
                prop_assert!(unit.width >= 1);
                bytes = unit.bytes.end;
                utf16 += text.encode_utf16().count();
                column += unit.width;
            }
            prop_assert_eq!(bytes, line.len());
        }
    }
}
