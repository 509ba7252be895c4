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

impl Stage {
    /// Starts a desk with a review whose lines have `columns` columns, and two other reviews.
    async fn reading_lines_of(columns: usize, width: u16, height: u16) -> Self {
        let mut stage = Self::with_sidebar(width, height, "false", None, Options::default());
        stage.connect().await;
        stage.open(1, "/shop/wide.txt", &lines_of(columns));
        stage.propose(2, "/shop/basket.py").await;
        stage.propose_and_read(3, "/shop/checkout.py").await;
        stage
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_size_of_the_window_decides_where_the_lists_are() {
    for (width, height, place) in
        [(200, 60, 0), (150, 16, 0), (130, 40, 1), (149, 30, 1), (80, 24, 2), (60, 20, 2)]
    {
        for columns in [20, 300] {
            let mut stage = Stage::reading_lines_of(columns, width, height).await;
            for _ in 0..3 {
                let screen = stage.screen();
                let header = screen.lines().next().unwrap();
                let shown = [
                    screen.contains("Reviews (3)"),
                    screen.contains("agents see 2 files"),
                    header.contains("  review "),
                ];
                assert_eq!(shown, [0, 1, 2].map(|at| at == place), "{width}x{height}:\n{screen}");
                stage.key(KeyCode::Tab).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_low_screen_has_one_row_above_the_code_and_one_below() {
    let mut stage = Stage::reading_lines_of(60, 80, 24).await;
    stage.press_and_read("j").await;
    assert_snapshot!("low_screen", stage.screen());
    // A message uses a row of the code until it disappears.
    stage.press("w").await;
    assert_snapshot!("low_screen_with_a_message", stage.screen());
    stage.resize(60, 20).await;
    stage.a_while().await;
    stage.press("k").await;
    assert_snapshot!("low_and_narrow_screen", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn a_key_shows_and_hides_the_lists() {
    let mut stage = Stage::reading_lines_of(75, 170, 20).await;
    stage.shows("Reviews (3)");
    stage.press("b").await;
    stage.does_not_show("basket.py");
    stage.shows("review 1 of 3");
    assert_snapshot!("lists_hidden", stage.screen());
    stage.shows_on("\t", "review 2 of 3").await;
    stage.propose(4, "/shop/more.py").await;
    stage.shows("review 2 of 4");
    stage.shows_on("b", "Reviews (4)").await;
    // If the lists have rows at the top, the key first shows the column.
    let mut stage = Stage::reading_lines_of(75, 130, 40).await;
    stage.shows("Gemini CLI, Qwen Code");
    stage.shows_on("b", "Reviews (3)").await;
    stage.press("b").await;
    stage.does_not_show("Reviews (3)");
    stage.shows("review 1 of 3");
    // Without room for a column, the same key shows rows at the top.
    let mut stage = Stage::reading_lines_of(75, 80, 24).await;
    stage.does_not_show("Gemini CLI, Qwen Code");
    stage.shows_on("b", "Gemini CLI, Qwen Code").await;
    stage.press("b").await;
    stage.does_not_show("Gemini CLI, Qwen Code");
    stage.press("p").await;
    stage.moment().await;
    stage.shows("review 1 of 3 paused");
    stage.resize(40, 12).await;
    stage.shows("wide.txt +2 -1 paused change 1 of 2");
}

#[tokio::test(start_paused = true)]
async fn the_key_that_the_strip_names_lists_all_reviews() {
    let mut stage = Stage::reading_lines_of(60, 80, 24).await;
    for id in 4..=40 {
        stage.propose(id, &format!("/shop/part{id}.py")).await;
    }
    stage.a_while().await;
    stage.shows_on("b", "36 more: W").await;
    stage.shows_on("W", "Reviews that wait (1 of 40):").await;
    assert_snapshot!("waiting_list", stage.screen());
    stage.shows_on("jjj", "Reviews that wait (4 of 40):").await;
    stage.shows_on("⇟⇟⇟", "Reviews that wait (34 of 40):").await;
    stage.shows("part34.py");
    stage.shows_on("\n", "part34.py Gemini CLI").await;
    stage.does_not_show("Reviews that wait");
    assert_eq!(stage.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn hidden_lists_take_no_clicks() {
    let mut stage = Stage::reading_lines_of(60, 170, 20).await;
    let row = stage.screen().lines().position(|line| line.contains("• checkout.py")).unwrap();
    stage.press("b").await;
    stage.click(3, u16::try_from(row).unwrap()).await;
    stage.shows("review 1 of 3");
    stage.press("b").await;
    stage.click(3, u16::try_from(row).unwrap()).await;
    stage.shows("▸ checkout.py");
}

#[tokio::test(start_paused = true)]
async fn long_lines_are_wrapped_and_scroll_by_rows() {
    let mut stage = Stage::reading_lines_of(300, 120, 16).await;
    // Changed lines are wrapped without a key.
    assert_snapshot!("long_lines_wrapped", stage.screen());
    stage.shows_on("wl", "All long lines are wrapped; w turns that off.").await;
    stage.shows_on("j", "change 2 of 2").await;
    stage.shows("+ last");
    stage.shows_on("k", "change 1 of 2").await;
    let wheel =
        MouseEvent { kind: MouseEventKind::ScrollDown, column: 60, row: 8, modifiers: KeyModifiers::NONE };
    stage.resize(60, 14).await;
    let before = stage.screen();
    stage.input(Typed::Mouse(wheel)).await;
    let (before, after) = (before.lines().nth(8).unwrap().to_owned(), stage.screen());
    assert_eq!(after.lines().nth(5), Some(before.as_str()), "three rows, within one line");
    stage.shows_on("w", "Only changed lines are wrapped.").await;
}

#[tokio::test(start_paused = true)]
async fn a_click_in_a_wrapped_row_selects_its_change() {
    let mut stage = Stage::reading_lines_of(300, 120, 30).await;
    stage.shows_on("j", "change 2 of 2").await;
    let screen = stage.screen();
    let row = screen.lines().enumerate().filter(|(_, line)| line.contains('↳')).last().unwrap().0;
    stage.click(20, u16::try_from(row).unwrap()).await;
    stage.shows("change 1 of 2");
    stage.shows_on(" ", "1 dropped").await;
}

#[tokio::test(start_paused = true)]
async fn a_search_counts_its_matches() {
    let mut stage = Stage::reading(100, 24).await;
    stage.shows_on("/items\n", "/items 1/8").await;
    assert_snapshot!("search_counted", stage.screen());
    stage.shows_on("nn", "/items 3/8").await;
    stage.shows_on("NNN", "/items 8/8").await;
    stage.shows_on("n", "/items 1/8").await;
    // Side by side, one of the new lines comes before the second old line.
    stage.shows_on("nv", "/items 3/8").await;
    // A change above does not change the current match.
    stage.shows_on("nnn", "/items 6/8").await;
    let counted = |stage: &Stage| stage.screen().rsplit("/items ").next().unwrap().trim().to_owned();
    let before = counted(&stage);
    stage.companion.drop_elsewhere(1, &[0]);
    stage.moment().await;
    assert_eq!(counted(&stage), before);
    stage.key(KeyCode::Esc).await;
    stage.does_not_show("/items");
}

#[tokio::test(start_paused = true)]
async fn the_count_shows_no_match_and_another_review() {
    let mut stage = Stage::reading_lines_of(60, 170, 24).await;
    stage.shows_on("/items\n", "/items no match").await;
    stage.shows_on("\t", "/items -/8").await;
}

#[tokio::test(start_paused = true)]
async fn a_search_ends_with_its_review() {
    let mut stage = Stage::reading_lines_of(60, 170, 24).await;
    stage.press("/items\n").await;
    stage.companion.close(3, Closing::AgentGone, None);
    stage.a_while().await;
    stage.shows("/items no match");
    stage.shows_on("a", "▸ basket.py").await;
    stage.does_not_show("/items");
    stage.shows_on("n", "Nothing to search for yet; type / first.").await;
}

#[tokio::test(start_paused = true)]
async fn the_current_change_stays_in_view_when_the_size_changes() {
    let mut stage = Stage::reading(80, 24).await;
    for (width, height) in [(60, 15), (110, 32), (80, 24), (60, 12), (80, 24), (30, 5), (60, 15)] {
        stage.resize(width, height).await;
        if width < 40 {
            continue;
        }
        stage.shows_on("kkkjj", "change 3 of 3").await;
        stage.shows("def unused():");
        stage.resize(80, 30).await;
        stage.shows("def unused():");
        stage.resize(60, 11).await;
        stage.shows("change 3 of 3");
        stage.shows("def unused():");
    }
    let mut stage = Stage::reading(110, 32).await;
    stage.press("j").await;
    for (width, height) in [(80, 24), (60, 15), (30, 5), (60, 11)] {
        stage.resize(width, height).await;
        if width >= 40 {
            stage.shows("change 2 of 3");
            stage.shows("+ def count(items):");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_far_to_the_side_becomes_visible() {
    let mut stage = Stage::connected(100, 24).await;
    let far = format!("{}needle{}\n", "x".repeat(400), "y".repeat(400));
    stage.open(1, "/shop/far.txt", &[same("top\n"), differs("", &far), same("needle\n")]);
    stage.a_while().await;
    stage.shows_on("/needle\n", "xneedley").await;
    stage.shows("/needle 1/2");
    stage.shows_on("n", "▸needle").await;
    stage.shows_on("wn", "1/2").await;
    stage.shows("xneedley");
}

#[tokio::test(start_paused = true)]
async fn backspace_removes_a_visible_character_of_a_search() {
    let mut stage = Stage::reading(100, 24).await;
    stage.shows_on("/a👩\u{200d}👧e\u{301}", "/a👩\u{200d}👧e\u{301}").await;
    stage.shows_on("⌫⌫bc", "/abc").await;
}

#[tokio::test(start_paused = true)]
async fn a_key_shows_more_lines_while_the_change_stays_in_place() {
    let mut stage = Stage::connected(80, 24).await;
    let lines = |from: usize, to: usize| (from..to).map(|line| format!("line {line}\n")).collect::<String>();
    let pieces =
        [same(&lines(1, 40)), differs("old\n", "new\n"), same(&lines(41, 80)), differs("", "last\n")];
    stage.open(1, "/shop/long.txt", &pieces);
    stage.a_while().await;
    let row_of = |screen: &str, text: &str| screen.lines().position(|line| line.contains(text));
    assert_eq!(row_of(&stage.screen(), "line 35"), None);
    stage.press("}").await;
    assert!(stage.screen().contains("8 lines around each change."), "{}", stage.screen());
    let before = stage.screen();
    stage.press("}").await;
    assert_eq!(row_of(&stage.screen(), " new"), row_of(&before, " new"));
    assert!(row_of(&stage.screen(), "line 49").is_some(), "{}", stage.screen());
    for _ in 0..3 {
        stage.press("{").await;
    }
    assert!(stage.screen().contains("No fewer lines are shown around a change."));
    assert_eq!(row_of(&stage.screen(), "line 35"), None);
    for _ in 0..9 {
        stage.press("}").await;
    }
    assert!(stage.screen().contains("All lines are in sight."));
}
