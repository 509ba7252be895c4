//! Tests of the layout of a review on wide, usual and narrow screens: the information that a person needs
//! before a decision, and the questions about changes that were not on the screen.

use insta::assert_snapshot;

use super::*;

/// The sizes of screens, in columns and rows. Only the first is wide enough for two columns.
const SIZES: [(u16, u16); 3] = [(130, 40), (80, 24), (60, 20)];

impl TestDesk {
    /// Starts a desk that shows a review of these pieces, and waits until keys count. Lists are shown or
    /// hidden by the size.
    async fn with_review(width: u16, height: u16, pieces: &[Piece]) -> Self {
        let mut desk = Self::with_sidebar(width, height, "false", None, Options::default());
        desk.connect().await;
        desk.open(1, "/shop/basket.py", pieces);
        desk.wait_until_keys_count().await;
        desk
    }

    fn decisions(&self) -> usize {
        self.requests().iter().filter(|asked| matches!(asked, Request::DecideReview { .. })).count()
    }
}

/// The pieces of a file in which three new lines come before four lines that change by one character each.
fn moved_down() -> Vec<Piece> {
    let body = |sign: &str| {
        format!(
            "    apples = count(basket{sign})\n    pears = count(crate{sign})\n    plums = weigh(bag{sign})\n\
             \x20   return apples + pears + plums{sign}\n"
        )
    };
    let comment = "    # Fruit is counted where it can be,\n    # and weighed otherwise.\n\n";
    vec![
        same("def fruit(basket, crate, bag):\n"),
        differs(&body(""), &format!("{comment}{}", body("2"))),
        same("\n\ndef others():\n    pass\n"),
    ]
}

