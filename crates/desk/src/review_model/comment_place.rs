//! The place of a comment on a turn, as desks name it and find it.

use crate::harmless;
use crate::review::Hunk;
use crate::turn::comment::{Comment, LineRange, Side};

/// Returns the present lines of a comment, in the text of its side; `None` if the comment is about no lines,
/// or they are lost.
pub fn lines_now(comment: &Comment) -> Option<LineRange> {
    comment.now.or(comment.anchor.lines).filter(|_| !comment.lost)
}

/// Whether a comment is about some lines of a hunk.
pub fn is_on(comment: &Comment, hunk: &Hunk) -> bool {
    let Some(range) = lines_now(comment) else { return false };
    let of = if comment.anchor.side.is_new() { hunk.proposed } else { hunk.original };
    let lines = range.lines();
    lines.start < of.end && of.start < lines.end
}

/// Returns lines of a text for people: `lines 4–7`, `old line 3`.
pub fn lines_words(side: Side, lines: LineRange) -> String {
    match side {
        Side::New => lines.to_string(),
        Side::Old => format!("old {lines}"),
    }
}

/// Returns the place of a comment within its file: `lines 4–7`, `the whole file`, `the whole turn`. For lost
/// lines, the place at which they were when the comment was written.
pub fn place_in_file(comment: &Comment) -> String {
    let lines = lines_now(comment).or(comment.anchor.lines);
    match (&comment.anchor.path, lines) {
        (None, _) => "the whole turn".into(),
        (Some(_), None) => "the whole file".into(),
        (Some(_), Some(lines)) => lines_words(comment.anchor.side, lines),
    }
}

/// Returns the place of a comment with its file, harmless: `src/a.py, lines 4–7`.
pub fn place(comment: &Comment) -> String {
    let within = place_in_file(comment);
    let gone = if comment.lost { " (gone)" } else { "" };
    match (&comment.anchor.path, comment.anchor.lines) {
        (None, _) => within,
        (Some(file), None) => harmless::name(file).into_owned(),
        (Some(file), Some(_)) => format!("{}, {within}{gone}", harmless::name(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Lines;
    use crate::turn::comment::Anchor;

    fn comment(path: Option<&str>, lines: Option<(usize, usize)>, side: Side) -> Comment {
        let lines = lines.map(|(first, last)| LineRange { first, last });
        let anchor = Anchor { path: path.map(str::to_owned), lines, side, code: String::new() };
        Comment { anchor, ..Comment::default() }
    }

    #[test]
    fn a_place_names_the_lines_of_now_and_those_of_then_if_they_are_lost() {
        let mut moved = comment(Some("a\u{1b}"), Some((4, 7)), Side::New);
        moved.now = Some(LineRange { first: 9, last: 9 });
        assert_eq!(place(&moved), "a\\x1b, line 9");
        moved.lost = true;
        assert_eq!((place(&moved).as_str(), lines_now(&moved)), ("a\\x1b, lines 4–7 (gone)", None));
        assert_eq!(place(&comment(Some("a"), None, Side::New)), "a");
        assert_eq!(place(&comment(None, None, Side::New)), "the whole turn");
        assert_eq!(place_in_file(&comment(Some("a"), Some((3, 3)), Side::Old)), "old line 3");
    }

    #[test]
    fn a_comment_is_on_the_hunk_that_has_one_of_its_lines() {
        let lines = |start, end| Lines { start, end };
        let hunk = Hunk { original: lines(3, 3), proposed: lines(3, 7), ..Hunk::default() };
        let is = |first, last, side| is_on(&comment(Some("a"), Some((first, last)), side), &hunk);
        assert!(is(4, 4, Side::New) && is(7, 9, Side::New) && is(1, 20, Side::New));
        assert!(!is(3, 3, Side::New) && !is(8, 9, Side::New) && !is(4, 4, Side::Old));
        assert!(!is_on(&comment(Some("a"), None, Side::New), &hunk));
    }
}
