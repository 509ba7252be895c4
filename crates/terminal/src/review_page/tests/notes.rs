//! Tests of notes on a page.

use super::super::{NoteKind, NoteLine, NotePlace, PageLines, PageNote};
use super::*;

fn note(place: NotePlace, words: &str) -> PageNote {
    let line = |text: &str| NoteLine { text: text.into(), kind: NoteKind::Words };
    PageNote { place, covers: 1, lines: words.lines().map(line).collect() }
}

fn wrapped(layout: Layout, width: u16) -> PageForm {
    PageForm { layout, wrap: Wrap::Changes(width) }
}

fn noted() -> Review {
    review(&format!("{}-old\n-older\n+new\n+newer\n+newest\n{}", same(1..=12), same(15..=30)))
}

fn notes() -> Vec<PageNote> {
    vec![
        note(NotePlace::Top, "about the file\u{1b}[2J"),
        note(NotePlace::BelowNew(13), "Why? Nobody asked for this line, and it is longer than one row."),
        note(NotePlace::BelowOld(12), "Keep this."),
        note(NotePlace::BelowNew(2), "shown with its line"),
        note(NotePlace::BelowNew(900), "its line is nowhere"),
    ]
}

#[test]
fn notes_are_below_their_lines_wrapped_and_escaped() {
    for (name, layout, width) in
        [("notes_side_by_side", Layout::SideBySide, 90), ("notes_in_one_column", Layout::OneColumn, 44)]
    {
        let mut page = Page::new(&noted(), wrapped(layout, width));
        assert!(page.set_notes(&notes()) && !page.set_notes(&notes()));
        insta::assert_snapshot!(name, shown(&page, width));
    }
}

#[test]
fn a_line_with_a_note_is_in_no_fold() {
    let mut page = Page::new(&noted(), wrapped(Layout::OneColumn, 44));
    let of_two_lines = PageNote { covers: 2, ..note(NotePlace::BelowOld(22), "Why?") };
    page.set_notes(&[of_two_lines, note(NotePlace::BelowNew(25), "And this?")]);
    let shown = shown(&page, 44);
    let below: Vec<_> = shown.lines().skip(9).collect();
    let expected = [
        " 15 16   line 15",
        " 16 17   line 16",
        " 17 18   line 17",
        "       ⋯ 3 unchanged lines",
        " 21 22   line 21",
        " 22 23   line 22",
        " 23 24   line 23",
        "         Why?",
        " 24 25   line 24",
        " 25 26   line 25",
        "         And this?",
        " 26 27   line 26",
        "       ⋯ 4 unchanged lines",
    ];
    assert_eq!(below, expected);
    let rows = page.rows();
    assert!(page.toggle_fold(rows - 1) && page.rows() == rows + 4);
    assert!(page.toggle_fold(rows - 1) && page.rows() == rows);
}

#[test]
fn rows_are_found_again_when_notes_come_and_go() {
    let mut page = Page::new(&noted(), wrapped(Layout::OneColumn, 44));
    let (before, last) = (page.rows(), RowIdentity::of(&page, page.rows() - 1));
    page.set_notes(&notes());
    assert_eq!(last.row_in(&page), page.rows() - 1);
    assert!(page.rows() > before + 5);
    // Every row of a line is found again. For a row of a note, a row of its line is found.
    for row in 0..page.rows() {
        let unwrapped = page.unwrapped(row);
        let line = page.rows_of_line(unwrapped);
        let wanted = if row < line.start { page.rows_of(unwrapped).start } else { row.min(line.end - 1) };
        assert_eq!(RowIdentity::of(&page, row).row_in(&page), wanted, "row {row}");
    }
    let hunk = page.hunk_rows(0);
    assert!(page.hunk_at(hunk.end - 1) == Some(0) && page.hunk_at(hunk.end) != Some(0));
    page.set_notes(&[]);
    assert_eq!(page.rows(), before);
}

#[test]
fn only_chosen_lines_are_highlighted() {
    let page = Page::new(&noted(), wrapped(Layout::OneColumn, 44));
    let eyes = Eyes::new(Depth::None);
    let chosen = |is_old: bool, lines: std::ops::Range<usize>| {
        let chosen = PageLines { is_old, lines };
        let mut buf = Buffer::empty(Rect::new(0, 0, 44, 30));
        let options = DrawOptions { chosen: Some(chosen.clone()), ..eyes.options() };
        draw(&page, &mut buf, Rect::new(0, 0, 44, 30), 0, &options);
        let marked = (0..30).filter(|y| line(&buf, *y).starts_with('▌'));
        let words = marked.map(|y| line(&buf, y).split_whitespace().last().unwrap().to_owned());
        (words.collect::<Vec<_>>().join(" "), page.rows_of_lines(&chosen))
    };
    assert_eq!(chosen(false, 13..15), ("newer newest".into(), Some(7..9)));
    assert_eq!(chosen(true, 12..13), ("old".into(), Some(4..5)));
    assert_eq!(chosen(false, 900..901), (String::new(), None));
}
