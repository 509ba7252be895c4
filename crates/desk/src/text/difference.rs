//! The difference between two texts as one change of whole lines.

use crate::context::{Position, Range};
use crate::text::Change;

/// Returns the one change of whole lines, in UTF-16 units, that makes `new` of `old`; `None` if the texts are
/// equal.
pub fn replacement(old: &str, new: &str) -> Option<Change> {
    if old == new {
        return None;
    }
    let same = alike_at_start(old.as_bytes(), new.as_bytes());
    // Back to the start of a line, which is a character boundary in both.
    let start = old.as_bytes()[..same].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let rest = alike_at_end(old_rest.as_bytes(), new_rest.as_bytes());
    // On to the start of a line: the end of the text is such a start only after a newline.
    let end_of = |text: &str| {
        let at = text.len() - rest;
        match text.as_bytes()[at..].iter().position(|byte| *byte == b'\n') {
            Some(end) => at + end + 1,
            None => text.len(),
        }
    };
    let (old_end, new_end) = (end_of(old_rest), end_of(new_rest));
    let lines =
        |text: &str| u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX);
    let first = lines(&old[..start]);
    let replaced = &old_rest[..old_end];
    let last = Position { line: first + lines(replaced), character: 0 };
    let end = match replaced.ends_with('\n') || replaced.is_empty() {
        true => last,
        // The last line has no newline, so the range ends beyond its last column.
        false => Position { character: u32::MAX, ..last },
    };
    if replaced.ends_with('\r') {
        // A position cannot lie behind it.
        return Some(Change { range: None, text: new.to_owned() });
    }
    let range = Range { start: Position { line: first, character: 0 }, end };
    Some(Change { range: Some(range), text: new_rest[..new_end].to_owned() })
}

/// The sizes of the blocks that are compared, in bytes, the larger ones first. Comparing blocks is many times
/// faster than comparing bytes.
const BLOCK_SIZES: [usize; 2] = [4096, 64];

/// Returns the number of equal bytes at the beginning of two texts.
pub fn alike_at_start(one: &[u8], other: &[u8]) -> usize {
    let mut equal = 0;
    for block in BLOCK_SIZES {
        let pairs = one[equal..].chunks(block).zip(other[equal..].chunks(block));
        equal += pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len()).sum::<usize>();
    }
    equal + one[equal..].iter().zip(&other[equal..]).take_while(|(one, other)| one == other).count()
}

/// Returns the number of equal bytes at the end of two texts.
pub fn alike_at_end(one: &[u8], other: &[u8]) -> usize {
    let mut equal = 0;
    let rest = |text: &[u8], equal: usize| text.len() - equal;
    for block in BLOCK_SIZES {
        let pairs = one[..rest(one, equal)].rchunks(block).zip(other[..rest(other, equal)].rchunks(block));
        equal += pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len()).sum::<usize>();
    }
    let pairs = one[..rest(one, equal)].iter().rev().zip(other[..rest(other, equal)].iter().rev());
    equal + pairs.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    proptest! {
        #[test]
        fn a_replacement_makes_the_new_text(
            old in "[ab\u{e9}\n\r]{0,12}",
            new in "[ab\u{e9}\n\r]{0,12}",
        ) {
            let changes: Vec<_> = replacement(&old, &new).into_iter().collect();
            prop_assert_eq!(changes.is_empty(), old == new);
            let changed = Text::new(old).changed(&changes).unwrap();
            prop_assert_eq!(&**changed.text(), new);
        }
    }

    #[test]
    fn a_replacement_in_a_long_text_is_found_wherever_it_is() {
        let old = "line\n".repeat(BLOCK_SIZES[0]);
        for line in [0, BLOCK_SIZES[0] / 5 - 1, BLOCK_SIZES[0] / 5, BLOCK_SIZES[0] / 2, BLOCK_SIZES[0] - 1] {
            let new =
                format!("{}LINE\n{}", "line\n".repeat(line), "line\n".repeat(BLOCK_SIZES[0] - 1 - line));
            let change = replacement(&old, &new).unwrap();
            let at = |line| Position { line: u32::try_from(line).unwrap(), character: 0 };
            assert_eq!(change.range, Some(Range { start: at(line), end: at(line + 1) }));
            assert_eq!(change.text, "LINE\n");
        }
        let shorter = &old[5..];
        assert_eq!(replacement(&old, shorter).map(|change| change.text), Some(String::new()));
    }

    #[test]
    fn a_replacement_is_no_more_than_the_lines_around_it() {
        let change = replacement("a\nb\nc\nd\n", "a\nB\nc\nd\n").unwrap();
        let at = |line| Position { line, character: 0 };
        assert_eq!(change.range, Some(Range { start: at(1), end: at(2) }));
        assert_eq!(change.text, "B\n");
    }
}
