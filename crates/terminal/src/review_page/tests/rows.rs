//! Tests of the rows of a page: hunks, folds and matches, and rows that are found again after a change.

use super::*;

fn far_apart() -> String {
    format!("{}-old\n+new\n{}-b\n+c\n{}", same(1..=20), same(22..=60), same(62..=100))
}

#[test]
fn hunks_know_their_rows_and_rows_their_hunks() {
    let page = Page::new(&review(&far_apart()), Layout::OneColumn);
    // Fold, three lines, the hunk, three lines, fold, three lines, the hunk, three lines, fold.
    assert_eq!((page.hunk_rows(0), page.hunk_rows(1), page.rows()), (4..6, 13..15, 19));
    assert_eq!(page.hunk_rows(2), 0..0);
    assert_eq!([3, 4, 5, 6].map(|row| page.hunk_at(row)), [None, Some(0), Some(0), None]);
    assert_eq!([0, 1, 4, 5, 9, 13, 18, 99].map(|row| page.line_at(row)), [1, 18, 21, 21, 25, 61, 65, 1]);
}

#[test]
fn adjacent_hunks_without_current_lines_have_own_rows() {
    let page = Page::new(&review(" a\n-b\n|\n-c\n|\n-d\n e\n"), Layout::SideBySide);
    assert_eq!([0, 1, 2].map(|hunk| page.hunk_rows(hunk)), [1..2, 2..3, 3..4]);
    assert_eq!(page.line_at(2), 2, "the line at which the removed lines were");
}

#[test]
fn opened_folds_stay_open_and_rows_are_found_again() {
    let before = review(&far_apart());
    let mut page = Page::new(&before, Layout::SideBySide);
    assert_eq!(page.fold_near(5, 0..page.rows()), Some(8));
    let fold = RowIdentity::of(&page, 8);
    assert!(page.toggle_fold(8));
    assert_eq!(fold.row_in(&page), 8, "the row of an open fold is found again");
    assert!(!page.toggle_fold(7), "no fold there");
    assert_eq!(page.rows(), 17 + 33);
    let reading = RowIdentity::of(&page, 20);
    assert_eq!(page.line_at(20), 36);

    let after = review(&far_apart().replace("+new\n", "+new\n~much\n~more\n~of\n~it\n"));
    page.update(&after);
    assert_eq!(page.rows(), 17 + 33 + 3, "still open");
    assert_eq!(reading.row_in(&page), 23);
    assert_eq!(page.line_at(23), 39);
    page.relayout(Layout::OneColumn);
    assert_eq!(page.line_at(reading.row_in(&page)), 39);
    assert!(page.toggle_fold(reading.row_in(&page)), "an open fold closes from any of its rows");
    assert_eq!(page.line_at(reading.row_in(&page)), 28, "its first hidden line, after the edit");
}

#[test]
fn more_lines_become_visible_around_changes_until_all_are() {
    let mut page = Page::new(&review(&far_apart()), Layout::OneColumn);
    let reading = RowIdentity::of(&page, 4);
    assert_eq!(page.change_context(false), None, "never fewer than at first");
    assert_eq!(page.change_context(true), Some(8));
    assert_eq!((page.rows(), page.line_at(reading.row_in(&page))), (19 + 4 * 5, 21));
    let mut context = 8;
    while let Some(more) = page.change_context(true) {
        assert_eq!(more, context + 5);
        context = more;
    }
    assert_eq!((context, page.rows()), (38, 102), "no fold is left");
    assert_eq!(page.change_context(false), Some(33));
    while page.change_context(false).is_some() {}
    assert_eq!((page.rows(), reading.row_in(&page)), (19, 4));
}

#[test]
fn a_row_of_a_hunk_is_found_again_after_edits() {
    let before = review(" a\n-b\n+c\n+d\n e\n");
    let mut page = Page::new(&before, Layout::OneColumn);
    let row = RowIdentity::of(&page, 3);
    page.update(&review(" a\n-b\n+c\n+d\n~m\n e\n"));
    assert_eq!(row.row_in(&page), 2, "the last row of the hunk, which is shorter now");
    page.update(&review(" a\n b\n e\n"));
    assert!(row.row_in(&page) < page.rows());
}

#[test]
fn an_open_fold_stays_open_when_another_fold_comes_before() {
    let text = format!("{}-old\n+new\n{}", same(1..=20), same(22..=60));
    let mut page = Page::new(&review(&text), Layout::OneColumn);
    let last = page.rows() - 1;
    assert!(page.toggle_fold(last));
    // An edit far above adds a fold before the open one.
    let edited = text.replace(" line 5\n", "-line 5\n+line 5\n~mine\n");
    page.update(&review(&edited));
    let folds: Vec<_> =
        shown(&page, 60).lines().filter(|line| line.contains("unchanged")).map(String::from).collect();
    assert_eq!(folds.len(), 2, "{folds:?}");
    assert!(folds[0].contains("⋯ 9 ") && folds[1].contains("▾ 36 "), "{folds:?}");
}

