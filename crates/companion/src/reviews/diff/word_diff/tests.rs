//! Tests of marks on lines of real commits, and of properties of all marks.

use std::time::Duration;

use alongside_desk::{Position, Text};
use proptest::prelude::*;

use super::*;

fn late_deadline() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// Returns both texts with `⟦` and `⟧` around the marks; `None` if nothing is marked.
fn with_marks(original: &str, other: &str) -> Option<(String, String)> {
    let words = differing_words(original, other, late_deadline())?;
    Some((with_brackets(original, &words.removed), with_brackets(other, &words.added)))
}

fn with_brackets(text: &str, ranges: &[TextRange]) -> String {
    let lines = Text::new(text);
    let mut shown = text.to_owned();
    for range in ranges.iter().rev() {
        let Range { start, end } = bytes(&lines, range);
        shown.insert(end, '⟧');
        shown.insert(start, '⟦');
    }
    shown
}

fn bytes(text: &Text, range: &TextRange) -> Range<usize> {
    text.offset(range.start).unwrap()..text.offset(range.end).unwrap()
}

/// Checks that the marks are where the brackets are.
fn assert_marks(original: &str, other: &str) {
    let plain = |text: &str| text.replace(['⟦', '⟧'], "");
    let expected = Some((original.to_owned(), other.to_owned()));
    assert_eq!(with_marks(&plain(original), &plain(other)), expected);
}

#[test]
fn only_the_changed_word_is_marked() {
    assert_marks("let one = count(⟦1⟧, x);\n", "let one = count(⟦2⟧, x);\n");
    assert_marks("self.width = ⟦old_width⟧;\n", "self.width = ⟦new_width⟧;\n");
    assert_marks("def __init__(self):\n", "def __init__(self) ⟦-> None⟧:\n");
}

#[test]
fn indentation_is_never_marked() {
    assert_eq!(with_marks("  return 1;\n", "    return 1;\n"), None);
    assert_marks("db.⟦sadd⟧('cat', 'luna');\n", "    ⟦await⟧ db.⟦sAdd⟧('cat', 'luna');\n");
    assert_marks("\tself:⟦notify⟧(res)\n", "    self:⟦log⟧(res)\n");
    // Other spaces are marked only if nothing else differs.
    assert_marks("filter = function(plugin)\n", "filter = function⟦ ⟧(plugin)\n");
    assert_marks("fn a() {⟦  ⟧\n", "fn a() {\n");
    assert_marks("function(⟦req⟧, next){\n", "function (⟦request⟧, next) {\n");
}

#[test]
fn a_rewritten_line_has_no_marks() {
    for (original, other) in [
        ("-- Goes to what is shown there.\n", "-- The window of a review, if it is open.\n"),
        (
            "| `fuzz/` | what libFuzzer feeds: one file a target |\n",
            "| `fuzz/` | fuzzing: `src/` the properties |\n",
        ),
        ("for k in (-d..=d).rev().step_by(2) {\n", "while k >= -d {\n"),
        (
            "if step.task == \"wait\" then\n",
            "if sync and sync.opts and type(sync.opts) == \"function\" then\n",
        ),
        ("/// Whether a message is more than a note.\n", "/// Whether the agent would not connect.\n"),
        ("import os, sys\n", "def main(argument):\n"),
        ("two\n", "TWO\n"),
        ("x\r\n", "x\n"),
        ("  \n", "\t\n"),
    ] {
        assert_eq!(with_marks(original, other), None, "{original}{other}");
    }
}

#[test]
fn one_change_is_marked_in_lines_that_share_a_third() {
    assert_marks("timeout=⟦timeout⟧,\n", "timeout=⟦resolved_timeout⟧,\n");
    assert_marks("⟦urllib3_version⟧.append(\"0\")\n", "⟦urllib3_version_list⟧.append(\"0\")\n");
}

#[test]
fn the_additions_to_a_kept_line_are_marked() {
    let other = "headers⟦: Mapping[str, str | bytes] | None⟧ = None,\n";
    assert_marks("headers = None,\n", other);
    assert_marks(
        "yield req\n",
        "yield req  ⟦# type: ignore  # Internal use only, returns PreparedRequest⟧\n",
    );
}

