//! Tests of drawn pages.

use super::*;

/// A review with a hunk of each kind.
fn each_kind() -> Review {
    review(&format!(
        "{}-def total(prices):\n-    return sum(prices)\n\
         +def total(prices, rate=0.2):\n+    net = sum(prices)\n\
         +    return net * (1 + rate)\n{}-import os\nximport os, sys\nximport re\n{}\
         -a\n+b\n~my own\n~words\n{}+new\n|\n+newer\n{}",
        same(1..=12),
        same(15..=40),
        same(42..=44),
        same(46..=51),
        same(52..=200)
    ))
}

#[test]
fn side_by_side() {
    insta::assert_snapshot!(shown(&Page::new(&each_kind(), Layout::SideBySide), 120));
}

#[test]
fn one_column() {
    insta::assert_snapshot!(shown(&Page::new(&each_kind(), Layout::OneColumn), 80));
}

/// An addition, a removal and a change, all dropped.
fn all_dropped() -> Review {
    let mut review = review(&format!(
        "{}xadded\nxtoo\n{}-going\n-too\n{}-old\nxnew\nxnewer\n{}",
        same(1..=2),
        same(3..=4),
        same(7..=8),
        same(10..=11)
    ));
    // In a diff, only a proposed line can show that a hunk is dropped, so this removal is dropped here.
    review.hunks[1].state = HunkState::Dropped;
    let original = review.original.clone().unwrap();
    review.current = original;
    for hunk in &mut review.hunks {
        hunk.current = hunk.original;
    }
    review
}

#[test]
fn a_dropped_change_shows_the_file_that_will_be_written() {
    let page = Page::new(&all_dropped(), Layout::SideBySide);
    insta::assert_snapshot!("all_dropped_side_by_side", shown(&page, 90));
    let mut page = Page::new(&all_dropped(), Layout::OneColumn);
    insta::assert_snapshot!("all_dropped_in_one_column", shown(&page, 60));
    page.relayout(PageForm { layout: Layout::SideBySide, wrap: Wrap::All(44) });
    insta::assert_snapshot!("all_dropped_wrapped", shown(&page, 44));
}

#[test]
fn a_change_that_is_hard_to_see_is_drawn_and_explained() {
    let mut review = review(
        " def f():\n-    one\n+\tone\n|\n-two\n+two  \n|\n-cat = 1\n+сat = 1\n|\n-a b\n+a\u{a0}b\n|\n\
         -\n+ \n|\n\
         -deep\n+    deep\n|\n-one, two\n+one,  two\n|\n-é\nxe\u{301}\n end\n",
    );
    words(&mut review, 6, &[], &[[7, 5, 6]]);
    let page = Page::new(&review, Layout::SideBySide);
    insta::assert_snapshot!("hard_to_see_side_by_side", shown(&page, 100));
    let page = Page::new(&review, Layout::OneColumn);
    let drawn = Eyes::new(Depth::Sixteen).drawn(&page, 60, 6);
    insta::assert_snapshot!("hard_to_see_coloured", styles(&drawn, 2) + "\n\n" + &styles(&drawn, 5));
}

#[test]
fn a_reason_is_below_its_change_in_every_layout() {
    let mut review = review(" one\n-two\n+zwei\n three\n");
    review.hunks[0].reason = Some("漢字 was not\n\u{1b}[2J asked for".into());
    let why = r"Why: 漢字 was not; \x1b[2J asked for";
    for (layout, width, row) in [(Layout::SideBySide, 80, 2), (Layout::OneColumn, 60, 3)] {
        let shown = shown(&Page::new(&review, layout), width);
        let lines: Vec<_> = shown.lines().collect();
        assert!(lines[row].starts_with('▌') && lines[row].ends_with(why), "{shown}");
        assert!(lines[row + 1].ends_with("three"), "{shown}");
    }
    let cut = shown(&Page::new(&review, Layout::OneColumn), 24);
    assert!(
        cut.lines().nth(3).is_some_and(|line| line.contains("Why: 漢字") && line.ends_with('…')),
        "{cut}"
    );
    let form = PageForm { layout: Layout::OneColumn, wrap: Wrap::All(24) };
    let wrapped = shown(&Page::new(&review, form), 24);
    assert!(wrapped.contains('↳') && !wrapped.contains('…') && wrapped.contains("for"), "{wrapped}");
}

