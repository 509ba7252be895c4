//! Snapshots of the whole screen in every state.

use alongside_desk::{Limit, LineEnding};
use insta::assert_snapshot;

use super::*;

#[tokio::test(start_paused = true)]
async fn nothing_is_connected() {
    let mut desk = TestDesk::new(120, 24);
    desk.deliver_all().await;
    assert_snapshot!("empty", desk.screen());
    desk.resize(80, 24).await;
    assert_snapshot!("empty_80", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn agents_and_no_review() {
    let mut desk = TestDesk::new(120, 24);
    desk.deliver_all().await;
    desk.connect().await;
    assert_snapshot!("agents", desk.screen());
    desk.companion.status.agents[1].listening = false;
    desk.send_status().await;
    assert_snapshot!("agent_away", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn one_review_side_by_side_and_in_one_column() {
    let mut desk = TestDesk::reading(120, 40).await;
    assert_snapshot!("side_by_side", desk.screen());
    desk.press("v").await;
    assert_snapshot!("side_by_side_turned_to_one_column", desk.screen());
    desk.press("v").await;
    desk.resize(80, 24).await;
    desk.press("v").await;
    assert_snapshot!("one_column_80x24", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn several_reviews_in_the_column_and_in_the_strip() {
    let mut desk = TestDesk::reading(120, 24).await;
    for (id, file) in [(2, "/shop/src/checkout/payment.py"), (3, "/shop/README.md"), (4, "/shop/漢字.py")] {
        desk.propose(id, file).await;
    }
    assert_snapshot!("several", desk.screen_with_slashes());
    desk.key(KeyCode::BackTab).await;
    assert_snapshot!("several_last_one", desk.screen_with_slashes());
    desk.resize(80, 24).await;
    assert_snapshot!("several_80x24", desk.screen_with_slashes());
}

#[tokio::test(start_paused = true)]
async fn more_reviews_and_agents_than_there_is_room_for() {
    let mut desk = TestDesk::new(110, 18);
    desk.companion.status.agents =
        (0..12).map(|n| agent(n, &format!("Fork number {n} of Gemini CLI"), "1.0.0", 0)).collect();
    desk.companion.send_status();
    for id in 1..=12 {
        desk.propose(id, &format!("/shop/a/long/way/down/file{id}.py")).await;
    }
    assert_snapshot!("crowded", desk.screen_with_slashes());
    desk.resize(60, 12).await;
    desk.key(KeyCode::BackTab).await;
    assert_snapshot!("crowded_60x12", desk.screen_with_slashes());
}

#[tokio::test(start_paused = true)]
async fn kept_dropped_and_edited_are_counted() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.companion.change(1, |_, pieces| {
        scripted_companion::keep_hunks(pieces, &[2], false);
        if let Piece::Differs { state, now, .. } = &mut pieces[4] {
            (*state, *now) = (HunkState::Edited, "def count(items, more=()):\n    pass\n".into());
        }
    });
    desk.deliver_all().await;
    assert_snapshot!("kept_dropped_edited", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn the_help_has_an_end_and_a_beginning() {
    let mut desk = TestDesk::reading(60, 15).await;
    desk.press_expecting("?", "Moving").await;
    desk.assert_hides("quit (Ctrl-C twice: now)");
    desk.press_expecting("G", "quit (Ctrl-C twice: now)").await;
    desk.press("k").await;
    desk.assert_hides("quit (Ctrl-C twice: now)");
    desk.press_expecting("g", "Moving").await;
    desk.press_expecting("⎋", "change 1 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn help_on_a_big_and_a_small_screen() {
    let mut desk = TestDesk::reading(120, 40).await;
    desk.press("?").await;
    assert_snapshot!("help", desk.screen());
    desk.resize(80, 24).await;
    desk.press("jjj").await;
    assert_snapshot!("help_80x24", desk.screen());
    desk.press_expecting("⎋", "change 1 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn questions() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.press("q").await;
    assert_snapshot!("question_leave", desk.screen());
    desk.press("n").await;
    desk.companion.change(1, |review, _| (review.stale, review.dirty) = (true, true));
    desk.wait_until_keys_count().await;
    assert_snapshot!("stale_and_dirty", desk.screen());
    desk.press("a").await;
    assert_snapshot!("question_accept_anyway", desk.screen());
    desk.press("n").await;
    desk.companion.refuse = Some(alongside_desk::Refusal::Empty);
    // Some changes were not on the screen, so there are two questions.
    desk.press("ayy").await;
    assert_snapshot!("question_single_newline", desk.screen());
}

/// Opens a review after `differ` has changed it.
async fn unlike(desk: &mut TestDesk, id: u64, file: &str, differ: impl FnOnce(&mut Review)) {
    desk.open_unlike(id, file, &pieces(), differ);
    desk.wait_until_keys_count().await;
}

#[tokio::test(start_paused = true)]
async fn limits_of_the_comparison_are_named_above_the_page() {
    let mut desk = TestDesk::connected(80, 24).await;
    unlike(&mut desk, 1, "/shop/basket.py", |review| {
        (review.hunks[0].limit, review.hunks[1].limit) = (Some(Limit::Lines), Some(Limit::Words));
    })
    .await;
    desk.assert_shows("Too much differs to compare every line of change 1: some may be equal.");
    desk.assert_hides("mark the words");
}

#[tokio::test(start_paused = true)]
async fn the_header_names_each_danger_before_a_decision() {
    let mut desk = TestDesk::connected(100, 24).await;
    let reason = "the file is not UTF-8";
    unlike(&mut desk, 1, "/shop/old.txt", |review| {
        (review.original, review.hunks) = (None, Vec::new());
        review.whole_file_only = Some(reason.into());
    })
    .await;
    assert_snapshot!("whole_file_only", desk.screen());
    unlike(&mut desk, 2, "/shop/../etc/x\u{202e}.conf", |review| {
        review.file_line_ending = Some(LineEnding::Crlf);
        review.file_has_bom = Some(true);
    })
    .await;
    desk.key(KeyCode::Tab).await;
    assert_snapshot!("through_parent", desk.screen());
    unlike(&mut desk, 3, "/home/somebody/.profile", |_| {}).await;
    desk.press_expecting("\t", "This file is outside the project: /home/somebody/.profile").await;
    unlike(&mut desk, 4, "/shop/docs/config", |review| {
        review.outside = Some("/home/somebody/.ssh/config\u{202e}".into());
    })
    .await;
    desk.press_expecting("\t", "This path leads outside the project, to").await;
    desk.assert_shows(r"! /home/somebody/.ssh/config\u{202e}");
    unlike(&mut desk, 5, "/shop/hooks", |review| review.in_git = Some("/shop/.git/hooks\u{202e}".into()))
        .await;
    desk.press_expecting("\t", r"Git runs or obeys this file: /shop/.git/hooks\u{202e}").await;
}

#[tokio::test(start_paused = true)]
async fn a_new_file() {
    let mut desk = TestDesk::connected(120, 20).await;
    let pieces = [differs("", "one\ntwo\nthree\n")];
    desk.open_unlike(1, "/shop/new.txt", &pieces, |review| review.original = None);
    desk.deliver_all().await;
    assert_snapshot!("new_file", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn searching() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press("/names").await;
    assert_snapshot!("search_typing", desk.screen());
    desk.key(KeyCode::Enter).await;
    assert_snapshot!("search_found", desk.screen());
    desk.press_expecting("/nothing like it\n", "\"nothing like it\" is not in this text.").await;
    desk.press("/r⎋").await;
    assert_eq!(desk.requests(), [], "letters of a search are no keys");
}

#[tokio::test(start_paused = true)]
async fn paused() {
    let mut desk = TestDesk::reading(120, 20).await;
    desk.press("p").await;
    desk.deliver_all().await;
    assert_snapshot!("paused", desk.screen());
    desk.press_expecting("p", "Context is on: agents learn about your files.").await;
}

#[tokio::test(start_paused = true)]
async fn a_desk_started_with_an_agent_does_not_ask_to_start_one() {
    let options = Options { started: Some("Codex".into()), ..Options::default() };
    let mut desk = TestDesk::with_options(120, 24, "false", options);
    desk.send_status().await;
    desk.assert_shows("Codex was started with this desk; it is known here from its first prompt.");
    desk.assert_hides("Start an agent");
}

#[tokio::test(start_paused = true)]
async fn a_demo_leads_from_key_to_key() {
    let mut desk = TestDesk::demo(120).await;
    assert_snapshot!("demo", desk.screen());
    desk.press_expecting("j", "Demo in a scratch project. First press space").await;
    desk.press(" ").await;
    desk.assert_shows("Demo: j goes to the next change; s splits it, e opens the text in your editor.");
    desk.press_expecting("u", "Demo: j goes").await;
    desk.press_expecting("jja", "Demo: the next file.").await;
    desk.propose_and_wait(2, "/shop/other.py").await;
    desk.press_expecting("r", "Then `alongside install agent` sets your own agents up.").await;

    let mut desk = TestDesk::demo(60).await;
    desk.assert_shows("Demo: press space to drop this change.");
    desk.press_expecting("jja", "Demo: the next file. a accepts, r rejects.").await;
}

#[tokio::test(start_paused = true)]
async fn too_small_and_back() {
    let mut desk = TestDesk::reading(39, 12).await;
    assert_snapshot!("too_small", desk.screen());
    desk.resize(20, 8).await;
    let words: Vec<_> = desk.screen().split_whitespace().map(str::to_owned).collect();
    assert_eq!(words.join(" "), "Too small: alongside needs 40x10.", "the message itself fits");
    desk.resize(40, 10).await;
    assert_snapshot!("smallest", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn no_size_is_too_odd_to_draw() {
    let mut desk = TestDesk::reading(120, 40).await;
    for id in 2..6 {
        desk.propose(id, &format!("/elsewhere/../{id}")).await;
    }
    for keys in ["", "?", "q", "n/漢"] {
        desk.press(keys).await;
        for width in (1..=140).step_by(17) {
            for height in (1..=30).step_by(4) {
                desk.resize(width, height).await;
            }
        }
    }
    assert!(!desk.ended.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_key_without_a_meaning_names_the_help() {
    let mut desk = TestDesk::reading(100, 24).await;
    desk.press_expecting("Z", "Z does nothing here; ? lists the keys.").await;
    assert_eq!(desk.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_messages_leaves_none_waiting() {
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
