//! Properties of pages: every line has a row, only the area is drawn, and columns stay aligned.

use proptest::prelude::*;

use super::*;
use crate::review_page::texts::Side;
use crate::review_page::unwrapped_row::{Cell, Row};
use crate::text::width::{Shown, Units};

/// Lines that are hard to draw.
fn hard_line() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "a",
        "word ",
        "\t",
        "漢",
        "字",
        "e\u{301}",
        "😀",
        "\u{202e}",
        "\u{1b}",
        "\u{200d}",
        "\u{301}",
        "👍🏽",
        "🇩🇪",
        "ｶﾞ",
        "\u{fe0f}",
        "क्षि",
        "\r",
        "\u{0}",
        "한",
    ]);
    proptest::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

fn any_diff() -> impl Strategy<Value = String> {
    let sign =
        proptest::sample::select(vec![" ", " ", " ", " ", " ", " ", "-", "+", "-", "+", "x", "~", "i"]);
    proptest::collection::vec((sign, hard_line(), 1..6usize), 0..40).prop_map(|rows| {
        let mut diff = String::new();
        for (sign, line, times) in rows {
            let lines = format!("{sign}{line}\n").repeat(times);
            // A hunk has lines of one kind, and lines that only the person inserted touch no other hunk.
            match sign {
                "x" => diff += &format!("|\n-{line}\n{lines}|\n"),
                "~" => diff += &format!("|\n-{line}\n{lines}|\n"),
                "i" => diff += &format!(" {line}\n{} {line}\n", format!("~{line}\n").repeat(times)),
                _ => diff += &lines,
            }
        }
        diff
    })
}

fn forms() -> impl Strategy<Value = PageForm> {
    let wraps =
        prop_oneof![Just(Wrap::Nothing), (0..70u16).prop_map(Wrap::Changes), (0..70u16).prop_map(Wrap::All)];
    (layouts(), wraps).prop_map(|(layout, wrap)| PageForm { layout, wrap })
}

fn layouts() -> impl Strategy<Value = Layout> {
    proptest::sample::select(vec![Layout::SideBySide, Layout::OneColumn])
}

fn open_all(page: &mut Page) {
    while let Some(fold) =
        (0..page.rows()).find(|row| matches!(row_at(page, *row), Row::Fold { open: false, .. }))
    {
        page.toggle_fold(fold);
    }
}

fn row_at(page: &Page, row: usize) -> Row {
    let row = page.unwrapped(row);
    page.content().row_in(page.content().block(row).unwrap(), row)
}

