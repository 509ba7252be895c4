//! The line that a changed line stands for or gives way to, and the blanks in which the two differ: those are
//! drawn.

use std::ops::Range;

use alongside_desk::{Hunk, HunkState, Lines};

use super::texts::{ReviewTexts, Side};

/// Where the sides of a hunk have different numbers of lines, the other line is looked for so far around.
const AROUND: usize = 32;

/// The line on the other side of a hunk that a line of a text was made of, or became: the one in the same
/// place, if both sides have as many lines, otherwise one that differs in blanks at most. Without line end.
pub(super) fn counterpart<'a>(
    texts: &'a ReviewTexts,
    hunk: &Hunk,
    (side, line): (Side, usize),
) -> Option<&'a str> {
    let (new_side, new) = match hunk.state {
        HunkState::Dropped => (Side::Proposed, hunk.proposed),
        HunkState::Kept | HunkState::Edited => (Side::Current, hunk.current),
    };
    let ((own, own_side), (other, other_side)) = match side {
        Side::Original => ((hunk.original, Side::Original), (new, new_side)),
        Side::Proposed | Side::Current => ((new, new_side), (hunk.original, Side::Original)),
    };
    let offset = line.checked_sub(own.start)?;
    let line = |side: Side, lines: Lines, offset: usize| {
        let at = lines.start + offset;
        texts.text(side).lines(at..at + 1).trim_end_matches(['\n', '\r'])
    };
    if own.len() == other.len() {
        return Some(line(other_side, other, offset));
    }
    let wanted = line(own_side, own, offset).trim();
    let mut around = offset.saturating_sub(AROUND)..(offset + AROUND).min(other.len());
    around.find_map(|at| Some(line(other_side, other, at)).filter(|line| line.trim() == wanted))
}

/// The blanks of a changed line that are drawn, in bytes: those at its beginning where they differ from those
/// of its counterpart, and those at its end.
pub(super) fn drawn_blanks(line: &str, other: Option<&str>) -> [Range<usize>; 2] {
    let indentation = |line: &str| line.len() - line.trim_start_matches(BLANKS).len();
    let end = line.trim_end_matches(BLANKS).len();
    let start = indentation(line).min(end);
    let is_other = |other: &str| other[..indentation(other)] != line[..indentation(line)];
    let beginning = if other.is_some_and(is_other) { start } else { 0 };
    [0..beginning, end..line.len()]
}

const BLANKS: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_drawn_where_they_differ() {
        assert_eq!(drawn_blanks("  a b ", None), [0..0, 5..6]);
        assert_eq!(drawn_blanks("\ta", Some("  a")), [0..1, 2..2]);
        assert_eq!(drawn_blanks("  a", Some("  b\t")), [0..0, 3..3]);
        assert_eq!(drawn_blanks("  ", Some("")), [0..0, 0..2]);
        assert_eq!(drawn_blanks("", Some("  ")), [0..0, 0..0]);
    }
}
