//! Marks by example, and properties of all marks.

use alongside_desk::Text;
use proptest::prelude::*;

use super::*;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// The marked words of both sides.
fn marks<'a>(original: &'a str, other: &'a str) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let words = differing_words(original, other, soon())?;
    Some((texts(original, &words.removed), texts(other, &words.added)))
}

fn texts<'a>(text: &'a str, ranges: &[TextRange]) -> Vec<&'a str> {
    let lines = Text::new(text);
    ranges.iter().map(|range| &text[bytes(&lines, range)]).collect()
}

fn bytes(text: &Text, range: &TextRange) -> Range<usize> {
    text.offset(range.start).unwrap()..text.offset(range.end).unwrap()
}

#[test]
fn only_the_changed_word_is_marked() {
    let (removed, added) = marks("let one = count(1, x);\n", "let one = count(2, x);\n").unwrap();
    assert_eq!((removed, added), (vec!["1"], vec!["2"]));
    let (removed, added) = marks("self.width = old_width;\n", "self.width = new_width;\n").unwrap();
    assert_eq!((removed, added), (vec!["old_width"], vec!["new_width"]));
    assert_eq!(marks("  return 1;\n", "    return 1;\n").unwrap(), (vec!["  "], vec!["    "]));
}

#[test]
fn spaces_between_two_changed_words_belong_to_the_mark() {
    let (removed, added) =
        marks("a long sentence says one two here\n", "a long sentence says uno dos here\n").unwrap();
    assert_eq!((removed, added), (vec!["one two"], vec!["uno dos"]));
}

#[test]
fn a_mark_ends_with_its_line() {
    let (removed, added) = marks("call(one)\n", "call(one,\r\n  two)\r\n").unwrap();
    assert_eq!((removed.len(), added), (0, vec![",", "  two"]));
}

#[test]
fn columns_are_utf16_units_and_letters_keep_their_marks() {
    let words = differing_words("😀 naive word\n", "😀 nai\u{308}ve word\n", soon()).unwrap();
    let on_line = |start, end| TextRange {
        start: Position { line: 0, character: start },
        end: Position { line: 0, character: end },
    };
    assert_eq!((words.removed, words.added), (vec![on_line(3, 8)], vec![on_line(3, 9)]));
    assert_eq!(marks("漢字です\n", "漢語です\n").unwrap(), (vec!["字"], vec!["語"]));
}

#[test]
fn sides_with_little_in_common_are_not_marked() {
    assert_eq!(marks("two\n", "TWO\n"), None);
    assert_eq!(marks("import os, sys\n", "def main(argument):\n"), None);
    assert_eq!(marks("  \n", "\t\n"), None, "there is no word");
    assert_eq!(marks("x\r\n", "x\n"), None, "a line end is no word");
}

#[test]
fn added_lines_and_too_many_lines_are_not_marked() {
    let sides = |original, proposed| HunkSides::new((0..1, original), (0..1, proposed), None);
    assert!(sides("a\n", "b\n").is_some());
    assert!(sides("", "b\n").is_none() && sides("a\n", "").is_none());
    let (most, more) = ("a\n".repeat(MAX_LINES), "a\n".repeat(MAX_LINES + 1));
    assert!(sides(&most, "b\n").is_some());
    assert!(sides(&more, "b\n").is_none() && sides("b\n", &more).is_none());
    assert!(sides(&"a".repeat(MAX_BYTES + 1), "b\n").is_none());
}

#[test]
fn an_unchanged_hunk_is_not_compared_again() {
    let key = |at: usize| HunkSides::new((at..at + 1, "x 1\n"), (at..at + 1, "x 2\n"), None).unwrap();
    let mut marks = WordMarks::default();
    marks.refresh(
        Duration::from_secs(60),
        [(key(0), "x 1\n", "x 2\n"), (key(5), "x 1\n", "x 2\n")].into_iter(),
    );
    // Other texts under the same key show that the texts are not compared.
    marks.refresh(Duration::from_secs(60), [(key(5), "same\n", "same\n")].into_iter());
    assert!(marks.words(&key(0), 0, 0).is_none(), "the mark is dropped");
    let kept = marks.words(&key(5), 5, 7).unwrap();
    assert_eq!((kept.removed[0].start.line, kept.added[0].end.line), (5, 7));
    assert!(HunkSides::new((5..6, "x 1\n"), (5..6, "x 2\n"), Some("x 3\n")) != Some(key(5)), "edited");
}

fn text() -> impl Strategy<Value = String> {
    let words = ["a", "b", "cd", "_", "(", "é", "e\u{301}", "😀", "漢", " ", "  ", "\t", "\n", "\r\n", "\r"];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..30)
        .prop_map(|parts| parts.concat())
}

/// The unmarked text, without line ends, which are never marked.
fn unmarked(text: &str, ranges: &[TextRange]) -> String {
    let lines = Text::new(text);
    let mut rest = text.to_owned();
    for range in ranges.iter().rev() {
        rest.replace_range(bytes(&lines, range), "");
    }
    rest.replace(['\r', '\n'], "")
}

proptest! {
    #[test]
    fn marks_lie_within_lines_and_unmarked_text_is_equal(old in text(), new in text()) {
        let Some(words) = differing_words(&old, &new, soon()) else { return Ok(()) };
        for (text, ranges) in [(&old, &words.removed), (&new, &words.added)] {
            let lines = Text::new(text.as_str());
            let mut before = Position::default();
            for range in ranges {
                prop_assert!(range.start < range.end && range.start.line == range.end.line);
                // Neither overlapping nor touching.
                prop_assert!(before == Position::default() || before < range.start);
                before = range.end;
                let marked = &text[bytes(&lines, range)];
                prop_assert!(!marked.contains('\n'));
                let columns = (range.end.character - range.start.character) as usize;
                prop_assert_eq!(marked.encode_utf16().count(), columns);
            }
        }
        prop_assert_eq!(unmarked(&old, &words.removed), unmarked(&new, &words.added));
    }

    #[test]
    fn equal_texts_have_no_marks(text in text()) {
        prop_assert_eq!(differing_words(&text, &text, soon()), None);
    }
}
