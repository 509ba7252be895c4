//! Tests of changes that the person accepted before they were written: each is folded to one row.

use alongside_desk::review_model::SeenPart;

use super::*;

fn two_changes() -> String {
    format!("{}-old\n+new\n{}-b\n+c\n{}", same(1..=20), same(22..=60), same(62..=100))
}

const FIRST: Lines = Lines { start: 20, end: 21 };

#[test]
fn an_accepted_change_is_one_row_until_it_is_opened() {
    let mut page = Page::new(&review(&two_changes()), Layout::OneColumn);
    let reading = RowIdentity::of(&page, 14);
    assert!(page.set_accepted(&[FIRST]) && !page.set_accepted(&[FIRST]));
    assert_eq!((page.hunk_rows(0), page.hunk_rows(1), page.rows()), (4..5, 12..14, 18));
    assert_eq!((reading.row_in(&page), page.hunk_at(4)), (13, Some(0)));
    assert_eq!(SeenLines::default().part_of(&page), SeenPart::changes(1, 2), "it counts as seen");
    assert_eq!(page.visible_part(0, 4..5), None);
    assert_eq!((page.fold_near(4, 0..18), page.fold_near(13, 10..14)), (Some(4), None));
    assert!(page.toggle_fold(4));
    assert_eq!((page.hunk_rows(0), page.rows()), (4..6, 19));
    assert_eq!(SeenLines::default().part_of(&page), SeenPart::changes(0, 2));
    page.relayout(Layout::SideBySide);
    assert_eq!(page.hunk_rows(0), 4..5, "open, and its lines beside each other");
    page.relayout(Layout::OneColumn);
    assert!(page.toggle_fold(5), "from any of its rows");
    assert_eq!(page.hunk_rows(0), 4..5);
    assert!(!page.toggle_fold(12), "the other change was not accepted");
}

#[test]
fn a_search_opens_an_accepted_change() {
    let mut page = Page::new(&review(&two_changes()), Layout::OneColumn);
    page.set_accepted(&[FIRST]);
    let found = Needle::new("new").unwrap().all_in(page.content());
    assert_eq!(found[0].row_in(&page), 4);
    found[0].reveal_in(&mut page);
    assert_eq!((found[0].row_in(&page), page.rows()), (5, 19));
}

#[test]
fn an_accepted_change_that_is_marked_is_visible() {
    let mut page = Page::new(&review(&two_changes()), Layout::OneColumn);
    page.set_accepted(&[FIRST]);
    page.update(&review(&two_changes().replace("+new", "xnew")));
    assert_eq!(page.hunk_rows(0), 4..7, "the line that stays, the words, and the line that is not written");
    page.update(&review(&two_changes()));
    assert_eq!(page.hunk_rows(0), 4..5);
}
