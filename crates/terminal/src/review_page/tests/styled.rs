//! Tests of styles, which are described in words, for each number of colours.

use super::*;

fn small() -> Review {
    let mut review = review(" def f():\n-    old = 1\n+    new = 1\n|\n-b\nxc\n|\n-d\n+e\n~mine\n");
    words(&mut review, 0, &[[1, 4, 7]], &[[1, 4, 7]]);
    review
}

fn all_rows(eyes: &Eyes, page: &Page, width: u16) -> String {
    let drawn = eyes.drawn(page, width, u16::try_from(page.rows()).unwrap());
    drawn.area.rows().map(|row| styles(&drawn, row.y)).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn every_number_of_colours_has_its_styles() {
    let page = Page::new(&small(), Layout::OneColumn);
    for (name, theme, depth) in [
        ("without_colours", Theme::Dark, Depth::None),
        ("with_sixteen_colours", Theme::Dark, Depth::Sixteen),
        ("with_256_colours", Theme::Dark, Depth::Indexed),
        ("with_all_colours_on_light", Theme::Light, Depth::True),
    ] {
        let eyes = Eyes { palette: Palette::new(theme, depth), ..Eyes::new(depth) };
        insta::assert_snapshot!(name, all_rows(&eyes, &page, 30));
    }
}

#[test]
fn the_margin_shows_the_hunk_that_keys_act_on() {
    let page = Page::new(&small(), Layout::OneColumn);
    let mut eyes = Eyes::new(Depth::Sixteen);
    eyes.hunk = Some(1);
    let drawn = eyes.drawn(&page, 30, 8);
    let margin: Vec<_> = (0..8).map(|y| drawn[(0, y)].symbol()).collect();
    assert_eq!(margin, [" ", "╭", "╰", "▌", "▌", "▌", "╭", "╰"]);
}

#[test]
fn words_are_found_by_utf16_columns() {
    let mut review = review("-a😀b old c\n+a😀b new c\n");
    words(&mut review, 0, &[[0, 5, 8]], &[[0, 5, 8]]);
    let drawn = Eyes::new(Depth::None).drawn(&Page::new(&review, Layout::OneColumn), 24, 2);
    assert!(styles(&drawn, 0).contains("\"old\" bold | underlined"), "{}", styles(&drawn, 0));
    assert!(styles(&drawn, 1).contains("\"new\" bold | underlined"), "{}", styles(&drawn, 1));
}

#[test]
fn a_dropped_hunk_highlights_no_words_in_lines_that_stay() {
    let mut review = review("-old\nxnew\n");
    words(&mut review, 0, &[[0, 0, 3]], &[[0, 0, 3]]);
    let drawn = Eyes::new(Depth::None).drawn(&Page::new(&review, Layout::OneColumn), 24, 2);
    assert!(!styles(&drawn, 0).contains("underlined"), "{}", styles(&drawn, 0));
}

#[test]
fn every_match_is_highlighted() {
    let page = Page::new(&review(" def Total(total):\n-x\n+y TOTAL\n"), Layout::OneColumn);
    let mut eyes = Eyes::new(Depth::None);
    eyes.needle = Needle::new("total");
    insta::assert_snapshot!(all_rows(&eyes, &page, 30), @r#"
    " 1 1   def "
    "Total" reversed
    "("
    "total" reversed
    "):      "

    "▌" bold
    "2   "
    "-" bold
    " x                      "

    "▌" bold
    "  2 "
    "+" bold
    " y "
    "TOTAL" reversed
    "                "
    "#);
    eyes.needle = Needle::new("Total");
    let drawn = eyes.drawn(&page, 30, 3);
    assert_eq!(styles(&drawn, 0).matches("reversed").count(), 1);
    assert_eq!(styles(&drawn, 2).matches("reversed").count(), 0);
}

#[tokio::test]
async fn source_code_is_coloured_once_its_colours_are_there() {
    let page = Page::new(
        &review(" def f():\n-    return 1\n+    return 2  # two\n g()\n-return 3\nxreturn 4\n"),
        Layout::OneColumn,
    );
    let mut eyes = Eyes::new(Depth::Indexed);
    let before = all_rows(&eyes, &page, 36);
    eyes.colours.request("/p/a.py", page.lines_in(0..page.rows()));
    while all_rows(&eyes, &page, 36) == before || !all_rows(&eyes, &page, 36).contains("\"# two\"") {
        tokio::time::timeout(std::time::Duration::from_secs(60), eyes.colours.wait_for_change())
            .await
            .expect("colours come");
    }
    while eyes
        .colours
        .line(page.content().texts.text(crate::review_page::texts::Side::Original).text(), 1)
        .is_none()
    {
        eyes.colours.wait_for_change().await;
    }
    insta::assert_snapshot!(all_rows(&eyes, &page, 36));
}

#[tokio::test]
async fn a_drop_that_repairs_the_syntax_repairs_the_colours_below() {
    let mut page = Page::new(&review(" fn f() {\n+    /*\n     return 1;\n"), Layout::OneColumn);
    let mut eyes = Eyes::new(Depth::Indexed);
    let last = |eyes: &Eyes, page: &Page| all_rows(eyes, page, 30).rsplit("\n\n").next().unwrap().to_owned();
    let minute = std::time::Duration::from_secs(60);
    eyes.colours.request("/p/a.rs", page.lines_in(0..page.rows()));
    tokio::time::timeout(minute, eyes.colours.wait_for_change()).await.expect("colours come");
    assert!(!last(&eyes, &page).contains("\"return\""), "{}", last(&eyes, &page));
    page.update(&review(" fn f() {\nx    /*\n     return 1;\n"));
    eyes.colours.request("/p/a.rs", page.lines_in(0..page.rows()));
    tokio::time::timeout(minute, eyes.colours.wait_for_change()).await.expect("colours come");
    assert!(last(&eyes, &page).contains("\"return\""), "{}", last(&eyes, &page));
}
