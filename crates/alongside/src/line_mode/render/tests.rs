//! Tests of the exact output of reviews.

mod header;
mod pages;

use std::sync::Arc;

use alongside_desk::{Hunk, HunkState, LineEnding, Lines, Position, Range, ReviewId, Words, harmless};

use super::*;

const PLAIN: Inks = Inks { on: false };

const UNKNOWN_SIZE: Layout = Layout { inks: PLAIN, columns: None, rows: None };

/// Prints the first page of a hunk on a screen of unknown size.
fn hunk(review: &Review, hunk: &Hunk, inks: Inks) -> String {
    hunk_page(Origin::Proposal, review, hunk, Spot::default(), Layout { inks, ..UNKNOWN_SIZE }).text
}

fn turn_hunk(review: &Review, hunk: &Hunk) -> String {
    hunk_page(Origin::Turn, review, hunk, Spot::default(), UNKNOWN_SIZE).text
}

fn lines(start: usize, end: usize) -> Lines {
    Lines { start, end }
}

fn review(original: &str, proposed: &str, hunks: Vec<Hunk>) -> Review {
    Review {
        id: ReviewId(1),
        agent: Agent { name: "Gemini CLI".into(), ..Agent::default() },
        file: "/p/src/a.rs".into(),
        original: Some(Arc::from(original)),
        proposed: Arc::from(proposed),
        current: Arc::from(proposed),
        revision: 1,
        hunks,
        ..Review::default()
    }
}

fn kept(original: Lines, proposed: Lines) -> Hunk {
    Hunk { original, proposed, current: proposed, ..Hunk::default() }
}

/// Lines 1 to 9, with line 5 changed.
fn middle() -> Review {
    let original = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    review(original, &original.replace('5', "five"), vec![kept(lines(4, 5), lines(4, 5))])
}

