//! Tests of a review on wide, usual and narrow screens: the information that a person needs before a
//! decision.

use alongside_desk::{Event, LastWord, Reasons, Word};
use insta::assert_snapshot;

use super::*;

/// The sizes of screens, in columns and rows. Only the first is wide enough for two columns.
const SIZES: [(u16, u16); 3] = [(130, 40), (80, 24), (60, 20)];

impl TestDesk {
    /// Starts a desk whose size decides about the lists, with a review of these pieces, at which keys count.
    async fn showing(width: u16, height: u16, pieces: &[Piece]) -> Self {
        let mut desk = Self::with_sidebar(width, height, "false", None, Options::default());
        desk.connect().await;
        desk.open(1, "/shop/basket.py", pieces);
        desk.wait_until_keys_count().await;
        desk
    }

    fn decisions(&self) -> usize {
        self.requests().iter().filter(|asked| matches!(asked, Request::DecideReview { .. })).count()
    }

    /// Reports that the file of a decided review is written as accepted.
    async fn written(&mut self, id: u64) {
        let (file, message) = (format!("/shop/{id}.py"), format!("{id}.py: written as accepted."));
        let word = Word::WrittenAsAccepted;
        self.companion.send(Event::LastWord(LastWord { id: ReviewId(id), file, word, message }));
        self.deliver_all().await;
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
        let mut desk = TestDesk::showing(width, height, &moved_down()).await;
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
async fn a_match_is_found_in_rows_of_pairs() {
    let mut desk = TestDesk::showing(130, 40, &moved_down()).await;
    desk.press_expecting("/weigh\n", "/weigh 1/3").await;
    desk.press("n").await;
    // The order is: the comment on the right, then the line on the left, then the line beside it.
    desk.press_expecting("n", "/weigh 3/3").await;
    let screen = desk.screen();
    let row = screen.lines().find(|row| row.contains("▸ ")).unwrap();
    assert_eq!(row.matches("weigh(").count(), 2, "{screen}");
}

#[tokio::test(start_paused = true)]
async fn a_asks_about_changes_that_were_not_on_the_screen() {
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
async fn a_asks_about_changes_that_are_hard_to_see() {
    let mut desk = TestDesk::showing(80, 24, &hidden_tab()).await;
    desk.press("a").await;
    desk.assert_shows("2 of 2 changes were not on the screen yet, 1 of them with something hard to see.");
    desk.press("njjjjja").await;
    assert_eq!(desk.decisions(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_all_names_reviews_that_are_hard_to_see() {
    for (width, height) in SIZES {
        let tab = [differs("    deep = 1\n", "\tdeep = 1\n"), same("end\n")];
        let mut desk = TestDesk::showing(width, height, &tab).await;
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
        let mut desk = TestDesk::showing(width, height, &many_changes(23)).await;
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
        let mut desk = TestDesk::showing(width, height, &[same("first\n"), differs("old\n", &lines)]).await;
        desk.press("⇟⇟").await;
        let header = desk.screen().lines().find(|line| line.contains("change 1 of 1")).unwrap().to_owned();
        assert!(header.contains(" of 10,0") || header.contains('%'), "{header}");
        assert_snapshot!(format!("large_change_{width}x{height}"), header);
        desk.press("G").await;
        let said = if width == 130 { "of 10,000" } else { "of 10,001" };
        assert!(desk.flat().contains(said) || desk.flat().contains("100%"), "{}", desk.screen());
        desk.press("g").await;
    }
    // The header names no part of a change that fits.
    let desk = TestDesk::reading(80, 24).await;
    desk.assert_hides(" lines 1-");
}

#[tokio::test(start_paused = true)]
async fn a_key_without_a_meaning_names_the_help() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press_expecting("Z", "Z does nothing here; ? lists the keys.").await;
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn m_lists_the_messages_and_then_none_waits() {
    let mut desk = TestDesk::reading(80, 24).await;
    desk.send_problems(&["first", "second", "third"]).await;
    desk.assert_shows("Problem: third (2 more: m)");
    desk.press_expecting("m", "Messages, the newest first:").await;
    desk.assert_shows("• Problem: second");
    desk.assert_shows("• Problem: first");
    assert_snapshot!("messages_80x24", desk.screen());
    desk.press("m").await;
    desk.assert_hides("Problem");
    desk.press_expecting("p", "Context is paused: agents learn nothing about your files (p resumes).").await;
    desk.assert_hides("more: m");
    desk.press_expecting("?", "help, past messages").await;
}

#[tokio::test(start_paused = true)]
async fn the_files_of_all_reviews_are_counted_in_one_line() {
    let mut desk = TestDesk::reading(120, 30).await;
    for id in 2..=7 {
        desk.propose(id, &format!("/shop/{id}.py")).await;
        desk.press("\tjjjjjj").await;
    }
    desk.wait_until_keys_count().await;
    desk.press_and_wait_expecting("Ay", "7 accepted.").await;
    for id in 1..=7 {
        desk.written(id).await;
    }
    desk.assert_shows("7 accepted, 7 written.");
    desk.assert_hides("more: m");
    // A file that is accepted alone has its own line.
    desk.propose_and_wait(8, "/shop/8.py").await;
    desk.press("a").await;
    desk.written(8).await;
    desk.assert_shows("8.py: written as accepted.");
}

#[tokio::test(start_paused = true)]
async fn the_header_says_that_a_file_will_be_empty() {
    for (width, height) in SIZES {
        let mut desk = TestDesk::showing(width, height, &[differs("all\nof\nit\n", "")]).await;
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
async fn v_comes_back_to_the_layout_by_width() {
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
        let desk = TestDesk::showing(width, height, &long_and_deep()).await;
        let screen = desk.screen();
        assert!(!screen.contains('…'), "a line that stays is as whole as the one that goes:\n{screen}");
        for word in ["total_of", "every_item_there_is", "including", "rebates"] {
            assert!(screen.matches(word).count() >= 4, "{word} is broken:\n{screen}");
        }
        let goes_on: Vec<_> = screen.lines().filter(|row| row.contains('↳')).collect();
        assert!(!goes_on.is_empty() && goes_on.iter().all(|row| row.contains("↳         ")), "{screen}");
        assert_snapshot!(format!("wrapped_{width}x{height}"), screen);
    }
}

#[tokio::test(start_paused = true)]
async fn u_undoes_a_reason_that_was_just_given() {
    let mut desk = TestDesk::connected(120, 28).await;
    desk.open_unlike(1, "/shop/basket.py", &pieces(), |review| review.reasons = Reasons::Always);
    desk.wait_until_keys_count().await;
    for (typed, said) in [("too early", "Reason removed."), ("later", "Reason removed.")] {
        desk.press("R\t").await;
        desk.press(typed).await;
        desk.press_expecting("\n", &format!("Your reason for Gemini CLI: {typed}")).await;
        desk.press_expecting("u", said).await;
        desk.assert_hides("Your reason");
    }
    // The undo of a reason that replaced another one restores that one.
    desk.press_expecting("R\tone\nR\t two\n", "Your reason for Gemini CLI: one two").await;
    desk.press_expecting("u", "Your reason for Gemini CLI: one").await;
    desk.assert_hides("one two");
    // After another change, `u` undoes that change.
    desk.press_expecting("R\t!\n u", "Undone.").await;
    desk.assert_shows("Your reason for Gemini CLI: one!");
    desk.press_expecting("u", "There is nothing to undo.").await;
}

#[tokio::test(start_paused = true)]
async fn a_demo_names_no_hook() {
    let mut desk = TestDesk::demo(120).await;
    desk.press_expecting("R", "Gemini CLI reads no reason here: its protocol carries none.").await;
    desk.assert_hides("install agent");
}
