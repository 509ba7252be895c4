//! Tests of the layout: the lists, wrapped lines, the count of a search, and the size of the window.

use alongside_desk::Closing;
use insta::assert_snapshot;

use super::*;

/// The pieces of a file whose changed lines have `columns` columns.
fn lines_of(columns: usize) -> Vec<Piece> {
    let line = |with: &str| {
        let words = "long words and more of them, ".repeat(columns);
        format!("{}\n", &format!("{with} = {words}")[..columns])
    };
    vec![same("first\n"), differs(&line("old"), &line("new")), same("between\n"), differs("", "last\n")]
}

impl TestDesk {
    /// Starts a desk with a review whose lines have `columns` columns, and two other reviews.
    async fn reading_lines_of(columns: usize, width: u16, height: u16) -> Self {
        let mut desk = Self::with_sidebar(width, height, "false", None, Options::default());
        desk.connect().await;
        desk.open(1, "/shop/wide.txt", &lines_of(columns));
        desk.propose(2, "/shop/basket.py").await;
        desk.propose_and_wait(3, "/shop/checkout.py").await;
        desk
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_size_of_the_window_decides_where_the_lists_are() {
    for (width, height, place) in
        [(200, 60, 0), (150, 16, 0), (130, 40, 1), (149, 30, 1), (80, 24, 2), (60, 20, 2)]
    {
        for columns in [20, 300] {
            let mut desk = TestDesk::reading_lines_of(columns, width, height).await;
            for _ in 0..3 {
                let screen = desk.screen();
                let header = screen.lines().next().unwrap();
                let shown = [
                    screen.contains("Reviews (3)"),
                    screen.contains("agents see 2 files"),
                    header.contains("  review "),
                ];
                assert_eq!(shown, [0, 1, 2].map(|at| at == place), "{width}x{height}:\n{screen}");
                desk.key(KeyCode::Tab).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_low_screen_has_one_row_above_the_code_and_one_below() {
    let mut desk = TestDesk::reading_lines_of(60, 80, 24).await;
    desk.press_and_wait("j").await;
    assert_snapshot!("low_screen", desk.screen());
    // A message uses a row of the code until it disappears.
    desk.press("w").await;
    assert_snapshot!("low_screen_with_a_message", desk.screen());
    desk.resize(60, 20).await;
    desk.wait_until_keys_count().await;
    desk.press("k").await;
    assert_snapshot!("low_and_narrow_screen", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn a_key_shows_and_hides_the_lists() {
    let mut desk = TestDesk::reading_lines_of(75, 170, 20).await;
    desk.assert_shows("Reviews (3)");
    desk.press("b").await;
    desk.assert_hides("basket.py");
    desk.assert_shows("review 1 of 3");
    assert_snapshot!("lists_hidden", desk.screen());
    desk.press_expecting("\t", "review 2 of 3").await;
    desk.propose(4, "/shop/more.py").await;
    desk.assert_shows("review 2 of 4");
    desk.press_expecting("b", "Reviews (4)").await;
    // If the lists have rows at the top, the key first shows the column.
    let mut desk = TestDesk::reading_lines_of(75, 130, 40).await;
    desk.assert_shows("Gemini CLI, Qwen Code");
    desk.press_expecting("b", "Reviews (3)").await;
    desk.press("b").await;
    desk.assert_hides("Reviews (3)");
    desk.assert_shows("review 1 of 3");
    // Without room for a column, the same key shows rows at the top.
    let mut desk = TestDesk::reading_lines_of(75, 80, 24).await;
    desk.assert_hides("Gemini CLI, Qwen Code");
    desk.press_expecting("b", "Gemini CLI, Qwen Code").await;
    desk.press("b").await;
    desk.assert_hides("Gemini CLI, Qwen Code");
    desk.press("p").await;
    desk.deliver_all().await;
    desk.assert_shows("review 1 of 3 paused");
    desk.resize(40, 12).await;
    desk.assert_shows("wide.txt +2 -1 paused change 1 of 2");
}

#[tokio::test(start_paused = true)]
async fn the_key_that_the_strip_names_lists_all_reviews() {
    let mut desk = TestDesk::reading_lines_of(60, 80, 24).await;
    for id in 4..=40 {
        desk.propose(id, &format!("/shop/part{id}.py")).await;
    }
    desk.wait_until_keys_count().await;
    desk.press_expecting("b", "36 more: W").await;
    desk.press_expecting("W", "Reviews that wait (1 of 40):").await;
    assert_snapshot!("waiting_list", desk.screen());
    desk.press_expecting("jjj", "Reviews that wait (4 of 40):").await;
    desk.press_expecting("⇟⇟⇟", "Reviews that wait (34 of 40):").await;
    desk.assert_shows("part34.py");
    desk.press_expecting("\n", "part34.py Gemini CLI").await;
    desk.assert_hides("Reviews that wait");
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn hidden_lists_take_no_clicks() {
    let mut desk = TestDesk::reading_lines_of(60, 170, 20).await;
    let row = desk.screen().lines().position(|line| line.contains("• checkout.py")).unwrap();
    desk.press("b").await;
    desk.click(3, u16::try_from(row).unwrap()).await;
    desk.assert_shows("review 1 of 3");
    desk.press("b").await;
    desk.click(3, u16::try_from(row).unwrap()).await;
    desk.assert_shows("▸ checkout.py");
}

#[tokio::test(start_paused = true)]
async fn long_lines_are_wrapped_and_scroll_by_rows() {
    let mut desk = TestDesk::reading_lines_of(300, 120, 16).await;
    // Changed lines are wrapped without a key.
    assert_snapshot!("long_lines_wrapped", desk.screen());
    desk.press_expecting("wl", "All long lines are wrapped; w turns that off.").await;
    desk.press_expecting("j", "change 2 of 2").await;
    desk.assert_shows("+ last");
    desk.press_expecting("k", "change 1 of 2").await;
    let wheel =
        MouseEvent { kind: MouseEventKind::ScrollDown, column: 60, row: 8, modifiers: KeyModifiers::NONE };
    desk.resize(60, 14).await;
    let before = desk.screen();
    desk.input(TerminalEvent::Mouse(wheel)).await;
    let (before, after) = (before.lines().nth(8).unwrap().to_owned(), desk.screen());
    assert_eq!(after.lines().nth(5), Some(before.as_str()), "three rows, within one line");
    desk.press_expecting("w", "Only changed lines are wrapped.").await;
}

#[tokio::test(start_paused = true)]
async fn a_click_in_a_wrapped_row_selects_its_change() {
    let mut desk = TestDesk::reading_lines_of(300, 120, 30).await;
    desk.press_expecting("j", "change 2 of 2").await;
    let screen = desk.screen();
    let row = screen.lines().enumerate().filter(|(_, line)| line.contains('↳')).last().unwrap().0;
    desk.click(20, u16::try_from(row).unwrap()).await;
    desk.assert_shows("change 1 of 2");
    desk.press_expecting(" ", "1 dropped").await;
}

#[tokio::test(start_paused = true)]
async fn a_search_counts_its_matches() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press_expecting("/items\n", "/items 1/8").await;
    assert_snapshot!("search_counted", desk.screen());
    desk.press_expecting("nn", "/items 3/8").await;
    desk.press_expecting("NNN", "/items 8/8").await;
    desk.press_expecting("n", "/items 1/8").await;
    // Side by side, one of the new lines comes before the second old line.
    desk.press_expecting("nv", "/items 3/8").await;
    // A change above does not change the current match.
    desk.press_expecting("nnn", "/items 6/8").await;
    let counted = |desk: &TestDesk| desk.screen().rsplit("/items ").next().unwrap().trim().to_owned();
    let before = counted(&desk);
    desk.companion.drop_elsewhere(1, &[0]);
    desk.deliver_all().await;
    assert_eq!(counted(&desk), before);
    desk.key(KeyCode::Esc).await;
    desk.assert_hides("/items");
}

#[tokio::test(start_paused = true)]
async fn the_count_shows_no_match_and_another_review() {
    let mut desk = TestDesk::reading_lines_of(60, 170, 24).await;
    desk.press_expecting("/items\n", "/items no match").await;
    desk.press_expecting("\t", "/items -/8").await;
}

#[tokio::test(start_paused = true)]
async fn a_search_ends_with_its_review() {
    let mut desk = TestDesk::reading_lines_of(60, 170, 24).await;
    desk.press("/items\n").await;
    desk.companion.close(3, Closing::AgentGone, None);
    desk.wait_until_keys_count().await;
    desk.assert_shows("/items no match");
    desk.press_expecting("a", "▸ basket.py").await;
    desk.assert_hides("/items");
    desk.press_expecting("n", "Nothing to search for yet; type / first.").await;
}

#[tokio::test(start_paused = true)]
async fn the_current_change_stays_in_view_when_the_size_changes() {
    let mut desk = TestDesk::reading(80, 24).await;
    for (width, height) in [(60, 15), (110, 32), (80, 24), (60, 12), (80, 24), (30, 5), (60, 15)] {
        desk.resize(width, height).await;
        if width < 40 {
            continue;
        }
        desk.press_expecting("kkkjj", "change 3 of 3").await;
        desk.assert_shows("def unused():");
        desk.resize(80, 30).await;
        desk.assert_shows("def unused():");
        desk.resize(60, 11).await;
        desk.assert_shows("change 3 of 3");
        desk.assert_shows("def unused():");
    }
    let mut desk = TestDesk::reading(110, 32).await;
    desk.press("j").await;
    for (width, height) in [(80, 24), (60, 15), (30, 5), (60, 11)] {
        desk.resize(width, height).await;
        if width >= 40 {
            desk.assert_shows("change 2 of 3");
            desk.assert_shows("+ def count(items):");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_far_to_the_side_becomes_visible() {
    let mut desk = TestDesk::connected(100, 24).await;
    let far = format!("{}needle{}\n", "x".repeat(400), "y".repeat(400));
    desk.open(1, "/shop/far.txt", &[same("top\n"), differs("", &far), same("needle\n")]);
    desk.wait_until_keys_count().await;
    desk.press_expecting("/needle\n", "xneedley").await;
    desk.assert_shows("/needle 1/2");
    desk.press_expecting("n", "▸needle").await;
    desk.press_expecting("wn", "1/2").await;
    desk.assert_shows("xneedley");
}

#[tokio::test(start_paused = true)]
async fn backspace_removes_a_visible_character_of_a_search() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press_expecting("/a👩\u{200d}👧e\u{301}", "/a👩\u{200d}👧e\u{301}").await;
    desk.press_expecting("⌫⌫bc", "/abc").await;
}

#[tokio::test(start_paused = true)]
async fn a_key_shows_more_lines_while_the_change_stays_in_place() {
    let mut desk = TestDesk::connected(80, 24).await;
    let lines = |from: usize, to: usize| (from..to).map(|line| format!("line {line}\n")).collect::<String>();
    let pieces =
        [same(&lines(1, 40)), differs("old\n", "new\n"), same(&lines(41, 80)), differs("", "last\n")];
    desk.open(1, "/shop/long.txt", &pieces);
    desk.wait_until_keys_count().await;
    let row_of = |screen: &str, text: &str| screen.lines().position(|line| line.contains(text));
    assert_eq!(row_of(&desk.screen(), "line 35"), None);
    desk.press("}").await;
    assert!(desk.screen().contains("8 lines around each change."), "{}", desk.screen());
    let before = desk.screen();
    desk.press("}").await;
    assert_eq!(row_of(&desk.screen(), " new"), row_of(&before, " new"));
    assert!(row_of(&desk.screen(), "line 49").is_some(), "{}", desk.screen());
    for _ in 0..3 {
        desk.press("{").await;
    }
    assert!(desk.screen().contains("No fewer lines are shown around a change."));
    assert_eq!(row_of(&desk.screen(), "line 35"), None);
    for _ in 0..9 {
        desk.press("}").await;
    }
    assert!(desk.screen().contains("All lines are in sight."));
}