#[test]
fn a_hunk_has_three_lines_of_context() {
    let review = middle();
    insta::assert_snapshot!(hunk(&review, &review.hunks[0], PLAIN), @"
    @@ -2,7 +2,7 @@
     2
     3
     4
    -5
    +five
     6
     7
     8
    ");
}

#[test]
fn a_change_that_is_hard_to_see_has_a_note() {
    let review = review("a\n    b\n", "a\n\tb\n", vec![kept(lines(1, 2), lines(1, 2))]);
    insta::assert_snapshot!(hunk(&review, &review.hunks[0], PLAIN), @"
    @@ -1,2 +1,2 @@ in a
     a
    -····b
    +→      b
    Hard to see: a tab in place of blanks.
    ");
}

#[test]
fn a_reason_is_printed_below_its_change() {
    let mut review = middle();
    review.hunks[0].reason = Some("not\x1b this".into());
    let shown = hunk(&review, &review.hunks[0], PLAIN);
    assert!(shown.ends_with("\n 8\nWhy: not\\x1b this"), "{shown}");
}

#[test]
fn colours_are_the_terminals_and_end_with_the_line() {
    let review = middle();
    let shown = hunk(&review, &review.hunks[0], Inks { on: true });
    assert!(shown.starts_with("\x1b[36m@@ -2,7 +2,7 @@\x1b[0m\n 2\n"), "{shown:?}");
    assert!(shown.contains("\n\x1b[31m-5\x1b[0m\n\x1b[32m+five\x1b[0m\n"), "{shown:?}");
}

#[test]
fn differing_words_are_stressed_and_hard_to_see_ones_noted() {
    let at = |from, to| Range {
        start: Position { line: 0, character: from },
        end: Position { line: 0, character: to },
    };
    let mut review = review("let a = cat;\n", "let a = c\u{430}t;\n", vec![kept(lines(0, 1), lines(0, 1))]);
    review.hunks[0].words = Some(Words { removed: vec![at(8, 11)], added: vec![at(8, 11)] });
    let shown = hunk(&review, &review.hunks[0], Inks { on: true });
    let expected = "\x1b[31m-let a = \x1b[7mcat\x1b[27m;\x1b[0m\n\
                    \x1b[32m+let a = \x1b[7mc\u{430}t\x1b[27m;\x1b[0m\n\
                    \x1b[33mHard to see: Cyrillic \u{430} (U+0430) in place of a.\x1b[0m";
    assert!(shown.ends_with(expected), "{shown:?}");
}

#[test]
fn a_dropped_hunk_has_a_colour_of_its_own() {
    let mut review = middle();
    review.current = review.original.clone().unwrap();
    review.hunks[0].state = HunkState::Dropped;
    let shown = hunk(&review, &review.hunks[0], Inks { on: true });
    assert!(shown.contains("\n\x1b[90m-5\x1b[0m\n\x1b[90m+five\x1b[0m\n"), "{shown:?}");
}

#[test]
fn the_header_of_a_hunk_names_its_function() {
    let original =
        format!("impl Basket {{\n    fn total\x1b(&self) {{\n{}    }}\n", "        a();\n".repeat(9));
    let proposed = original.replacen("        a();\n    }", "        b();\n    }", 1);
    let mut review = review(&original, &proposed, vec![kept(lines(10, 11), lines(10, 11))]);
    let first = |review: &Review| hunk(review, &review.hunks[0], PLAIN).lines().next().unwrap().to_owned();
    assert_eq!(first(&review), r"@@ -8,5 +8,5 @@ in fn total\x1b(&self)");
    review.hunks[0].state = HunkState::Dropped;
    assert_eq!(first(&review), r"@@ -8,5 +8,5 @@ dropped so far, in fn total\x1b(&self)");
}

#[test]
fn the_context_is_the_text_that_would_be_written() {
    let (original, proposed) = ("1\n2\n3\n4\n5\n", "1\ntwo\n3\nfour\n5\n");
    let hunks = vec![kept(lines(1, 2), lines(1, 2)), kept(lines(3, 4), lines(3, 4))];
    let mut review = review(original, proposed, hunks);
    let shown = hunk(&review, &review.hunks[1], PLAIN);
    assert_eq!(shown, "@@ -1,5 +1,5 @@ ~ by change 1\n 1\n~two\n 3\n-4\n+four\n 5");
    assert_eq!(turn_hunk(&review, &review.hunks[1]), shown);
    review.hunks[0].state = HunkState::Dropped;
    review.current = "1\n2\n3\nfour\n5\n".into();
    // In a turn, a finish undoes the dropped change.
    for shown in [hunk(&review, &review.hunks[1], PLAIN), turn_hunk(&review, &review.hunks[1])] {
        assert!(shown.contains("@@\n 1\n 2\n 3\n-4"), "{shown}");
    }
}

#[test]
fn lines_of_each_neighbouring_change_are_marked_and_dimmed() {
    let (original, proposed) = ("1\n2\n3\n4\n5\n6\n", "one\n2\nthree\nmore\n4\n5\nsix\n");
    let hunks = vec![
        kept(lines(0, 1), lines(0, 1)),
        kept(lines(2, 3), lines(2, 4)),
        kept(lines(3, 4), lines(4, 4)),
        kept(lines(5, 6), lines(6, 7)),
    ];
    let mut review = review(original, proposed, hunks);
    let shown = hunk(&review, &review.hunks[1], Inks { on: true });
    assert!(shown.contains("@@ ~ by changes 1 and 4\x1b[0m\n\x1b[2m~one\x1b[0m\n 2\n"), "{shown:?}");
    assert!(shown.ends_with("\n 4\n 5\n\x1b[2m~six\x1b[0m"), "{shown:?}");
    // The person's own lines are no less those of another change.
    review.current = review.proposed.replace("six", "mine").into();
    review.hunks[3].state = HunkState::Edited;
    let shown = hunk(&review, &review.hunks[1], PLAIN);
    assert!(shown.ends_with("\n 5\n~mine"), "{shown}");
}

#[test]
fn dropped_hunks_show_the_proposal_edited_ones_the_edit() {
    let mut review = middle();
    review.current = review.original.clone().unwrap();
    review.hunks[0].state = HunkState::Dropped;
    let dropped = hunk(&review, &review.hunks[0], PLAIN);
    assert!(
        dropped.starts_with("@@ -2,7 +2,7 @@ dropped so far\n") && dropped.contains("-5\n+five\n"),
        "{dropped}"
    );
    review.current = Arc::from("1\n2\n3\n4\nfünf\nfünfeinhalb\n6\n7\n8\n9\n");
    review.hunks[0].current = lines(4, 6);
    review.hunks[0].state = HunkState::Edited;
    let edited = hunk(&review, &review.hunks[0], PLAIN);
    assert!(edited.starts_with("@@ -2,7 +2,8 @@ edited by hand\n"), "{edited}");
    assert!(edited.contains("-5\n+fünf\n+fünfeinhalb\n 6\n"), "{edited}");
}

#[test]
fn a_hunk_of_a_turn_has_the_line_numbers_of_the_disk() {
    let mut review = middle();
    review.hunks[0].state = HunkState::Dropped;
    // A hunk before it, of two added lines, is marked too.
    review.hunks[0].proposed = lines(6, 7);
    review.proposed = Arc::from(format!("0\n0\n{}", review.proposed));
    let shown = turn_hunk(&review, &review.hunks[0]);
    assert!(shown.starts_with("@@ -2,7 +4,7 @@ marked to be undone\n"), "{shown}");
}

#[test]
fn changed_line_endings_are_a_change_of_a_turn() {
    let hunk = kept(lines(0, 1), lines(0, 1));
    let review = |original, proposed| review(original, proposed, vec![hunk.clone()]);
    let to_crlf = review("a\n", "a\r\n");
    let shown = turn_hunk(&to_crlf, &hunk);
    assert!(shown.contains("\n-a\n+a\\r"), "{shown}");
    let to_lf = review("a\r\n", "a\n");
    let shown = turn_hunk(&to_lf, &hunk);
    assert!(shown.contains("\n-a\\r\n+a"), "{shown}");
    let crlf = review("a\r\n", "b\r\n");
    assert!(turn_hunk(&crlf, &hunk).ends_with("\n-a\n+b"));
}

#[test]
fn missing_final_newlines_are_shown_as_git_shows_them() {
    let review = review("a\nb", "a\nB\n", vec![kept(lines(1, 2), lines(1, 2))]);
    insta::assert_snapshot!(hunk(&review, &review.hunks[0], PLAIN), @r"
    @@ -1,2 +1,2 @@
     a
    -b
    \ No newline at end of file
    +B
    ");
}

#[test]
fn carriage_returns_are_printed_unless_each_line_has_one() {
    let uniform = review("a\r\nb\r\n", "a\r\nB\r\n", vec![kept(lines(1, 2), lines(1, 2))]);
    assert!(hunk(&uniform, &uniform.hunks[0], PLAIN).ends_with(" a\n-b\n+B"));
    assert!(header(&uniform, &[], PLAIN).ends_with("note: Its line endings are CRLF, and stay so."));
    let mixed = review("a\nb\n", "a\nB\r\n", vec![kept(lines(1, 2), lines(1, 2))]);
    assert!(hunk(&mixed, &mixed.hunks[0], PLAIN).ends_with("-b\n+B\\r"));
}

#[test]
fn very_long_lines_are_cut_and_harmless() {
    let long = format!("{}\x1b[2J{}\u{202e}", "x".repeat(1_990), "y".repeat(5_000));
    let review = review("", &format!("{long}\n"), vec![kept(lines(0, 0), lines(0, 1))]);
    let shown = hunk(&review, &review.hunks[0], PLAIN);
    // The words are about the part that was cut off, too.
    let end = "yyyyyy ... (4995 more characters)\nHard to see: right-to-left override U+202E.";
    assert!(shown.ends_with(end), "{}", &shown[shown.len() - 90..]);
    assert!(shown.contains("\\x1b[2J") && !shown.contains('\x1b'));
}

proptest::proptest! {
    #[test]
    fn no_ranges_make_it_panic((a, b, c) in (0usize..12, 0usize..12, 0usize..12), text: String) {
        let mut review = review("1\n2\n3\n", &text, vec![kept(lines(a, b), lines(b, c))]);
        review.hunks[0].current = lines(c, a);
        for state in [HunkState::Kept, HunkState::Dropped, HunkState::Edited] {
            review.hunks[0].state = state;
            let shown = hunk(&review, &review.hunks[0], PLAIN);
            proptest::prop_assert!(harmless::harmful(&shown).all(|(_, c)| matches!(c, '\t' | '\n')));
        }
    }
}
