//! The counterpart of a changed line on the other side of its hunk, and the whitespace in which both differ,
//! which is drawn with visible signs.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState, Lines, Position, Range as TextRange, alike_at_end, alike_at_start};

use super::alignment::Alignment;
use super::like_lines::like_lines;
use super::texts::{ReviewTexts, Side};

/// The most lines above and below in which the counterpart of a line is searched for, if the sides of a hunk
/// have different numbers of lines.
const MAX_DISTANCE_LINES: usize = 32;

/// The new lines of a hunk, which are written or would be without the drop, and their text.
fn new_lines(hunk: &Hunk) -> (Side, Lines) {
    match hunk.state {
        HunkState::Dropped => (Side::Proposed, hunk.proposed),
        HunkState::Kept | HunkState::Edited => (Side::Current, hunk.current),
    }
}

/// Finds the lines of a hunk that became other lines.
pub(super) fn alignment(texts: &ReviewTexts, hunk: &Hunk) -> Alignment {
    let (side, new) = new_lines(hunk);
    // A single pair of lines shares a row without a comparison.
    if hunk.original.len() * new.len() <= 1 {
        return Alignment::default();
    }
    let lines = |side: Side, lines: Lines| -> Vec<&str> {
        texts.text(side).each_line(lines.start..lines.end).collect()
    };
    Alignment::new(like_lines(&lines(Side::Original, hunk.original), &lines(side, new)))
}

/// The pairs of equal lines of a hunk, for the one-column layout.
pub(super) fn kept_lines(texts: &ReviewTexts, hunk: &Hunk, alignment: &Alignment) -> Alignment {
    let (side, new) = new_lines(hunk);
    let is_same = |(old, at): &(usize, usize)| {
        let line = |side: Side, line: usize| texts.text(side).lines(line..line + 1);
        line(Side::Original, hunk.original.start + old) == line(side, new.start + at)
    };
    Alignment::stacked(alignment.pairs().filter(is_same))
}

/// The counterpart of a line, without its line ending: the line on the other side of the hunk that it became,
/// or was made from. If there is none, the line in the same row if both sides have the same number of lines,
/// or else a near line that differs in whitespace only.
pub(super) fn counterpart<'a>(
    texts: &'a ReviewTexts,
    hunk: &Hunk,
    alignment: &Alignment,
    (side, line): (Side, usize),
) -> Option<&'a str> {
    let (new_side, new) = new_lines(hunk);
    let ((own, own_side), (other, other_side)) = match side {
        Side::Original => ((hunk.original, Side::Original), (new, new_side)),
        Side::Proposed | Side::Current => ((new, new_side), (hunk.original, Side::Original)),
    };
    let offset = line.checked_sub(own.start)?;
    let line = |side: Side, lines: Lines, offset: usize| {
        let at = lines.start + offset;
        texts.text(side).lines(at..at + 1).trim_end_matches(['\n', '\r'])
    };
    let lines = (hunk.original.len(), new.len());
    let (pair, beside) = match side {
        Side::Original => {
            (alignment.new_of(offset), alignment.lines_in(alignment.row_of_old(offset), lines).1)
        }
        Side::Proposed | Side::Current => {
            (alignment.old_of(offset), alignment.lines_in(alignment.row_of_new(offset, lines), lines).0)
        }
    };
    if let Some(at) = pair.or(beside.filter(|_| own.len() == other.len())) {
        return Some(line(other_side, other, at));
    }
    let wanted = line(own_side, own, offset).trim();
    let mut around =
        offset.saturating_sub(MAX_DISTANCE_LINES)..(offset + MAX_DISTANCE_LINES).min(other.len());
    around.find_map(|at| Some(line(other_side, other, at)).filter(|line| line.trim() == wanted))
}

/// The whitespace of a changed line that is drawn, in bytes: the indentation if it differs from the
/// counterpart's, and the whitespace at the end.
pub(super) fn drawn_whitespace(line: &str, other: Option<&str>) -> [Range<usize>; 2] {
    let indentation = |line: &str| line.len() - line.trim_start_matches(SPACE_AND_TAB).len();
    let end = line.trim_end_matches(SPACE_AND_TAB).len();
    let start = indentation(line).min(end);
    let is_other = |other: &str| other[..indentation(other)] != line[..indentation(line)];
    let beginning = if other.is_some_and(is_other) { start } else { 0 };
    [0..beginning, end..line.len()]
}

/// The part of line number `at` that differs from its counterpart; `None` if both have little in common.
pub(super) fn differing_part(line: &str, other: &str, at: usize) -> Option<TextRange> {
    let start = alike_at_start(line.as_bytes(), other.as_bytes());
    let start = line.floor_char_boundary(start);
    let (rest, other_rest) = (&line[start..], other.get(start..)?);
    let end = line.len() - alike_at_end(rest.as_bytes(), other_rest.as_bytes());
    let end = line.ceil_char_boundary(end).max(start);
    let shared = line.len() - (end - start);
    if start == end || shared * 100 < MIN_SHARED_PERCENT * line.len().max(other.len()) {
        return None;
    }
    // The range is extended to whole words.
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = match line[start..].starts_with(is_word) {
        true => line[..start].trim_end_matches(is_word).len(),
        false => start,
    };
    let end = match line[..end].ends_with(is_word) {
        true => line.len() - line[end..].trim_start_matches(is_word).len(),
        false => end,
    };
    let character = |byte: usize| line[..byte].encode_utf16().count();
    let place = |byte: usize| {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: number(at), character: number(character(byte)) }
    };
    Some(TextRange { start: place(start), end: place(end) })
}

/// The least share of a line that it has in common with its counterpart, in percent.
const MIN_SHARED_PERCENT: usize = 30;

const SPACE_AND_TAB: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_differs_is_found_by_whole_words() {
        let part = |line: &str, other: &str| {
            let range = differing_part(line, other, 7)?;
            assert_eq!((range.start.line, range.end.line), (7, 7));
            let units: Vec<u16> = line.encode_utf16().collect();
            let units = &units[range.start.character as usize..range.end.character as usize];
            Some(String::from_utf16(units).unwrap())
        };
        assert_eq!(part("let old_name = 1;", "let new_name = 1;").as_deref(), Some("old_name"));
        assert_eq!(part("call(a, b, c)", "call(a, c)").as_deref(), Some("b, "));
        assert_eq!(part("😀é = 1", "😀è = 1").as_deref(), Some("é"));
        assert_eq!(part("same", "same and more"), None, "nothing goes");
        assert_eq!(part("entirely other", "nothing in common here"), None);
        assert_eq!(part("aaa", "aaaa").as_deref(), None);
        assert_eq!(part("aaaa", "aaa").as_deref(), Some("aaaa"));
    }

    #[test]
    fn whitespace_is_drawn_where_it_differs() {
        assert_eq!(drawn_whitespace("  a b ", None), [0..0, 5..6]);
        assert_eq!(drawn_whitespace("\ta", Some("  a")), [0..1, 2..2]);
        assert_eq!(drawn_whitespace("  a", Some("  b\t")), [0..0, 3..3]);
        assert_eq!(drawn_whitespace("  ", Some("")), [0..0, 0..2]);
        assert_eq!(drawn_whitespace("", Some("  ")), [0..0, 0..0]);
    }
}
