//! Snapshots of the whole screen in every state.

use alongside_desk::{Limit, LineEnding};
use insta::assert_snapshot;

use super::*;

#[tokio::test(start_paused = true)]
async fn nothing_is_connected() {
    let mut stage = Stage::new(120, 24);
    stage.moment().await;
    assert_snapshot!("empty", stage.screen());
    stage.resize(80, 24).await;
    assert_snapshot!("empty_80", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn agents_and_no_review() {
    let mut stage = Stage::new(120, 24);
    stage.moment().await;
    stage.connect().await;
    assert_snapshot!("agents", stage.screen());
    stage.companion.status.agents[1].listening = false;
    stage.tell_status().await;
    assert_snapshot!("agent_away", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn one_review_side_by_side_and_in_one_column() {
    let mut stage = Stage::reading(120, 40).await;
    assert_snapshot!("side_by_side", stage.screen());
    stage.press("v").await;
    assert_snapshot!("side_by_side_turned_to_one_column", stage.screen());
    stage.press("v").await;
    stage.resize(80, 24).await;
    stage.press("v").await;
    assert_snapshot!("one_column_80x24", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn several_reviews_in_the_column_and_in_the_strip() {
    let mut stage = Stage::reading(120, 24).await;
    for (id, file) in [(2, "/shop/src/checkout/payment.py"), (3, "/shop/README.md"), (4, "/shop/漢字.py")] {
        stage.propose(id, file).await;
    }
    assert_snapshot!("several", stage.screen());
    stage.key(KeyCode::BackTab).await;
    assert_snapshot!("several_last_one", stage.screen());
    stage.resize(80, 24).await;
    assert_snapshot!("several_80x24", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn more_reviews_and_agents_than_there_is_room_for() {
    let mut stage = Stage::new(110, 18);
    stage.companion.status.agents =
        (0..12).map(|n| agent(n, &format!("Fork number {n} of Gemini CLI"), "1.0.0", 0)).collect();
    stage.companion.tell_status();
    for id in 1..=12 {
        stage.propose(id, &format!("/shop/a/long/way/down/file{id}.py")).await;
    }
    assert_snapshot!("crowded", stage.screen());
    stage.resize(60, 12).await;
    stage.key(KeyCode::BackTab).await;
    assert_snapshot!("crowded_60x12", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn kept_dropped_and_edited_are_counted() {
    let mut stage = Stage::reading(120, 24).await;
    stage.companion.change(1, |_, pieces| {
        scripted_companion::keep_hunks(pieces, &[2], false);
        if let Piece::Differs { state, now, .. } = &mut pieces[4] {
            (*state, *now) = (HunkState::Edited, "def count(items, more=()):\n    pass\n".into());
        }
    });
    stage.moment().await;
    assert_snapshot!("kept_dropped_edited", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn the_help_has_an_end_and_a_beginning() {
    let mut stage = Stage::reading(60, 15).await;
    stage.shows_on("?", "Moving").await;
    stage.does_not_show("quit (Ctrl-C twice: now)");
    stage.shows_on("G", "quit (Ctrl-C twice: now)").await;
    stage.press("k").await;
    stage.does_not_show("quit (Ctrl-C twice: now)");
    stage.shows_on("g", "Moving").await;
    stage.shows_on("⎋", "change 1 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn help_on_a_big_and_a_small_screen() {
    let mut stage = Stage::reading(120, 40).await;
    stage.press("?").await;
    assert_snapshot!("help", stage.screen());
    stage.resize(80, 24).await;
    stage.press("jjj").await;
    assert_snapshot!("help_80x24", stage.screen());
    stage.shows_on("⎋", "change 1 of 3").await;
}

#[tokio::test(start_paused = true)]
async fn questions() {
    let mut stage = Stage::reading(120, 24).await;
    stage.press("q").await;
    assert_snapshot!("question_leave", stage.screen());
    stage.press("n").await;
    stage.companion.change(1, |review, _| (review.stale, review.dirty) = (true, true));
    stage.a_while().await;
    assert_snapshot!("stale_and_dirty", stage.screen());
    stage.press("a").await;
    assert_snapshot!("question_accept_anyway", stage.screen());
    stage.press("n").await;
    stage.companion.refuse = Some(alongside_desk::Refusal::Empty);
    // Some changes were not on the screen, so there are two questions.
    stage.press("ayy").await;
    assert_snapshot!("question_single_newline", stage.screen());
}

/// Opens a review after `differ` has changed it.
async fn unlike(stage: &mut Stage, id: u64, file: &str, differ: impl FnOnce(&mut Review)) {
    stage.open_unlike(id, file, &pieces(), differ);
    stage.a_while().await;
}

#[tokio::test(start_paused = true)]
async fn limits_of_the_comparison_are_named_above_the_page() {
    let mut stage = Stage::connected(80, 24).await;
    unlike(&mut stage, 1, "/shop/basket.py", |review| {
        (review.hunks[0].limit, review.hunks[1].limit) = (Some(Limit::Lines), Some(Limit::Words));
    })
    .await;
    stage.shows("Too much differs to compare every line of change 1: some may be equal.");
    stage.does_not_show("mark the words");
}

#[tokio::test(start_paused = true)]
async fn the_header_names_each_danger_before_a_decision() {
    let mut stage = Stage::connected(100, 24).await;
    let reason = "the file is not UTF-8";
    unlike(&mut stage, 1, "/shop/old.txt", |review| {
        (review.original, review.hunks) = (None, Vec::new());
        review.whole_file_only = Some(reason.into());
    })
    .await;
    assert_snapshot!("whole_file_only", stage.screen());
    unlike(&mut stage, 2, "/shop/../etc/x\u{202e}.conf", |review| {
        review.file_line_ending = Some(LineEnding::Crlf);
        review.file_has_bom = Some(true);
    })
    .await;
    stage.key(KeyCode::Tab).await;
    assert_snapshot!("through_parent", stage.screen());
    unlike(&mut stage, 3, "/home/somebody/.profile", |_| {}).await;
    stage.shows_on("\t", "This file is outside the project: /home/somebody/.profile").await;
    unlike(&mut stage, 4, "/shop/docs/config", |review| {
        review.outside = Some("/home/somebody/.ssh/config\u{202e}".into());
    })
    .await;
    stage.shows_on("\t", "This path leads outside the project, to").await;
    stage.shows(r"! /home/somebody/.ssh/config\u{202e}");
    unlike(&mut stage, 5, "/shop/hooks", |review| review.in_git = Some("/shop/.git/hooks\u{202e}".into()))
        .await;
    stage.shows_on("\t", r"Git runs or obeys this file: /shop/.git/hooks\u{202e}").await;
}

#[tokio::test(start_paused = true)]
async fn a_new_file() {
    let mut stage = Stage::connected(120, 20).await;
    let pieces = [differs("", "one\ntwo\nthree\n")];
    stage.open_unlike(1, "/shop/new.txt", &pieces, |review| review.original = None);
    stage.moment().await;
    assert_snapshot!("new_file", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn searching() {
    let mut stage = Stage::reading(100, 24).await;
    stage.press("/names").await;
    assert_snapshot!("search_typing", stage.screen());
    stage.key(KeyCode::Enter).await;
    assert_snapshot!("search_found", stage.screen());
    stage.shows_on("/nothing like it\n", "\"nothing like it\" is not in this text.").await;
    stage.press("/r⎋").await;
    assert_eq!(stage.asked(), [], "letters of a search are no keys");
}

#[tokio::test(start_paused = true)]
async fn paused() {
    let mut stage = Stage::reading(120, 20).await;
    stage.press("p").await;
    stage.moment().await;
    assert_snapshot!("paused", stage.screen());
    stage.shows_on("p", "Context is on: agents learn about your files.").await;
}

#[tokio::test(start_paused = true)]
async fn a_desk_started_with_an_agent_does_not_ask_to_start_one() {
    let options = Options { started: Some("Codex".into()), ..Options::default() };
    let mut stage = Stage::with_options(120, 24, "false", options);
    stage.tell_status().await;
    stage.shows("Codex was started with this desk; it is known here from its first prompt.");
    stage.does_not_show("Start an agent");
}

#[tokio::test(start_paused = true)]
async fn a_demo_leads_from_key_to_key() {
    let mut stage = Stage::demo(120).await;
    assert_snapshot!("demo", stage.screen());
    stage.shows_on("j", "Demo in a scratch project. First press space").await;
    stage.press(" ").await;
    stage.shows("Demo: j goes to the next change; s splits it, e opens the text in your editor.");
    stage.shows_on("u", "Demo: j goes").await;
    stage.shows_on("jja", "Demo: the next file.").await;
    stage.propose_and_read(2, "/shop/other.py").await;
    stage.shows_on("r", "Then `alongside install agent` sets your own agents up.").await;

    let mut stage = Stage::demo(60).await;
    stage.shows("Demo: press space to drop this change.");
    stage.shows_on("jja", "Demo: the next file. a accepts, r rejects.").await;
}

#[tokio::test(start_paused = true)]
async fn too_small_and_back() {
    let mut stage = Stage::reading(39, 12).await;
    assert_snapshot!("too_small", stage.screen());
    stage.resize(20, 8).await;
    let words: Vec<_> = stage.screen().split_whitespace().map(str::to_owned).collect();
    assert_eq!(words.join(" "), "Too small: alongside needs 40x10.", "the message itself fits");
    stage.resize(40, 10).await;
    assert_snapshot!("smallest", stage.screen());
}

#[tokio::test(start_paused = true)]
async fn no_size_is_too_odd_to_draw() {
    let mut stage = Stage::reading(120, 40).await;
    for id in 2..6 {
        stage.propose(id, &format!("/elsewhere/../{id}")).await;
    }
    for keys in ["", "?", "q", "n/漢"] {
        stage.press(keys).await;
        for width in (1..=140).step_by(17) {
            for height in (1..=30).step_by(4) {
                stage.resize(width, height).await;
            }
        }
    }
    assert!(!stage.ended.is_finished());
}
