//! Reviews as lines, to the character.

use std::sync::Arc;

use alongside_desk::{Hunk, HunkState, LineEnding, Lines, Position, Range, ReviewId, Words, harmless};

use super::*;
use crate::line_mode::pages::{MOST_LINES, rows_of};

const PLAIN: Inks = Inks { on: false };

const UNKNOWN_SIZE: Look = Look { inks: PLAIN, columns: None, rows: None };

/// The first page of a hunk where nobody knows the width.
fn hunk(review: &Review, hunk: &Hunk, inks: Inks) -> String {
    hunk_page(Origin::Proposal, review, hunk, Spot::default(), Look { inks, ..UNKNOWN_SIZE }).text
}

fn turn_hunk(review: &Review, hunk: &Hunk) -> String {
    hunk_page(Origin::Turn, review, hunk, Spot::default(), UNKNOWN_SIZE).text
}

/// The pages of the first hunk, one after the other.
fn pages(review: &Review, look: Look) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut at = Some(Spot::default());
    while let Some(from) = at {
        let page = hunk_page(Origin::Proposal, review, &review.hunks[0], from, look);
        at = page.next;
        pages.push(page);
    }
    pages
}

fn summary(review: &Review, roots: &[PathBuf]) -> String {
    super::summary(review, Seen::changes(1, 1), roots)
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
    Hunk {
        original,
        proposed,
        current: proposed,
        state: HunkState::Kept,
        words: None,
        limit: None,
        reason: None,
    }
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
fn a_change_that_nobody_would_see_is_said() {
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
fn a_reason_stands_below_its_change() {
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
fn words_that_differ_are_stressed_and_what_is_hard_to_see_is_a_warning() {
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
fn a_hunk_names_the_function_in_which_it_stands() {
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
fn lines_that_stay_are_cut_to_the_terminal_and_changed_ones_are_not() {
    let (long, other) = ("x".repeat(50), "y".repeat(50));
    let original = format!("\t{long}\nold {other}\n漢字{long}\n");
    let proposed = original.replace("old", "new");
    let review = review(&original, &proposed, vec![kept(lines(1, 2), lines(1, 2))]);
    let page = pages(&review, Look { columns: Some(30), ..UNKNOWN_SIZE }).remove(0);
    let shown: Vec<_> = page.text.lines().skip(1).collect();
    let (x, y) = ("x".repeat(21), "x".repeat(24));
    assert_eq!(shown[0], format!(" \t{x}…"));
    assert_eq!(shown[1..3], [format!("-old {other}"), format!("+new {other}")]);
    assert_eq!(shown[3], format!(" 漢字{y}…"));
}

#[test]
fn a_long_change_has_pages_and_each_is_seen_by_itself() {
    let (old, new) = ("o\n".repeat(3_000), "n\n".repeat(4_500));
    let review = review(
        &format!("first\n{old}"),
        &format!("first\n{new}"),
        vec![kept(lines(1, 3_001), lines(1, 4_501))],
    );
    let pages = pages(&review, UNKNOWN_SIZE);
    let counts = |page: &Page| (page.text.matches("\n-o").count(), page.text.matches("\n+n").count());
    let [first, second, last] = &*pages else { panic!("{}", pages.len()) };
    assert_eq!(counts(first), (2_000, 2_000));
    assert_eq!(first.seen, Some((lines(1, 2_001), lines(1, 2_001))));
    assert!(first.text.contains("@@\n first\n-o"), "{}", &first.text[..60]);
    assert!(
        first
            .text
            .ends_with("\n... (3500 more lines; m shows the next ones, e the whole text in your editor)")
    );
    assert_eq!(counts(second), (1_000, 2_000));
    assert_eq!(second.seen, Some((lines(2_001, 3_001), lines(2_001, 4_001))));
    assert!(second.text.starts_with("@@ -1,3001 +1,4501 @@ goes on"), "{}", &second.text[..60]);
    assert_eq!(counts(last), (0, 500));
}

#[test]
fn a_page_fits_the_height_of_the_terminal() {
    let text = |line: &str, count: usize| "same\n".repeat(5) + &line.repeat(count) + &"same\n".repeat(5);
    for (old, new) in [(40, 40), (0, 50), (3, 50), (50, 12), (8, 8)] {
        let of = kept(lines(5, 5 + old), lines(5, 5 + new));
        let review = review(&text("o\n", old), &text("n\n", new), vec![of]);
        for rows in [10, 24, 60] {
            let look = Look { inks: PLAIN, columns: Some(80), rows: Some(rows) };
            let mut seen = (0, 0);
            for page in pages(&review, look) {
                // The prompt has the last row.
                assert!(page.text.lines().count() < rows, "{old} {new} {rows}: {}", page.text);
                let (original, proposed) = page.seen.unwrap();
                seen = (seen.0 + original.len(), seen.1 + proposed.len());
            }
            assert_eq!(seen, (old, new), "{rows}");
        }
    }
}

#[test]
fn a_page_counts_the_rows_of_wrapped_lines_and_of_the_header() {
    let long = |line: &str, count: usize| format!("{}\n", line.repeat(30)).repeat(count);
    let all = kept(lines(0, 20), lines(0, 20));
    let review = review(&long("old ", 20), &long("new ", 20), vec![all]);
    let look = Look { columns: Some(40), rows: Some(24), ..UNKNOWN_SIZE };
    let all = pages(&review, look);
    assert!(all.iter().all(|page| rows_of(&page.text, look) < 24), "{}", all[0].text);
    let seen: usize = all.iter().map(|page| page.seen.unwrap().1.len()).sum();
    assert_eq!(seen, 20);
    let header = header(&review, &["/p".into()], PLAIN);
    let lower = &pages(&review, below(look, &header))[0];
    assert!(rows_of(&lower.text, look) + rows_of(&header, look) < 24, "{}", lower.text);
}

#[test]
fn a_line_that_is_higher_than_the_screen_has_a_page_of_its_own() {
    let review =
        review("", &format!("{}\n", "x".repeat(1_900)).repeat(3), vec![kept(lines(0, 0), lines(0, 3))]);
    let look = Look { columns: Some(40), rows: Some(24), ..UNKNOWN_SIZE };
    let seen: Vec<_> = pages(&review, look).iter().map(|page| page.seen.unwrap().1).collect();
    assert_eq!(seen, [lines(0, 1), lines(1, 2), lines(2, 3)]);
}

#[test]
fn the_context_is_the_text_that_would_be_written() {
    let (original, proposed) = ("1\n2\n3\n4\n5\n", "1\ntwo\n3\nfour\n5\n");
    let hunks = vec![kept(lines(1, 2), lines(1, 2)), kept(lines(3, 4), lines(3, 4))];
    let mut review = review(original, proposed, hunks);
    let shown = hunk(&review, &review.hunks[1], PLAIN);
    assert_eq!(shown, "@@ -1,5 +1,5 @@ ~ by change 1\n 1\n~two\n 3\n-4\n+four\n 5");
    review.hunks[0].state = HunkState::Dropped;
    review.current = "1\n2\n3\nfour\n5\n".into();
    assert!(hunk(&review, &review.hunks[1], PLAIN).contains("@@\n 1\n 2\n 3\n-4"));
    // Nothing of a turn is undone yet.
    let shown = turn_hunk(&review, &review.hunks[1]);
    assert!(shown.contains("@@ ~ by change 1\n 1\n~two\n 3\n-4"), "{shown}");
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
fn our_own_words_are_broken_at_blanks_only() {
    let look = Look { columns: Some(30), rows: Some(24), ..UNKNOWN_SIZE };
    let mut review = review(&"o\n".repeat(40), &"n\n".repeat(40), vec![kept(lines(0, 40), lines(0, 40))]);
    review.hunks[0].reason = Some("these words are more than one row has room for".into());
    let page = &pages(&review, look)[0];
    let (_, said) = page.text.split_once("\n... (").unwrap();
    let expected = " more lines; m shows\n  the next ones, e the whole\n  text in your editor)\n\
                    Why: these words are more than\n  one row has room for";
    assert_eq!(said.trim_start_matches(|c: char| c.is_ascii_digit()), expected);
}

#[test]
fn changes_that_are_decided_together_have_pages_too() {
    let line = |name: &str, count: usize| format!("{name}\n").repeat(count);
    let (original, proposed) = (line("old", 60), line("new", 60));
    let hunks = (0..20).map(|at| kept(lines(3 * at, 3 * at + 1), lines(3 * at, 3 * at + 1))).collect();
    let mut review = review(&original, &proposed, hunks);
    review.whole_file_only = Some("it is no text".into());
    let look = Look { columns: Some(80), rows: Some(24), ..UNKNOWN_SIZE };
    let (mut at, mut seen) = (Some(Spot::default()), 0);
    while let Some(from) = at {
        let pages = whole(Origin::Turn, &review, from, look);
        let rows: usize = pages.iter().map(|page| rows_of(&page.text, look)).sum();
        assert!(rows < 24, "{rows}");
        seen += pages.len();
        at = pages.iter().find_map(|page| page.next);
    }
    assert_eq!(seen, 20);
    let pages = whole(Origin::Turn, &review, Spot::default(), look);
    assert!(pages.last().unwrap().text.ends_with(" more; m shows the next ones)"));
    assert_eq!(whole(Origin::Turn, &review, Spot::default(), UNKNOWN_SIZE).len(), 20);
}

#[test]
fn an_edited_change_is_seen_once_its_last_page_is() {
    let mut review = review("old\n", "new\n", vec![kept(lines(0, 1), lines(0, 1))]);
    review.current = "mine\n".repeat(2_500).into();
    (review.hunks[0].state, review.hunks[0].current) = (HunkState::Edited, lines(0, 2_500));
    let page_of = |review: &Review, page: usize| pages(review, UNKNOWN_SIZE)[page].seen;
    assert_eq!(page_of(&review, 0), Some((lines(0, 1), lines(0, 0))));
    assert_eq!(page_of(&review, 1), Some((lines(1, 1), lines(0, 1))));
    review.proposed = "new\n".repeat(2_500).into();
    review.hunks[0].proposed = lines(0, 2_500);
    assert_eq!(page_of(&review, 0), Some((lines(0, 1), lines(0, 2_000))));
    assert_eq!(page_of(&review, 1), Some((lines(1, 1), lines(2_000, 2_500))));
}

#[test]
fn a_change_that_is_cut_is_not_seen() {
    let review = review("", &format!("{}\n", "x".repeat(9_000)), vec![kept(lines(0, 0), lines(0, 1))]);
    let pages = pages(&review, Look { columns: Some(80), ..UNKNOWN_SIZE });
    assert_eq!((pages[0].seen, pages.len()), (None, 1));
}

#[test]
fn a_text_without_changes_has_pages_too() {
    let mut review = review("", &"x\n".repeat(2_500), Vec::new());
    review.whole_file_only = Some("it is no text".into());
    let page = |from| whole(Origin::Proposal, &review, from, UNKNOWN_SIZE).remove(0);
    let first = page(Spot::default());
    assert_eq!(first.seen, Some((lines(0, 0), lines(0, 2_000))));
    assert!(first.text.ends_with("\n... (500 more lines; m shows the next ones)"));
    let last = page(first.next.unwrap());
    assert_eq!((last.seen, last.next), (Some((lines(0, 0), lines(2_000, 2_500))), None));
    let seen = super::summary(&review, Seen::lines(2_000, 2_500), &["/p".into()]);
    assert_eq!(seen, "src/a.rs: 500 of 2500 lines were not on the screen yet.");
    let all = super::summary(&review, Seen::lines(2_500, 2_500), &["/p".into()]);
    assert_eq!(all, "src/a.rs: you have seen all of it.");
}

#[test]
fn a_warning_above_a_review_has_its_colour() {
    let review = Review { stale: true, ..middle() };
    let shown = header(&review, &["/p".into()], Inks { on: true });
    assert!(shown.contains("  note: \x1b[33mThe file changed on disk; accepting undoes that change.\x1b[0m"));
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
fn line_ends_that_changed_are_a_change_of_a_turn() {
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
fn carriage_returns_show_only_where_they_are_not_the_rule() {
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
    assert!(shown.ends_with("yyyyyy ... (4995 more characters)"), "{}", &shown[shown.len() - 60..]);
    assert!(shown.contains("\\x1b[2J") && !shown.contains('\x1b'));
}

#[test]
fn a_flood_of_lines_is_cut_and_counted() {
    let review = review("", &"x\n".repeat(5_000), vec![kept(lines(0, 0), lines(0, 5_000))]);
    let shown = hunk(&review, &review.hunks[0], PLAIN);
    assert!(shown.starts_with("@@ -0,0 +1,5000 @@\n+x\n"), "{}", &shown[..40]);
    assert_eq!(shown.matches("\n+x").count(), MOST_LINES);
    assert!(
        shown.ends_with("\n... (3000 more lines; m shows the next ones, e the whole text in your editor)")
    );
}

#[test]
fn the_header_does_not_blame_the_agent_for_edits() {
    let mut review = middle();
    review.current = review.current.replace("8\n", "eight\nand a half\n").into();
    review.hunks.push(Hunk {
        original: lines(7, 8),
        proposed: lines(7, 8),
        current: lines(7, 9),
        state: HunkState::Edited,
        words: None,
        limit: None,
        reason: None,
    });
    let title = |review: &Review| header(review, &["/p".into()], PLAIN);
    insta::assert_snapshot!(title(&review), @"src/a.rs: Gemini CLI's proposal, 2 changes now (+3 -2)");
    review.hunks[0].state = HunkState::Dropped;
    insta::assert_snapshot!(title(&review), @"src/a.rs: Gemini CLI's proposal, 2 changes now (+2 -1)");
}

#[test]
fn the_header_names_file_agent_size_and_notes() {
    let mut review = middle();
    let roots = [PathBuf::from("/elsewhere"), PathBuf::from("/p")];
    let title = header(&review, &roots, PLAIN);
    insta::assert_snapshot!(title, @"p/src/a.rs: Gemini CLI proposes 1 change (+1 -1)");
    review.file = "/other/\x1b[31ma.rs".into();
    review.agent.name = "evil\u{202e}".into();
    review.file_line_ending = Some(LineEnding::Crlf);
    review.file_has_bom = Some(true);
    review.stale = true;
    review.dirty = true;
    insta::assert_snapshot!(header(&review, &roots, PLAIN), @r"
    /other/\x1b[31ma.rs: evil\u{202e} proposes 1 change (+1 -1)
      note: This file is outside the project: /other/\x1b[31ma.rs
      note: The file changed on disk; accepting undoes that change.
      note: An editor holds unsaved changes to the file.
      note: The file has CRLF line endings, the proposal LF (not shown below).
      note: The file begins with a byte-order mark, the proposal does not.
    ");
    let emptied = self::review("a\n", "", vec![kept(lines(0, 1), lines(0, 0))]);
    insta::assert_snapshot!(header(&emptied, &roots, PLAIN), @r"
    p/src/a.rs: Gemini CLI proposes an empty file (+0 -1)
      note: It empties the file.
    ");
    let mut new = self::review("", "a\nb\n", vec![kept(lines(0, 0), lines(0, 2))]);
    new.original = None;
    let title = header(&new, &roots, PLAIN);
    insta::assert_snapshot!(title, @"p/src/a.rs: Gemini CLI proposes a new file (+2 -0)");
    new.whole_file_only = Some("the file on disk is not text".into());
    insta::assert_snapshot!(header(&new, &roots, PLAIN), @r"
    p/src/a.rs: Gemini CLI proposes the whole file (+2 -0)
      note: You can only accept or reject this as a whole: the file on disk is not text.
    ");
}

#[test]
fn the_summary_counts_what_became_of_the_changes() {
    let mut review = middle();
    let roots = [PathBuf::from("/p/src")];
    insta::assert_snapshot!(summary(&review, &roots), @"a.rs: 1 change: 1 kept.");
    let unseen = super::summary(&review, Seen::changes(0, 1), &roots);
    assert_eq!(unseen, "a.rs: 1 change: 1 kept; seen 0 of 1 changes.");
    review.current = review.original.clone().unwrap();
    assert_eq!(
        summary(&review, &roots),
        "a.rs: nothing is left of the proposal; the file would stay as it is."
    );
    review.file_line_ending = Some(LineEnding::Crlf);
    let dropped = "a.rs: nothing is left of the proposal; the file would stay as it is.";
    assert_eq!(summary(&review, &roots), dropped);
    review.proposed = review.current.clone();
    assert_eq!(summary(&review, &roots), "a.rs: nothing but other line ends.");
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

#[test]
fn a_path_out_of_the_project_is_the_first_note() {
    let mut review = review("a\n", "b\n", Vec::new());
    review.whole_file_only = Some("the file on disk is not text".into());
    review.outside = Some("/home/somebody/.ssh/config\x1b[8m".into());
    review.in_git = Some("/p/.git/hooks/a\x1b".into());
    let header = header(&review, &["/p".into()], PLAIN);
    let notes: Vec<_> = header.lines().skip(1).take(2).collect();
    assert_eq!(
        notes,
        [
            r"  note: This path leads outside the project, to /home/somebody/.ssh/config\x1b[8m",
            r"  note: Git runs or obeys this file: /p/.git/hooks/a\x1b"
        ]
    );
}