#[test]
fn a_removed_reason_leaves_no_row() {
    let mut review = review(" one\n-two\n+zwei\n three\n");
    let mut page = Page::new(&review, Layout::OneColumn);
    let before = shown(&page, 60);
    review.hunks[0].reason = Some("no".into());
    page.update(&review);
    assert_eq!((page.rows(), page.hunk_rows(0)), (5, 1..4));
    review.hunks[0].reason = None;
    page.update(&review);
    assert_eq!(shown(&page, 60), before);
}

#[test]
fn an_open_fold() {
    let mut page = Page::new(&each_kind(), Layout::SideBySide);
    assert!(page.toggle_fold(0));
    insta::assert_snapshot!(shown(&page, 80).lines().take(16).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_new_file_has_one_column() {
    let mut new = review("+first\n+\tsecond\n+third\n");
    new.original = None;
    let page = Page::new(&new, Layout::SideBySide);
    insta::assert_snapshot!(shown(&page, 40), @r#"
    ▌1 + first
    ▌2 +     second
    ▌3 + third
    "#);
}

#[test]
fn an_empty_text_says_so() {
    let page = Page::new(&review(""), Layout::SideBySide);
    assert_eq!(page.rows(), 0);
    let drawn = Eyes::new(Depth::None).drawn(&page, 30, 2);
    insta::assert_snapshot!(text(&drawn), @r#"
    The text is empty.
    "#);
}

#[test]
fn a_deleted_file_shows_its_removed_lines() {
    let page = Page::new(&review("-first\n-second\n"), Layout::SideBySide);
    insta::assert_snapshot!(shown(&page, 40), @r#"
    ▌- first            │
    ▌- second           │
    "#);
}

#[test]
fn wide_combining_and_tab_characters_are_aligned() {
    let lines = [
        "plain text here|",
        "漢字かな漢字です|",
        "e\u{301}e\u{301}e\u{301}plain text|",
        "\ttab\tab\ta|",
        "😀 smile 🇩🇪 flag|",
        "\u{301}alone",
        "👩\u{200d}👩\u{200d}👧 family|",
        "👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}|",
        "ｶﾞ क्षि 한|",
    ];
    let diff: String = lines.iter().map(|line| format!("-{line}\n")).collect::<String>()
        + &lines.iter().map(|line| format!("+{line}\n")).collect::<String>();
    insta::assert_snapshot!(shown(&Page::new(&review(&diff), Layout::SideBySide), 60), @r#"
    ▌1 - plain text here|         │1 + plain text here|
    ▌2 - 漢字かな漢字です|        │2 + 漢字かな漢字です|
    ▌3 - éééplain text|           │3 + éééplain text|
    ▌4 -     tab ab  a|           │4 +     tab ab  a|
    ▌5 - 😀 smile 🇩🇪 flag|        │5 + 😀 smile 🇩🇪 flag|
    ▌6 - \u{301}alone             │6 + \u{301}alone
    ▌7 - 👩‍👩‍👧 family|               │7 + 👩‍👩‍👧 family|
    ▌8 - 👍🏽 ❤️ 1️⃣|                │8 + 👍🏽 ❤️ 1️⃣|
    ▌9 - ｶﾞ क्षि 한|               │9 + ｶﾞ क्षि 한|
    "#);
}

#[test]
fn control_and_turning_characters_are_escaped() {
    let diff = "-ok\n+a\u{1b}[31mred\u{7}\n+user\u{202e}gpj.exe\n+zero\u{200b}width\u{feff}\n+back\rward\n";
    insta::assert_snapshot!(shown(&Page::new(&review(diff), Layout::OneColumn), 40), @r#"
    ▌1   - ok
    ▌  1 + a\x1b[31mred\x07
    ▌  2 + user\u{202e}gpj.exe
    ▌  3 + zero\u{200b}width\u{feff}
    ▌  4 + back\rward
    ▌      Hard to see: right-to-left overr…
    "#);
}

#[test]
fn carriage_returns_are_shown_if_line_endings_differ() {
    let uniform = review_with(" a\n-b\n+c\n", "\r\n");
    insta::assert_snapshot!(shown(&Page::new(&uniform, Layout::OneColumn), 30), @r#"
     1 1   a
    ▌2   - b
    ▌  2 + c
    "#);
    let mixed = review(" a\n-b\n+b\r\n");
    insta::assert_snapshot!(shown(&Page::new(&mixed, Layout::OneColumn), 30), @r#"
     1 1   a
    ▌2   - b
    ▌  2 + b\r
    ▌      Hard to see: line ends…
    "#);
    let with_edit = review_with(" a\r\n-b\r\n+c\r\n~mine\n", "\n");
    insta::assert_snapshot!(shown(&Page::new(&with_edit, Layout::OneColumn), 30), @r#"
     1 1   a\r
    ▌2   - b\r
    ▌  2 ~ mine
    "#);
}

#[test]
fn a_missing_last_line_ending_has_a_sign() {
    let mut open = review(" a\n-b\n+b\n$");
    open.original = Some("a\nb\n".into());
    insta::assert_snapshot!(shown(&Page::new(&open, Layout::SideBySide), 80), @r#"
     1   a                                  │1   a
    ▌2 - b                                  │2 + b \ no newline at end
    "#);
    let mut narrow = Eyes::new(Depth::None);
    narrow.sideways = 10;
    insta::assert_snapshot!(text(&narrow.drawn(&Page::new(&open, Layout::OneColumn), 26, 3)), @r#"
     1 1   …
    ▌2   - …
    ▌  2 + …ine at end
    "#);
}

#[test]
fn long_lines_are_cut_and_scroll_to_the_side() {
    let diff = " 0123456789abcdefghijklmnopqrstuvwxyz0123456789\n-漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n\
        +short\n+\n+0123456789abcdefghijklm\u{7}more text behind it\n";
    let page = Page::new(&review(diff), Layout::OneColumn);
    let mut eyes = Eyes::new(Depth::None);
    let mut seen = String::new();
    for sideways in [0, 1, 2, 5, 24, 30] {
        eyes.sideways = sideways;
        seen += &format!("{sideways}:\n{}\n", text(&eyes.drawn(&page, 32, 5)));
    }
    insta::assert_snapshot!(seen);
    assert_eq!(page.max_sideways(0..5, 32), 46 - 25);
}

#[test]
fn lines_that_an_edit_left_unchanged_are_no_change() {
    let mut review = review(" a\n-let one = 1;\n-let two = 2;\n-let three = 3;\n+other\n b\n");
    review.hunks[0].state = HunkState::Edited;
    review.hunks[0].current.end = 4;
    review.current = "a\nlet one = 1;\nlet two = 22;\nlet three = 3;\nb\n".into();
    let one = Page::new(&review, Layout::OneColumn);
    insta::assert_snapshot!("edited_in_part", shown(&one, 40));
    let two = Page::new(&review, Layout::SideBySide);
    insta::assert_snapshot!("edited_in_part_side_by_side", shown(&two, 60));
    for page in [one, two] {
        let mut seen = SeenLines::default();
        for line in ShownLine::all_in(&page, 0..page.rows()) {
            seen.insert(line);
        }
        assert!(seen.part_of(&page).is_all());
        assert_eq!(Needle::new("let").unwrap().all_in(page.content()).len(), 4, "each line once");
    }
}

#[test]
fn a_moved_block_names_its_source_and_destination() {
    let block = |sign: &str| format!("{sign}fn a() {{\n{sign}    go();\n{sign}    stop();\n{sign}}}\n");
    let diff = format!("{}{}{}", block("+"), same(1..=6), block("-"));
    let page = Page::new(&review(&diff), Layout::OneColumn);
    insta::assert_snapshot!("a_moved_block", shown(&page, 60));
    // A block whose addition is dropped moves nowhere.
    let page = Page::new(&review(&diff.replace("+", "x")), Layout::OneColumn);
    assert!(!shown(&page, 60).contains("moved"));
}

/// A line of JSON in which a word far to the right changes, and an unchanged one.
fn long_json(fields: usize) -> Review {
    let line = |price: &str| {
        let fields: Vec<_> = (1..=fields).map(|n| format!("\"f{n}\": {n}")).collect();
        format!("{{{}, \"price\": {price}, {}}}", fields.join(", "), fields.join(", "))
    };
    let mut review = review(&format!(" {}\n-{}\n+{}\n", line("0"), line("7710"), line("7711")));
    let at = u32::try_from(line("").find("price").unwrap() + 8).unwrap();
    words(&mut review, 0, &[[1, at, at + 4]], &[[1, at, at + 4]]);
    review
}

#[test]
fn a_changed_word_is_never_hidden() {
    let form = |layout, width| PageForm { layout, wrap: Wrap::Changes(width) };
    for (layout, width) in [(Layout::SideBySide, 200), (Layout::SideBySide, 90), (Layout::OneColumn, 60)] {
        for fields in [3, 30, 300] {
            let page = Page::new(&long_json(fields), form(layout, width));
            let shown = shown(&page, width);
            assert!(shown.contains("7710") && shown.contains("7711"), "{shown}");
        }
    }
    let page = Page::new(&long_json(20), form(Layout::SideBySide, 120));
    insta::assert_snapshot!("changed_lines_are_wrapped", shown(&page, 120));
    let page = Page::new(&long_json(200), form(Layout::SideBySide, 120));
    insta::assert_snapshot!("longer_ones_are_shown_from_their_change", shown(&page, 120));
    // The desk needs this to name the key that scrolls back to the changes.
    assert!(page.has_rows_from_change(0..page.rows(), 120));
    let fits = Page::new(&long_json(20), form(Layout::SideBySide, 120));
    assert!(!fits.has_rows_from_change(0..fits.rows(), 120));
    // The cut hides no change, so its sign has no colour.
    let row = Eyes::new(Depth::Sixteen).drawn(&page, 120, 2);
    assert!(!styles(&row, 1).contains("reversed"), "{}", styles(&row, 1));
    let mut eyes = Eyes::new(Depth::Sixteen);
    eyes.sideways = 8;
    let row = eyes.drawn(&page, 120, 2);
    assert!(
        styles(&row, 1).contains("\"…\" Yellow on Reset bold | reversed")
            || styles(&row, 1).contains("\"…\" Yellow bold"),
        "{}",
        styles(&row, 1)
    );
}

#[test]
fn words_are_compared_line_by_line_if_too_much_differs() {
    let mut review = review(" a\n-let old = 1;\n-let b = 2;\n+let new = 1;\n+let b = 3;\n");
    review.hunks[0].limit = Some(alongside_desk::Limit::Words);
    let drawn = Eyes::new(Depth::None).drawn(&Page::new(&review, Layout::SideBySide), 60, 3);
    assert!(styles(&drawn, 1).contains("\"old\" bold | underlined"), "{}", styles(&drawn, 1));
    assert!(styles(&drawn, 1).contains("\"new\" bold | underlined"), "{}", styles(&drawn, 1));
    assert!(styles(&drawn, 2).contains("\"2\" bold | underlined"), "{}", styles(&drawn, 2));
}

/// A review with long lines on both sides.
fn long_lines() -> Review {
    review(
        " fn short() {}\n-    let before = call(\"one argument\", another, 漢字かな漢字, and_the_last_one);\n\
         +    let after = call(\"one\");\n\
         +\tlog(\"a line that needs three rows at least, for it is so very long indeed\");\n\
         \x20}\n",
    )
}

#[test]
fn wrapped_lines_stay_aligned_side_by_side() {
    let wrapped = |layout| PageForm { layout, wrap: Wrap::All(62) };
    let page = Page::new(&long_lines(), wrapped(Layout::SideBySide));
    insta::assert_snapshot!(shown(&page, 62), @r#"
     1   fn short() {}             │1   fn short() {}
    ▌2 -     let before = call("one│2 +     let after =
    ▌  ↳     argument", another,   │  ↳     call("one");
    ▌  ↳     漢字かな漢字,         │
    ▌  ↳     and_the_last_one);    │
    ▌                              │3 +     log("a line that needs
    ▌                              │  ↳     three rows at least,
    ▌                              │  ↳     for it is so very long
    ▌                              │  ↳     indeed");
     3   }                         │4   }
    "#);
    let page = Page::new(&long_lines(), wrapped(Layout::OneColumn));
    insta::assert_snapshot!(shown(&page, 62), @r#"
     1 1   fn short() {}
    ▌2   -     let before = call("one argument", another,
    ▌    ↳     漢字かな漢字, and_the_last_one);
    ▌  2 +     let after = call("one");
    ▌  3 +     log("a line that needs three rows at least, for it
    ▌    ↳     is so very long indeed");
     3 4   }
    "#);
}

#[test]
fn a_wrapped_page_can_be_drawn_from_within_a_line() {
    let page = Page::new(&long_lines(), PageForm { layout: Layout::SideBySide, wrap: Wrap::All(62) });
    let mut buf = Buffer::empty(Rect::new(0, 0, 62, 2));
    let whole = Eyes::new(Depth::None).drawn(&page, 62, u16::try_from(page.rows()).unwrap());
    let eyes = Eyes::new(Depth::None);
    for top in 0..page.rows() - 1 {
        draw(&page, &mut buf, Rect::new(0, 0, 62, 2), top, &eyes.options());
        let (first, second) = (u16::try_from(top).unwrap(), u16::try_from(top + 1).unwrap());
        assert_eq!([line(&buf, 0), line(&buf, 1)], [line(&whole, first), line(&whole, second)]);
    }
}

#[test]
fn a_wrapped_missing_line_ending_has_a_sign() {
    let mut open = review(" a\n-b\n+before the end\n$");
    open.original = Some("a\nb\n".into());
    let page = Page::new(&open, PageForm { layout: Layout::OneColumn, wrap: Wrap::All(40) });
    insta::assert_snapshot!(shown(&page, 40), @r#"
     1 1   a
    ▌2   - b
    ▌  2 + before the end
    ▌    ↳  \ no newline at end
    "#);
}

#[test]
fn the_current_match_has_a_pointer() {
    let page = Page::new(&long_lines(), PageForm { layout: Layout::SideBySide, wrap: Wrap::All(62) });
    let mut eyes = Eyes::new(Depth::None);
    eyes.needle = Needle::new("one");
    let found = eyes.needle.as_ref().unwrap().all_in(page.content());
    assert_eq!(found.len(), 3, "twice before, once after");
    eyes.found = Some(found[1]);
    let drawn = eyes.drawn(&page, 62, u16::try_from(page.rows()).unwrap());
    let row = u16::try_from(found[1].row_in(&page)).unwrap();
    let pointed: Vec<_> = drawn.area.rows().filter(|row| line(&drawn, row.y).contains('▸')).collect();
    assert_eq!(pointed.iter().map(|row| row.y).collect::<Vec<_>>(), [row]);
    let marked = |y: u16| {
        styles(&drawn, y).lines().filter(|piece| piece.contains("reversed")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(marked(row), "\"one\" bold | underlined | reversed");
    // There is a match on each side.
    assert_eq!([1, 2].map(marked), ["\"one\" reversed", "\"one\" reversed"]);
}

#[test]
fn where_it_is_narrow_the_text_gets_the_room() {
    let page = Page::new(&review(" unchanged line\n-before and\n+after\n"), Layout::OneColumn);
    let widths = [1, 2, 3, 8, 20, 24].map(|width| format!("{width}:\n{}", shown(&page, width)));
    insta::assert_snapshot!(widths.join("\n"));
}

#[test]
fn a_text_that_is_decided_as_a_whole_is_shown_unfolded() {
    let mut whole = review(&(1..=20).map(|line| format!("+line {line}\n")).collect::<String>());
    whole.original = None;
    whole.whole_file_only = Some("the file is not text".into());
    let page = Page::new(&whole, Layout::SideBySide);
    assert_eq!(page.rows(), 20);
    whole.hunks.clear();
    assert_eq!(Page::new(&whole, Layout::SideBySide).rows(), 20, "no hunks, no folds");
}

#[test]
fn lines_are_beside_the_lines_that_they_became() {
    let diff = " start\n-let apples = count(basket);\n-let pears = count(crate);\n-gone\n\
                -let total = apples + pears;\n+// one\n+// two\n+let apples = count(baskets);\n\
                +let pears = count(crates);\n+let total = apples - pears;\n+come\n end\n";
    insta::assert_snapshot!(shown(&Page::new(&review(diff), Layout::SideBySide), 80), @r#"
     1   start                              │1   start
    ▌                                       │2 + // one
    ▌                                       │3 + // two
    ▌2 - let apples = count(basket);        │4 + let apples = count(baskets);
    ▌3 - let pears = count(crate);          │5 + let pears = count(crates);
    ▌4 - gone                               │
    ▌5 - let total = apples + pears;        │6 + let total = apples - pears;
    ▌                                       │7 + come
     6   end                                │8   end
    "#);
    // In one column, all old lines are above all new lines, as in a diff of git.
    let below = shown(&Page::new(&review(diff), Layout::OneColumn), 80);
    let signs: String = below.lines().filter_map(|line| line.chars().nth(5)).collect();
    assert_eq!(signs, " ----++++++ ", "{below}");
}

#[test]
fn lines_find_their_pairs_again_after_a_decision() {
    let kept = review("-alpha beta\n+new\n+alpha beta gamma\n same\n-one two\n+other\n+one two three\n");
    let mut page = Page::new(&kept, Layout::SideBySide);
    let before = shown(&page, 60);
    assert_eq!(page.rows(), 5);
    let dropped = review("-alpha beta\nxnew\nxalpha beta gamma\n same\n-one two\n+other\n+one two three\n");
    page.update(&dropped);
    page.update(&kept);
    assert_eq!(shown(&page, 60), before);
    // The person edits the hunk.
    page.update(&review("-alpha beta\n+x\n~alpha beta!\n~mine\n same\n-one two\n+other\n+one two three\n"));
    let rows: Vec<_> = shown(&page, 60).lines().map(str::to_owned).collect();
    assert!(rows[0].contains("- alpha beta") && rows[0].contains("~ alpha beta!"), "{rows:#?}");
}
