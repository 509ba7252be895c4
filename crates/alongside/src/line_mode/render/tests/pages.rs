//! Tests of the pages of a hunk that is longer than the screen.

use alongside_desk::review_model::OpenReview;
use alongside_desk::{Change, Changed, fuzzing};

use super::*;
use crate::line_mode::pages::{MAX_LINES, rows_of};
use crate::line_mode::printed::PrintedReviews;

/// Returns the pages of the first hunk.
fn pages(review: &Review, layout: Layout) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut at = Some(Spot::default());
    while let Some(from) = at {
        let page = hunk_page(Origin::Proposal, review, &review.hunks[0], from, layout);
        at = page.next;
        pages.push(page);
    }
    pages
}

#[test]
fn only_lines_of_context_are_cut_to_the_terminal_width() {
    let (long, other) = ("x".repeat(50), "y".repeat(50));
    let original = format!("\t{long}\nold {other}\n漢字{long}\n");
    let proposed = original.replace("old", "new");
    let review = review(&original, &proposed, vec![kept(lines(1, 2), lines(1, 2))]);
    let page = pages(&review, Layout { columns: Some(30), ..UNKNOWN_SIZE }).remove(0);
    let shown: Vec<_> = page.text.lines().skip(1).collect();
    let (x, y) = ("x".repeat(21), "x".repeat(24));
    assert_eq!(shown[0], format!(" \t{x}…"));
    assert_eq!(shown[1..3], [format!("-old {other}"), format!("+new {other}")]);
    assert_eq!(shown[3], format!(" 漢字{y}…"));
}