#[test]
fn an_edit_within_an_opened_fold_leaves_its_lines_visible() {
    let text = format!("-old\n+new\n{}-b\n+c\n", same(1..=61));
    let mut page = Page::new(&review(&text), Layout::SideBySide);
    assert!(page.toggle_fold(4));
    let edited = review(&text.replace(" line 31\n", "-line 31\n+line 31\n~mine\n"));
    assert_eq!(
        shown(&Page::new(&edited, Layout::SideBySide), 60).matches("⋯ 24 ").count(),
        2,
        "a new page folds these lines"
    );
    page.update(&edited);
    let shown = shown(&page, 60);
    assert_eq!(shown.matches("▾ 24 ").count(), 2, "{shown}");
    assert!(shown.contains("~ mine") && shown.contains("line 10") && shown.contains("line 50"), "{shown}");
}

#[test]
fn an_undone_edit_leaves_opened_lines_visible() {
    let text = format!("-old\n+new\n{}-b\n+c\n", same(1..=61));
    let edited = review(&text.replace(" line 31\n", "-line 31\n+line 31\n~mine\n"));
    let mut page = Page::new(&edited, Layout::SideBySide);
    let second = page.hunk_rows(1).end + 3;
    assert!(page.toggle_fold(second));
    assert!(shown(&page, 60).contains("line 50") && !shown(&page, 60).contains("line 10"));
    page.update(&review(&text));
    assert!(shown(&page, 60).contains("line 50"), "{}", shown(&page, 60));
}

#[test]
fn the_sentence_on_what_is_hard_to_see_belongs_to_its_change() {
    let page = Page::new(&review("-    a\n+\ta\n"), Layout::OneColumn);
    let mut seen = SeenLines::default();
    let mut read = |rows: std::ops::Range<usize>| {
        for line in ShownLine::all_in(&page, rows) {
            seen.insert(line);
        }
        seen.part_of(&page)
    };
    assert_eq!(read(0..2).text(), "seen 1 of 2 lines");
    assert_eq!(
        read(0..2).unseen(),
        "1 of 2 lines was not on the screen yet, and the change has something hard to see."
    );
    assert!(read(2..3).is_all());
}

#[test]
fn a_change_larger_than_the_screen_reports_its_visible_part() {
    let lines: String = (0..100).map(|n| format!("+{n}\n")).collect();
    let page = Page::new(&review(&format!(" a\n b\n{lines} c\n")), Layout::OneColumn);
    assert_eq!(page.visible_part(0, 0..20), Some((1..19, 100)));
    assert_eq!(page.visible_part(0, 22..42), Some((21..41, 100)));
    assert_eq!(page.visible_part(0, 83..103), Some((82..101, 100)), "the line behind it does not count");
    assert_eq!(page.visible_part(0, 0..200), None);
    assert_eq!(page.visible_part(1, 0..20), Some((1..21, 103)), "without a change, the text counts");
}

#[test]
fn few_lines_are_not_folded() {
    let rows = |between: usize| {
        let text = format!("-b\n+c\n{}-d\n+e\n", same(1..=between));
        Page::new(&review(&text), Layout::SideBySide).rows()
    };
    assert_eq!([8, 9, 10].map(rows), [2 + 8, 2 + 7, 2 + 7]);
}

#[test]
fn matches_are_in_the_order_of_the_rows_also_in_folds() {
    let page = Page::new(&review(&far_apart()), Layout::OneColumn);
    let lines = |needle: &str| {
        let found = Needle::new(needle).unwrap().all_in(page.content());
        found.iter().map(|found| (found.row_in(&page), found.columns_in(page.content()))).collect::<Vec<_>>()
    };
    assert_eq!(lines("line 19"), [(2, 0..7)], "in a visible line");
    assert_eq!(lines("LINE 19"), [], "a capital letter makes the search case-sensitive");
    assert_eq!(lines("OLD"), []);
    assert_eq!(lines("old"), [(4, 0..3)], "in the original");
    assert_eq!(lines("line 40"), [(9, 0..7)], "in a fold");
    assert_eq!(
        lines("e 6").iter().map(|found| found.0).collect::<Vec<_>>(),
        [0, 12, 15, 16, 17, 18, 18, 18, 18, 18]
    );
    assert_eq!(lines("nowhere"), []);
    assert!(Needle::new("").is_none());
}

#[test]
fn a_match_in_a_fold_is_revealed() {
    let mut page = Page::new(&review(&far_apart()), Layout::OneColumn);
    let found = Needle::new("line 40").unwrap().all_in(page.content())[0];
    found.reveal_in(&mut page);
    assert_eq!((found.row_in(&page), page.rows()), (9 + 16, 19 + 33));
    found.reveal_in(&mut page);
    assert_eq!(page.rows(), 19 + 33, "an open fold stays open");
}

#[test]
fn matches_on_both_sides_count_from_left_to_right() {
    let text = " a\n-one\n-two two\n+three\n+four\n+five\n b\n|\n-five\nxsix\n";
    let rows = |page: &Page, needle: &str| {
        let found = Needle::new(needle).unwrap().all_in(page.content());
        found.iter().map(|found| found.row_in(page)).collect::<Vec<_>>()
    };
    let beside = Page::new(&review(text), Layout::SideBySide);
    assert_eq!(rows(&beside, "o"), [1, 2, 2, 2], "one, two twice, four");
    assert_eq!(rows(&beside, "a"), [0], "an unchanged line counts once");
    assert_eq!(rows(&beside, "i"), [3, 5, 7], "lines that stay count once, and dropped lines count too");
    let below = Page::new(&review(text), Layout::OneColumn);
    assert_eq!(rows(&below, "o"), [1, 2, 2, 4]);
    assert_eq!(rows(&below, "i"), [5, 7, 9]);
}