#[test]
fn lone_separators_are_marked_only_if_nothing_else_differs() {
    // A comma that has moved together with a changed word.
    assert_marks("run(⟦first⟧ second, third: fourth);\n", "run(⟦other⟧ second third: fourth);\n");
    assert_marks("call(one⟦;⟧ two)\n", "call(one⟦,⟧ two)\n");
    assert_marks("let answer ⟦=⟧ 42;\n", "let answer ⟦:=⟧ 42;\n");
    assert_marks("let answer = ⟦42⟧;\n", "let answer⟦: u8⟧ = ⟦43⟧;\n");
    assert_marks("if answer ⟦=⟧ other {\n", "if answer ⟦==⟧ other {\n");
    let (_, json) =
        with_marks("value \"⟦name⟧\" 10 long long word\n", "value \"label\": 10 long long word\n").unwrap();
    assert_eq!(json, "value \"⟦label⟧\": 10 long long word\n");
}

#[test]
fn a_new_line_between_changed_lines_has_no_marks() {
    assert_marks(
        "    ⟦is_back⟧: bool,\n    stream: Stream,\n    lost: Instant,\n",
        "    ⟦is_listed⟧: bool,\n    /// A comment.\n    stream: Stream,\n    lost: ⟦Option<⟧Instant⟦>⟧,\n",
    );
}

#[test]
fn words_flow_across_line_ends() {
    // A call that was wrapped into several lines.
    assert_marks(
        "    def cert_verify(self, conn, url, verify):\n",
        "    def cert_verify(\n        self, conn⟦: Any⟧, url⟦: str⟧, verify⟦: bool⟧\n    ):\n",
    );
    // A comment that was wrapped again. Its comment signs are not words.
    assert_marks(
        "/// The listener has to ⟦prove⟧ that it knows\n/// the token, for anybody may have the port.\n",
        "/// The listener has to ⟦show⟧ that it\n/// knows the token, for anybody may have the port.\n",
    );
}

#[test]
fn spaces_between_two_changed_words_belong_to_the_mark() {
    assert_marks("a long sentence says ⟦one two⟧ here\n", "a long sentence says ⟦uno dos⟧ here\n");
}

#[test]
fn columns_are_utf16_units_and_combining_marks_stay_with_letters() {
    let words = differing_words("😀 naive word\n", "😀 nai\u{308}ve word\n", late_deadline()).unwrap();
    let on_line = |start, end| TextRange {
        start: Position { line: 0, character: start },
        end: Position { line: 0, character: end },
    };
    assert_eq!((words.removed, words.added), (vec![on_line(3, 8)], vec![on_line(3, 9)]));
    assert_marks("漢⟦字⟧です\n", "漢⟦語⟧です\n");
}

fn text() -> impl Strategy<Value = String> {
    let words = [
        "a", "b", "cd", "_", "(", ":", "=", "é", "e\u{301}", "😀", "漢", " ", "  ", "\t", "\n", "\r\n", "\r",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..30)
        .prop_map(|parts| parts.concat())
}

/// Returns the text without marked words, whitespace, `:` and `=`.
fn without_marks(text: &str, ranges: &[TextRange]) -> String {
    let lines = Text::new(text);
    let mut rest = text.to_owned();
    for range in ranges.iter().rev() {
        rest.replace_range(bytes(&lines, range), "");
    }
    rest.replace(|c: char| c.is_whitespace() || c == ':' || c == '=', "")
}

proptest! {
    #[test]
    fn marks_lie_within_lines_behind_their_indentation(old in text(), new in text()) {
        let Some(words) = differing_words(&old, &new, late_deadline()) else { return Ok(()) };
        for (text, ranges) in [(&old, &words.removed), (&new, &words.added)] {
            let lines = Text::new(text.as_str());
            let mut before = Position::default();
            for range in ranges {
                prop_assert!(range.start < range.end && range.start.line == range.end.line);
                // Marks neither overlap nor touch.
                prop_assert!(before == Position::default() || before < range.start);
                before = range.end;
                let marked = bytes(&lines, range);
                prop_assert!(!text[marked.clone()].contains('\n'));
                let columns = (range.end.character - range.start.character) as usize;
                prop_assert_eq!(text[marked.clone()].encode_utf16().count(), columns);
                let line = range.start.line as usize;
                prop_assert!(!text[lines.start(line)..marked.start].trim().is_empty()
                    || !text[marked].starts_with(char::is_whitespace));
            }
        }
    }

    #[test]
    fn unmarked_words_of_two_lines_are_equal(old in text(), new in text()) {
        let line = |text: String| text.replace(['\r', '\n'], "");
        let (old, new) = (line(old), line(new));
        if let Some(words) = differing_words(&old, &new, late_deadline()) {
            prop_assert_eq!(without_marks(&old, &words.removed), without_marks(&new, &words.added));
        }
    }

    #[test]
    fn equal_texts_have_no_marks(text in text()) {
        prop_assert_eq!(differing_words(&text, &text, late_deadline()), None);
    }
}
