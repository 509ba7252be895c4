//! Tests with texts of 10 MB and lines of 1 MB: lines that are not on the screen cost nothing.

use super::*;
use crate::review_page::texts::LINES_READ;

fn lines_read(work: impl FnOnce()) -> usize {
    let before = LINES_READ.get();
    work();
    LINES_READ.get() - before
}

#[test]
fn drawing_reads_only_lines_on_the_screen() {
    let line = "a line of a file that is as long as lines of files are";
    let mut diff = String::new();
    for at in 0..200_000 {
        if at % 500 == 250 {
            diff += &format!("-{line} {at}\n+{line} {at}!\n");
        } else {
            diff += &format!(" {line} {at}\n");
        }
    }
    let review = review(&diff);
    assert!(review.current.len() > 10_000_000 && review.hunks.len() == 400);
    let mut page = Page::new(&review, Layout::SideBySide);
    let eyes = Eyes::new(Depth::Indexed);
    for row in (0..page.rows()).rev() {
        page.toggle_fold(row);
    }
    assert!(page.rows() > 200_000);
    let opened = page.rows();
    for top in [0, opened / 3, opened - 40, opened + 7] {
        let options = DrawOptions { hunk: None, ..eyes.options() };
        let mut buf = Buffer::empty(Rect::new(0, 0, 120, 40));
        let read = lines_read(|| draw(&page, &mut buf, Rect::new(0, 0, 120, 40), top, &options));
        assert!(read <= 2 * 40, "{read} lines for 40 rows");
        assert!(page.lines_in(top..top + 40).iter().map(|(_, lines)| lines.len()).sum::<usize>() <= 2 * 40);
    }
    let read = lines_read(|| {
        page.update(&review);
        page.relayout(Layout::OneColumn);
        let found = Needle::new("199999").unwrap().all_in(page.content());
        assert_eq!(
            found.iter().map(|found| page.line_at(found.row_in(&page))).collect::<Vec<_>>(),
            [200_000]
        );
    });
    assert_eq!(read, 0, "a new revision, a new layout and a search measure no lines");
}

#[test]
fn wrapping_changes_measures_changed_lines_only() {
    let unchanged: String = (0..10_000).map(|at| format!(" {at}\n")).collect();
    let long = "word ".repeat(60);
    let review = review(&format!("-{long}\n+{long}!\n{unchanged}"));
    let form = PageForm { layout: Layout::SideBySide, wrap: Wrap::Changes(120) };
    let read = lines_read(|| {
        let mut page = Page::new(&review, form);
        page.toggle_fold(page.rows() - 1);
        assert!(page.rows() > 10_000);
    });
    assert!(read <= 2 * 2 * 4, "{read} lines");
}

#[test]
fn a_line_of_a_megabyte_is_drawn_from_any_column() {
    let long = "0123456789".repeat(100_000);
    let page = Page::new(&review(&format!("-{long}\n+{long}!\n")), Layout::OneColumn);
    let mut eyes = Eyes::new(Depth::None);
    eyes.sideways = 999_990;
    insta::assert_snapshot!(text(&eyes.drawn(&page, 40, 2)), @r#"
    ▌1   - …123456789
    ▌  1 + …123456789!
    "#);
    assert_eq!(page.max_sideways(0..2, 40), 1_000_001 - (40 - 1 - 4 - 2));
}

#[test]
fn a_cluster_of_a_megabyte_is_split() {
    let marks = "\u{301}".repeat(500_000);
    let page = Page::new(&review(&format!("+e{marks}\n")), Layout::OneColumn);
    let drawn = Eyes::new(Depth::None).drawn(&page, 60, 1);
    let longest = drawn.content.iter().map(|cell| cell.symbol().len()).max();
    assert!(longest <= Some(64), "{longest:?} bytes in a cell");
    assert!(line(&drawn, 0).contains("\\u{301}"));
}

#[test]
fn a_line_of_a_megabyte_is_wrapped() {
    let long = "0123456789".repeat(100_000);
    let review = review(&format!("-{long}\n+{long}!\n"));
    let page = Page::new(&review, PageForm { layout: Layout::OneColumn, wrap: Wrap::All(40) });
    let room = 40 - 1 - 4 - 2;
    assert_eq!(page.rows(), 2 * 1_000_000usize.div_ceil(room));
    let last = Needle::new("9!").unwrap();
    assert_eq!(
        last.all_in(page.content()).iter().map(|found| found.row_in(&page)).collect::<Vec<_>>(),
        [page.rows() - 1]
    );
}
