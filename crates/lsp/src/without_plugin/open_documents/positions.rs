//! Positions of LSP and byte offsets. Editors name lines that do not exist: a position beyond the text means
//! its end.

use std::ops::Range;

use alongside_desk::{Position, Range as TextRange, Text, without_ending};
use serde_json::Value;

use crate::encoding::Encoding;

pub(crate) fn read_range(range: &Value) -> Option<(Position, Position)> {
    Some((read_position(range.get("start")?)?, read_position(range.get("end")?)?))
}

/// Reads a position of LSP. A number out of range becomes the nearest one within it.
pub(crate) fn read_position(position: &Value) -> Option<Position> {
    let number = |name: &str| {
        let number = position.get(name)?;
        let whole = number.as_u64().or_else(|| number.as_i64().map(|_| 0));
        Some(u32::try_from(whole?).unwrap_or(u32::MAX))
    };
    Some(Position { line: number("line")?, character: number("character")? })
}

/// Returns the byte offset of a position. One beyond a line means its end, before the line ending; one beyond
/// the text means the text's end.
pub(crate) fn offset(text: &Text, position: Position, encoding: Encoding) -> usize {
    let line = position.line as usize;
    let start = text.lines(0..line).len();
    let content = without_ending(text.lines(line..line + 1));
    let mut units = 0;
    for (at, c) in content.char_indices() {
        if units >= position.character as usize {
            return start + at;
        }
        units += encoding.units(c);
    }
    start + content.len()
}

/// Returns the byte range between two positions, in either order.
pub(crate) fn span(text: &Text, from: Position, to: Position, encoding: Encoding) -> Range<usize> {
    let (from, to) = (offset(text, from, encoding), offset(text, to, encoding));
    from.min(to)..from.max(to)
}

/// Returns the position of a byte offset.
pub(crate) fn position(text: &Text, offset: usize, encoding: Encoding) -> Position {
    let last = text.len() - usize::from(text.ends_open());
    let line = text.line_at(offset).min(last);
    let start = text.lines(0..line).len();
    let units: usize = text.text()[start..offset].chars().map(|c| encoding.units(c)).sum();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: number(line), character: number(units) }
}

/// Returns the empty range at the start of a line.
pub(crate) fn at_line(line: usize) -> TextRange {
    let at = Position { line: u32::try_from(line).unwrap_or(u32::MAX), character: 0 };
    TextRange { start: at, end: at }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn offsets_follow_the_negotiated_encoding() {
        for (encoding, after_emoji) in [(Encoding::Utf8, 5), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let text = Text::new("x\r\na😀b\r\n");
            assert_eq!(offset(&text, at(1, after_emoji), encoding), 8, "{encoding:?}");
            assert_eq!(position(&text, 8, encoding), at(1, after_emoji));
            assert_eq!(offset(&text, at(1, 99), encoding), 9, "before the line ending");
            assert_eq!(offset(&text, at(99, 0), encoding), 11, "beyond the text");
        }
    }

    proptest! {
        #[test]
        fn position_and_offset_are_inverse(text in "[a\u{e9}\u{1f600}\n\r]{0,16}") {
            let text = Text::new(text);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                for (offset, _) in text.text().char_indices() {
                    let place = position(&text, offset, encoding);
                    let (before, after) = text.text().split_at(offset);
                    if !before.ends_with('\r') || !after.starts_with('\n') {
                        prop_assert_eq!(super::offset(&text, place, encoding), offset);
                    }
                }
                let end = position(&text, text.text().len(), encoding);
                prop_assert_eq!(super::offset(&text, end, encoding), text.text().len());
            }
        }
    }
}