proptest! {
    #[test]
    fn every_line_is_reached_once_and_in_order(diff in any_diff(), layout in layouts()) {
        let review = review(&diff);
        let mut page = Page::new(&review, layout);
        open_all(&mut page);
        let all: Vec<_> = (0..page.rows()).flat_map(|row| row_at(&page, row).cells()).collect();
        let lines = |number: fn(&Cell) -> Option<usize>, side: Side| {
            let mut lines: Vec<_> = all.iter().filter(|cell| cell.side == side || layout == Layout::OneColumn)
                .filter_map(number).collect();
            lines.dedup();
            lines
        };
        let originals = lines(|cell| cell.original, Side::Original);
        prop_assert_eq!(originals, (0..page.content().texts.text(Side::Original).len()).collect::<Vec<_>>());
        // The lines that will be written have no gap, whatever was dropped.
        let is_written = |cell: &&Cell| cell.side == Side::Current;
        let currents: Vec<_> = all.iter().filter(is_written).filter_map(|cell| cell.current).collect();
        prop_assert_eq!(currents, (0..page.content().texts.text(Side::Current).len()).collect::<Vec<_>>());
        for (index, hunk) in review.hunks.iter().enumerate() {
            let rows = page.hunk_rows(index);
            prop_assert!(!rows.is_empty());
            prop_assert!(rows.clone().all(|row| page.hunk_at(row) == Some(index)), "{:?} {:?}", hunk, rows);
        }
    }

    #[test]
    fn a_match_is_above_a_row_if_its_own_row_is(diff in any_diff(), form in forms(), row in 0..90usize) {
        let mut page = Page::new(&review(&diff), form);
        page.toggle_fold(row);
        for found in Needle::new("a").unwrap().all_in(page.content()) {
            found.reveal_in(&mut page);
            prop_assert_eq!(found.is_above(row, &page), found.row_in(&page) < row);
        }
    }

    #[test]
    fn the_twin_of_a_line_has_the_same_text(diff in any_diff(), layout in layouts()) {
        let page = Page::new(&review(&diff), layout);
        for row in 0..page.rows() {
            for cell in row_at(&page, row).cells() {
                let twin = page.content().texts.line(cell.twin.0, cell.twin.1);
                prop_assert_eq!(page.content().texts.line(cell.side, cell.line), twin);
            }
        }
    }

    #[test]
    fn only_the_area_is_drawn_and_columns_stay_aligned(
        diff in any_diff(), form in forms(), width in 0..70u16, height in 0..20u16,
        x in 0..6u16, y in 0..4u16,
        sideways in 0..40usize, top in 0..60usize, reason in proptest::option::of(hard_line()),
    ) {
        let mut review = review(&diff);
        review.hunks.iter_mut().for_each(|hunk| hunk.reason.clone_from(&reason));
        let (page, layout) = (Page::new(&review, form), form.layout);
        let eyes = Eyes::new(Depth::Indexed);
        let whole = Rect::new(0, 0, 60, 20);
        let untouched = ratatui_core::buffer::Cell::new("#");
        let mut buf = Buffer::filled(whole, untouched.clone());
        let area = Rect::new(x, y, width, height);
        let needle = Needle::new("a");
        let (palette, colours) = (&eyes.palette, &eyes.colours);
        let found = needle.as_ref().and_then(|needle| needle.all_in(page.content()).first().copied());
        let search = needle.as_ref();
        let options = DrawOptions { palette, colours, hunk: Some(0), search, found, sideways, chosen: None };
        draw(&page, &mut buf, area, top, &options);
        for at in whole.positions() {
            let inside = area.contains(at);
            prop_assert_eq!(buf[at] == untouched, !inside, "{:?}", at);
        }
        let area = area.intersection(whole);
        for row in area.rows() {
            // Every character has all of its columns: the cells behind a wide one are empty, and the last
            // character ends inside the area.
            let mut column = row.x;
            while column < row.right() {
                let symbol = buf[(column, row.y)].symbol();
                prop_assert!(alongside_desk::harmless::harmful(symbol).next().is_none(), "{:?}", symbol);
                let wide = buf[(column, row.y)].cell_width();
                prop_assert!(wide >= 1, "{:?} has no width", symbol);
                for covered in column + 1..column + wide {
                    prop_assert!(covered < row.right());
                    prop_assert_eq!(buf[(covered, row.y)].symbol(), " ");
                }
                column += wide;
            }
        }
        let shown = page.rows().saturating_sub(top).min(area.height.into());
        if layout == Layout::SideBySide && !page.content().is_one_sided() && area.width > 2 {
            let middle = area.x + 1 + (area.width - 2) / 2;
            for at in 0..u16::try_from(shown).unwrap() {
                if !matches!(row_at(&page, top + usize::from(at)), Row::Fold { .. } | Row::Sentence(..)) {
                    prop_assert_eq!(buf[(middle, area.y + at)].symbol(), "│");
                }
            }
        }
    }

    #[test]
    fn inconsistent_hunks_cause_no_panic(
        diff in any_diff(), form in forms(), numbers in proptest::collection::vec(0..50usize, 0..40),
        row in 0..90usize,
        sideways in proptest::sample::select(vec![0, 3, usize::MAX]),
    ) {
        let mut review = review(&diff);
        for (at, numbers) in numbers.chunks_exact(7).enumerate() {
            let lines = |of: &[usize]| Lines { start: of[0], end: of[1] };
            let place = |line: usize| {
                alongside_desk::Position { line: line as u32, character: (line % 5) as u32 }
            };
            let range = |of: &[usize]| Range { start: place(of[0]), end: place(of[1]) };
            let state = [HunkState::Kept, HunkState::Dropped, HunkState::Edited][numbers[6] % 3];
            let words = Words {
                removed: numbers.windows(2).map(range).collect(),
                added: numbers.windows(2).map(range).collect(),
            };
            review.hunks.insert(at.min(review.hunks.len()), Hunk {
                original: lines(numbers),
                proposed: lines(&numbers[2..]),
                current: lines(&numbers[4..]),
                state,
                words: Some(words),
                limit: None, reason: None,
            });
        }
        let mut page = Page::new(&review, form);
        let identity = RowIdentity::of(&page, row);
        page.toggle_fold(row);
        for found in Needle::new("a").unwrap().all_in(page.content()) {
            found.reveal_in(&mut page);
            prop_assert!(found.row_in(&page) < page.rows());
            found.is_above(row, &page);
            found.columns_in(page.content());
        }
        page.update(&review);
        let eyes = Eyes { sideways, ..Eyes::new(Depth::True) };
        eyes.drawn(&page, 60, 30);
        prop_assert!(page.rows() == 0 || identity.row_in(&page) < page.rows());
        page.lines_in(0..page.rows());
        for hunk in 0..review.hunks.len() {
            prop_assert!(page.hunk_rows(hunk).end <= page.rows());
        }
    }

    #[test]
    fn rows_are_found_by_their_identity(diff in any_diff(), form in forms(), row in 0..200usize) {
        let review = review(&diff);
        let mut page = Page::new(&review, form);
        prop_assume!(page.rows() > 0);
        let row = row % page.rows();
        let identity = RowIdentity::of(&page, row);
        prop_assert_eq!(identity.row_in(&page), row);
        page.update(&review);
        prop_assert_eq!(identity.row_in(&page), row);
        let line = page.line_at(row);
        open_all(&mut page);
        prop_assert_eq!(page.line_at(identity.row_in(&page)), line);
    }

    #[test]
    fn unchanged_lines_take_one_row(diff in any_diff(), layout in layouts(), width in 0..70u16) {
        let page = Page::new(&review(&diff), PageForm { layout, wrap: Wrap::Changes(width) });
        for row in 0..page.rows() {
            let is_first = row == 0 || page.unwrapped(row - 1) < page.unwrapped(row);
            let is_hunk = page.hunk_at(row).is_some();
            prop_assert!(is_first || is_hunk);
        }
        prop_assert_eq!(page.unwrapped(page.rows().saturating_sub(1)) + 1, page.content().rows().max(1));
    }

    #[test]
    fn wrapped_rows_show_everything_once(diff in any_diff(), layout in layouts(), width in 20..70u16) {
        let review = review(&diff);
        let cut = Page::new(&review, layout);
        let mut page = Page::new(&review, PageForm { layout, wrap: Wrap::All(width) });
        prop_assert_eq!(page.max_sideways(0..page.rows(), width), 0);
        for hunk in 0..review.hunks.len() {
            let (rows, unwrapped) = (page.hunk_rows(hunk), cut.hunk_rows(hunk));
            prop_assert!(rows.len() >= unwrapped.len());
            prop_assert!(rows.clone().all(|row| page.hunk_at(row) == Some(hunk)));
        }
        // The test reads the text of the one-column layout row by row.
        page.relayout(PageForm { layout: Layout::OneColumn, wrap: Wrap::All(width) });
        let drawn = Eyes::new(Depth::None).drawn(&page, width, u16::try_from(page.rows()).unwrap());
        let prefix = usize::from(width) - page.room(width);
        let mut seen = String::new();
        for row in 0..page.rows() {
            if matches!(row_at(&page, row), Row::Fold { .. } | Row::Dropped(_) | Row::Sentence(..)) {
                continue;
            }
            let y = u16::try_from(row).unwrap();
            let cells = (u16::try_from(prefix).unwrap()..width).map(|x| drawn[(x, y)].symbol());
            // The whitespace of changed lines is drawn with signs.
            seen.extend(cells.filter(|symbol| !matches!(*symbol, " " | "·" | "→" | "␣")));
        }
        let mut expected = String::new();
        for row in 0..page.content().rows() {
            for cell in page.content().row_in(page.content().block(row).unwrap(), row).cells() {
                for unit in Units::from(page.content().texts.line(cell.side, cell.line), 0) {
                    match unit.shown {
                        Shown::Text(text) if text != " " => expected.push_str(text),
                        Shown::Escape(escape) => expected.push_str(&escape),
                        _ => {}
                    }
                }
            }
        }
        prop_assert_eq!(seen, expected);
    }
}
