//! Positions in UTF-8, UTF-16 and UTF-32 units, compared with a count over all characters.

use alongside_desk::{Change, Position, Range, Text, replacement};
use alongside_lsp::{Encoding, fuzzing};
use serde_json::json;

/// The number of units that a character takes.
type Units = fn(char) -> usize;

const ENCODINGS: [(Encoding, Units); 3] =
    [(Encoding::Utf8, char::len_utf8), (Encoding::Utf16, char::len_utf16), (Encoding::Utf32, |_| 1)];

/// Checks the positions in a text. The input is two positions of two bytes each, and two texts with a NUL
/// between them.
pub fn check(data: &[u8]) {
    let Some(([a, b, c, d], texts)) = data.split_first_chunk() else { return };
    let texts = String::from_utf8_lossy(texts);
    let (before, after) = texts.split_once('\0').unwrap_or((&texts, ""));
    let at =
        |line: &u8, character: &u8| Position { line: u32::from(*line), character: u32::from(*character) };
    let (from, to) = (at(a, b), at(c, d));
    let text = Text::new(before);
    for (encoding, units) in ENCODINGS {
        check_offsets(&text, encoding, units);
        let offsets = [from, to].map(|position| {
            let offset = fuzzing::offset(&text, position, encoding);
            assert_eq!(offset, count_offset(before, position, units), "{before:?} {position:?} {encoding:?}");
            offset
        });
        check_change_of_editor(before, after, (from, to), offsets, encoding);
    }
    check_lines(&text);
    check_change_of_desk(&text, after, from, to);
    // The changes between two texts, applied to the first text, give the second.
    let changes: Vec<Change> = replacement(before, after).into_iter().collect();
    let changed = text.changed(&changes).expect("the changes fit the text");
    assert_eq!(&**changed.text(), after, "{changes:?}");
}

/// Returns the byte offset of a position, counted one character at a time.
fn count_offset(text: &str, position: Position, units: Units) -> usize {
    let (mut line, mut unit, mut offset) = (0, 0, 0);
    for c in text.chars() {
        let rest = &text[offset..];
        let ends = c == '\n' || rest.starts_with("\r\n");
        if line == position.line && (ends || unit >= position.character as usize) {
            return offset;
        }
        offset += c.len_utf8();
        unit += units(c);
        if c == '\n' {
            line += 1;
            unit = 0;
        }
    }
    offset
}

/// Checks that each offset gives the right position, and that the position gives the offset again.
fn check_offsets(text: &Text, encoding: Encoding, units: Units) {
    let all = text.text();
    let offsets = all.char_indices().map(|(offset, _)| offset).chain([all.len()]);
    for offset in offsets.take(256) {
        let position = fuzzing::position(text, offset, encoding);
        let line = all[..offset].matches('\n').count();
        let start = all[..offset].rfind('\n').map_or(0, |end| end + 1);
        let character: usize = all[start..offset].chars().map(units).sum();
        assert_eq!((position.line as usize, position.character as usize), (line, character));
        let is_within_crlf = all[..offset].ends_with('\r') && all[offset..].starts_with('\n');
        if !is_within_crlf {
            assert_eq!(fuzzing::offset(text, position, encoding), offset, "{all:?}");
        }
    }
}

/// Checks that the lines are the whole text.
fn check_lines(text: &Text) {
    let lines: Vec<&str> = (0..text.len()).map(|line| text.lines(line..line + 1)).collect();
    assert_eq!(lines.concat(), **text.text());
    assert_eq!(lines, text.text().split_inclusive('\n').collect::<Vec<_>>());
}

/// Checks a `didChange` of an editor, which replaces the text between two positions.
fn check_change_of_editor(
    before: &str,
    new: &str,
    (from, to): (Position, Position),
    [one, other]: [usize; 2],
    encoding: Encoding,
) {
    let open = json!({ "textDocument": { "uri": "file:///a", "version": 1, "text": before } });
    let change = json!({
        "textDocument": { "uri": "file:///a", "version": 2 },
        "contentChanges": [{ "range": { "start": from, "end": to }, "text": new }],
    });
    let changed = fuzzing::changed(&open, &change, encoding).expect("the document is open");
    let expected = format!("{}{new}{}", &before[..one.min(other)], &before[one.max(other)..]);
    assert_eq!(**changed.text(), expected);
}

/// Checks a change of a desk. Positions of desks count UTF-16 units, and a position outside the text is
/// refused.
fn check_change_of_desk(text: &Text, new: &str, from: Position, to: Position) {
    let all = text.text();
    let offsets = [from, to].map(|position| {
        let offset = text.offset(position);
        let lines = all.split('\n').count();
        let is_there = (position.line as usize) < text.len()
            || (position.line as usize + 1 == lines && position.character == 0);
        assert_eq!(offset.is_some(), is_there, "{all:?} {position:?}");
        if let Some(offset) = offset {
            // Positions within the carriage returns at the end of a line give the offset before these.
            let counted = count_offset(all, position, char::len_utf16);
            let is_before = |offset: usize| all[offset..counted].chars().all(|c| c == '\r');
            assert!(offset == counted || (offset < counted && is_before(offset)));
        }
        offset
    });
    let change = Change { range: Some(Range { start: from, end: to }), text: new.to_owned() };
    match (text.changed(&[change]), offsets) {
        (Ok(changed), [Some(one), Some(other)]) => {
            assert_eq!(**changed.text(), format!("{}{new}{}", &all[..one], &all[other..]));
        }
        (Err(_), [Some(one), Some(other)]) => assert!(other < one),
        (changed, _) => assert!(changed.is_err()),
    }
}