#[test]
fn a_long_hunk_has_pages_that_are_each_seen_separately() {
    let (old, new) = ("o\n".repeat(3_000), "n\n".repeat(4_500));
    let review = review(
        &format!("first\n{old}"),
        &format!("first\n{new}"),
        vec![kept(lines(1, 3_001), lines(1, 4_501))],
    );
    let pages = pages(&review, UNKNOWN_SIZE);
    let counts = |page: &Page| (page.text.matches("\n-o").count(), page.text.matches("\n+n").count());
    let [first, second, last] = &*pages else { panic!("{} pages instead of 3", pages.len()) };
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
        let hunks = vec![kept(lines(5, 5 + old), lines(5, 5 + new))];
        let review = review(&text("o\n", old), &text("n\n", new), hunks);
        for rows in [10, 24, 60] {
            let layout = Layout { inks: PLAIN, columns: Some(80), rows: Some(rows) };
            let mut seen = (0, 0);
            for page in pages(&review, layout) {
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
    let hunks = vec![kept(lines(0, 20), lines(0, 20))];
    let review = review(&long("old ", 20), &long("new ", 20), hunks);
    let layout = Layout { columns: Some(40), rows: Some(24), ..UNKNOWN_SIZE };
    let pages_without_header = pages(&review, layout);
    let fits = |page: &Page| rows_of(&page.text, layout) < 24;
    assert!(pages_without_header.iter().all(fits), "{}", pages_without_header[0].text);
    let seen: usize = pages_without_header.iter().map(|page| page.seen.unwrap().1.len()).sum();
    assert_eq!(seen, 20);
    let header = header(&review, &["/p".into()], PLAIN);
    let page_below_header = &pages(&review, layout_below(layout, &header))[0];
    let rows = rows_of(&page_below_header.text, layout) + rows_of(&header, layout);
    assert!(rows < 24, "{}", page_below_header.text);
}

#[test]
fn a_line_that_is_higher_than_the_screen_has_a_page_of_its_own() {
    let review =
        review("", &format!("{}\n", "x".repeat(1_900)).repeat(3), vec![kept(lines(0, 0), lines(0, 3))]);
    let layout = Layout { columns: Some(40), rows: Some(24), ..UNKNOWN_SIZE };
    let seen: Vec<_> = pages(&review, layout).iter().map(|page| page.seen.unwrap().1).collect();
    assert_eq!(seen, [lines(0, 1), lines(1, 2), lines(2, 3)]);
}

#[test]
fn hints_and_reasons_are_wrapped_at_spaces() {
    let layout = Layout { columns: Some(30), rows: Some(24), ..UNKNOWN_SIZE };
    let mut review = review(&"o\n".repeat(40), &"n\n".repeat(40), vec![kept(lines(0, 40), lines(0, 40))]);
    review.hunks[0].reason = Some("these words are more than one row has room for".into());
    let page = &pages(&review, layout)[0];
    let (_, footer) = page.text.split_once("\n... (").unwrap();
    let expected = " more lines; m shows\n  the next ones, e the whole\n  text in your editor)\n\
                    Why: these words are more than\n  one row has room for";
    assert_eq!(footer.trim_start_matches(|c: char| c.is_ascii_digit()), expected);
}

#[test]
fn changes_that_are_decided_together_have_pages_too() {
    let line = |name: &str, count: usize| format!("{name}\n").repeat(count);
    let (original, proposed) = (line("old", 60), line("new", 60));
    let hunks = (0..20).map(|at| kept(lines(3 * at, 3 * at + 1), lines(3 * at, 3 * at + 1))).collect();
    let mut review = review(&original, &proposed, hunks);
    review.whole_file_only = Some("it is no text".into());
    let layout = Layout { columns: Some(80), rows: Some(24), ..UNKNOWN_SIZE };
    let (mut at, mut seen) = (Some(Spot::default()), 0);
    while let Some(from) = at {
        let pages = whole(Origin::Turn, &review, from, layout);
        let rows: usize = pages.iter().map(|page| rows_of(&page.text, layout)).sum();
        assert!(rows < 24, "{rows}");
        seen += pages.len();
        at = pages.iter().find_map(|page| page.next);
    }
    assert_eq!(seen, 20);
    let pages = whole(Origin::Turn, &review, Spot::default(), layout);
    assert!(pages.last().unwrap().text.ends_with(" more; m shows the next ones)"));
    assert_eq!(whole(Origin::Turn, &review, Spot::default(), UNKNOWN_SIZE).len(), 20);
}

#[test]
fn an_edited_change_is_seen_once_its_last_page_is_printed() {
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
fn a_cut_change_is_not_seen() {
    let review = review("", &format!("{}\n", "x".repeat(9_000)), vec![kept(lines(0, 0), lines(0, 1))]);
    let pages = pages(&review, Layout { columns: Some(80), ..UNKNOWN_SIZE });
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
    let seen = super::summary(&review, SeenPart::lines(2_000, 2_500), &["/p".into()]);
    let file = format!("src{}a.rs", std::path::MAIN_SEPARATOR);
    assert_eq!(seen, format!("{file}: 500 of 2500 lines were not on the screen yet."));
    let all = super::summary(&review, SeenPart::lines(2_500, 2_500), &["/p".into()]);
    assert_eq!(all, format!("{file}: you have seen all of it."));
}

#[test]
fn a_hunk_beyond_the_limit_is_cut_and_the_rest_counted() {
    let review = review("", &"x\n".repeat(5_000), vec![kept(lines(0, 0), lines(0, 5_000))]);
    let shown = hunk(&review, &review.hunks[0], PLAIN);
    assert!(shown.starts_with("@@ -0,0 +1,5000 @@\n+x\n"), "{}", &shown[..40]);
    assert_eq!(shown.matches("\n+x").count(), MAX_LINES);
    assert!(
        shown.ends_with("\n... (3000 more lines; m shows the next ones, e the whole text in your editor)")
    );
}

fn bytes_indexed(work: impl FnOnce()) -> usize {
    let before = fuzzing::bytes_indexed();
    work();
    fuzzing::bytes_indexed() - before
}

#[test]
fn a_key_looks_for_no_lines_in_texts_that_stay() {
    let text = |changed: &str| -> String {
        let line =
            |at: usize| if at % 100 == 50 { format!("{changed} {at}\n") } else { format!("line {at}\n") };
        (0..10_000).map(line).collect()
    };
    let hunk = |at| kept(lines(at, at + 1), lines(at, at + 1));
    let hunks: Vec<_> = (0..100).map(|number| hunk(100 * number + 50)).collect();
    let mut open = OpenReview::new(review(&text("old"), &text("new"), hunks.clone()));
    let print = |open: &OpenReview, number: usize| {
        let pages = place(open.review(), number, Spot::default(), UNKNOWN_SIZE);
        let changed = 100 * number + 50;
        let shown = format!("\n-old {changed}\n+new {changed}\n line {}\n", changed + 1);
        assert!(pages[0].text.contains(&shown), "{}", pages[0].text);
    };
    assert!(bytes_indexed(|| print(&open, 0)) > 0, "the lines of the texts are found once");
    assert_eq!(bytes_indexed(|| (1..100).for_each(|number| print(&open, number))), 0);
    let seen = PrintedReviews::default().seen(open.review());
    let around = || (header(open.review(), &[], PLAIN), summary(open.review(), seen, &[]));
    assert_eq!(bytes_indexed(|| assert!(around().1.ends_with("seen 0 of 100 changes."))), 0);

    let mut hunks = hunks;
    hunks[3].state = HunkState::Dropped;
    let at = |line| Position { line, character: 0 };
    let changes =
        vec![Change { range: Some(Range { start: at(350), end: at(351) }), text: "old 350\n".into() }];
    let dropped = Changed { id: ReviewId(1), from: 1, revision: 2, changes, hunks, ..Changed::default() };
    let taken = bytes_indexed(|| assert!(open.take(dropped).unwrap().content_changed));
    assert!(taken < open.review().current.len(), "{taken}: once, and only behind the change");
    assert_eq!(bytes_indexed(|| (2..6).for_each(|number| print(&open, number))), 0);
}