#[tokio::test(start_paused = true)]
async fn lines_are_beside_the_lines_that_they_became() {
    for (width, height) in SIZES {
        let mut desk = TestDesk::with_review(width, height, &moved_down()).await;
        if width < 110 {
            desk.press_and_wait("v").await;
            desk.key(KeyCode::Esc).await;
        }
        let screen = desk.screen();
        for name in ["apples =", "pears =", "plums =", "return apples"] {
            let rows = screen.lines().filter(|row| row.matches(name).count() == 2);
            assert_eq!(rows.count(), 1, "{name} {width}x{height}:\n{screen}");
        }
        assert_snapshot!(format!("beside_{width}x{height}"), screen);
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_finds_matches_on_both_sides_of_a_row() {
    let mut desk = TestDesk::with_review(130, 40, &moved_down()).await;
    desk.press_expecting("/weigh\n", "/weigh 1/3").await;
    desk.press("n").await;
    // The order is: the comment on the right, then the line on the left, then the line beside it.
    desk.press_expecting("n", "/weigh 3/3").await;
    let screen = desk.screen();
    let row = screen.lines().find(|row| row.contains("▸ ")).unwrap();
    assert_eq!(row.matches("weigh(").count(), 2, "{screen}");
}

#[tokio::test(start_paused = true)]
async fn accepting_asks_about_unseen_changes() {
    let mut desk = TestDesk::reading(80, 14).await;
    desk.press_expecting("a", "2 of 3 changes were not on the screen yet. Accept all the same?").await;
    desk.assert_shows("y accept n no");
    assert_eq!(desk.requests(), []);
    desk.press("n").await;
    desk.assert_hides("Accept all the same?");
    // All changes were on the screen, so there is no question.
    desk.press("jjja").await;
    assert_eq!(desk.decisions(), 1);

    let mut desk = TestDesk::reading(80, 14).await;
    // The answer was given before the question was on the screen.
    desk.press_fast("ay").await;
    assert_eq!(desk.decisions(), 0);
    desk.press("y").await;
    let accepted = decided(1, 1, Decision::Accept);
    assert_eq!(desk.requests(), [accepted]);

    // Another question comes first.
    let mut desk = TestDesk::reading(80, 14).await;
    desk.companion.change(1, |review, _| review.stale = true);
    desk.wait_until_keys_count().await;
    desk.press_expecting("ay", "were not on the screen yet.").await;
    assert_eq!(desk.decisions(), 0);
    desk.press("y").await;
    assert_eq!(desk.decisions(), 1);
}

/// The pieces of a file with a change that is hard to see, far below another change.
fn hidden_tab() -> Vec<Piece> {
    let between: String = (1..=3).map(|n| format!("# {n}\n")).collect();
    let long: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    vec![differs("", &long), same(&between), differs("    deep = 1\n", "\tdeep = 1\n")]
}

#[tokio::test(start_paused = true)]
async fn accepting_asks_about_hard_to_see_changes() {
    let mut desk = TestDesk::with_review(80, 24, &hidden_tab()).await;
    desk.press("a").await;
    desk.assert_shows("2 of 2 changes were not on the screen yet, 1 of them with something hard to see.");
    desk.press("njjjjja").await;
    assert_eq!(desk.decisions(), 1);
}

#[tokio::test(start_paused = true)]
async fn accept_all_lists_reviews_with_hard_to_see_changes() {
    for (width, height) in SIZES {
        let tab = [differs("    deep = 1\n", "\tdeep = 1\n"), same("end\n")];
        let mut desk = TestDesk::with_review(width, height, &tab).await;
        desk.propose(2, "/shop/plain.py").await;
        desk.press_and_wait("\tjjjA").await;
        assert_snapshot!(format!("hard_to_see_in_the_list_{width}x{height}"), desk.screen());
    }
}

/// The pieces of a file with `changes` changes of one line each.
fn many_changes(changes: usize) -> Vec<Piece> {
    let unchanged = "same\n".repeat(7);
    (0..changes)
        .flat_map(|n| [differs(&format!("old {n}\n"), &format!("new {n}\n")), same(&unchanged)])
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_narrow_header_keeps_the_change_that_keys_act_on() {
    for (width, height) in SIZES {
        let mut desk = TestDesk::with_review(width, height, &many_changes(23)).await;
        desk.propose_and_wait(2, "/shop/other.py").await;
        desk.press_expecting("⎋", "change 1 of 23").await;
        desk.press_expecting(" ", "change 1 of 23: 22 kept, 1 dropped").await;
        desk.assert_shows("? help");
        desk.assert_shows("j/k");
        assert_snapshot!(format!("header_{width}x{height}"), desk.screen());
    }
}

#[tokio::test(start_paused = true)]
async fn the_header_names_the_visible_part_of_a_large_change() {
    let lines: String = (1..=10_000).map(|n| format!("line {n}\n")).collect();
    for (width, height) in SIZES {
        let mut desk =
            TestDesk::with_review(width, height, &[same("first\n"), differs("old\n", &lines)]).await;
        desk.press("⇟⇟").await;
        let header = desk.screen().lines().find(|line| line.contains("change 1 of 1")).unwrap().to_owned();
        assert!(header.contains(" of 10,0") || header.contains('%'), "{header}");
        assert_snapshot!(format!("large_change_{width}x{height}"), header);
        desk.press("G").await;
        // In one column, the removed line counts, too.
        let total = if width == 130 { "of 10,000" } else { "of 10,001" };
        assert!(desk.flat().contains(total) || desk.flat().contains("100%"), "{}", desk.screen());
        desk.press("g").await;
    }
    // The header names no part of a change that fits.
    let desk = TestDesk::reading(80, 24).await;
    desk.assert_hides(" lines 1-");
}

#[tokio::test(start_paused = true)]
async fn the_header_says_that_a_file_will_be_empty() {
    for (width, height) in SIZES {
        let mut desk = TestDesk::with_review(width, height, &[differs("all\nof\nit\n", "")]).await;
        desk.assert_shows("the file will be empty");
        assert_snapshot!(format!("emptied_{width}x{height}"), desk.screen());
        desk.press(" ").await;
        desk.assert_hides("the file will be empty");
    }
    // The header of a deletion does not say it.
    let mut desk = TestDesk::connected(120, 24).await;
    let remark = Some("This deletes the file.".into());
    desk.open_unlike(1, "/shop/a.py", &[differs("all\nof\nit\n", "")], |review| review.remark = remark);
    desk.wait_until_keys_count().await;
    desk.assert_hides("the file will be empty");
}

#[tokio::test(start_paused = true)]
async fn the_key_v_returns_to_the_layout_by_width() {
    let mut desk = TestDesk::reading(130, 40).await;
    desk.press_expecting("v", "One column, at any width.").await;
    desk.press_expecting("v", "Side by side, at any width.").await;
    desk.resize(80, 24).await;
    assert!(desk.screen().contains(" │"), "{}", desk.screen());
    desk.resize(130, 40).await;
    desk.press_expecting("v", "The width decides: side by side, or one column.").await;
    desk.resize(80, 24).await;
    assert!(!desk.screen().contains(" │"), "{}", desk.screen());
}

/// The pieces of a file with long indented lines, of which one is dropped.
fn long_and_deep() -> Vec<Piece> {
    let line = |name: &str| {
        format!(
            "        {name} = shop.basket.total_of(every_item_there_is, including=taxes, without=rebates)\n"
        )
    };
    vec![
        same("class Shop:\n    def total(self):\n"),
        differs(&line("before"), &line("after")),
        same("\n"),
        Piece::Differs {
            old: line("kept"),
            new: line("dropped"),
            state: alongside_desk::HunkState::Dropped,
            now: line("kept"),
        },
    ]
}

#[tokio::test(start_paused = true)]
async fn wrapped_lines_keep_their_indentation_and_their_words() {
    for (width, height) in SIZES {
        let desk = TestDesk::with_review(width, height, &long_and_deep()).await;
        let screen = desk.screen();
        assert!(!screen.contains('…'), "no line is cut, neither an old nor a new one:\n{screen}");
        for word in ["total_of", "every_item_there_is", "including", "rebates"] {
            assert!(screen.matches(word).count() >= 4, "{word} is broken:\n{screen}");
        }
        let goes_on: Vec<_> = screen.lines().filter(|row| row.contains('↳')).collect();
        assert!(!goes_on.is_empty() && goes_on.iter().all(|row| row.contains("↳         ")), "{screen}");
        assert_snapshot!(format!("wrapped_{width}x{height}"), screen);
    }
}
