//! Tests of accepting several reviews after one confirmation: exactly the listed revisions are accepted.

use alongside_desk::{Closing, Refusal};
use insta::assert_snapshot;

use super::*;

fn accepted(id: u64, revision: u64) -> Request {
    decided(id, revision, Decision::Accept)
}

/// Starts a desk with the reviews 1 to `n`, each of which has been on the screen.
async fn seen(n: u64, width: u16, height: u16) -> Stage {
    let mut stage = Stage::reading(width, height).await;
    for id in 2..=n {
        stage.propose(id, &format!("/shop/{id}.py")).await;
    }
    for _ in 0..n {
        stage.press("\tjjjjjj").await;
    }
    stage.a_while().await;
    stage
}

#[tokio::test(start_paused = true)]
async fn a_review_is_seen_once_each_of_its_changes_was_on_the_screen() {
    let mut stage = Stage::reading(80, 14).await;
    stage.shows_on("A", "Not accepted; these wait on:").await;
    stage.shows("seen 1 of 3 changes");
    stage.shows("No review can be accepted from this list.");
    stage.shows_on("njA", "seen 2 of 3 changes").await;
    stage.shows_on("njA", "Accept this review?").await;
    // A drop does not make the change unseen.
    stage.shows_on("n A", "Accept this review?").await;
    stage.press("n").await;
    let lines: String = (1..=100).map(|n| format!("{n}\n")).collect();
    stage.open(2, "/shop/new.txt", &[differs("", &lines)]);
    stage.a_while().await;
    stage.shows_on("\tA", "Accept this review? new.txt seen 11 of 100 lines, and waits.").await;
}

#[tokio::test(start_paused = true)]
async fn one_confirmation_accepts_every_review_it_lists() {
    let mut stage = seen(3, 120, 24).await;
    stage.shows_on("A", "Accept these 3 reviews?").await;
    assert_eq!(stage.asked(), []);
    stage.press("y").await;
    assert_eq!(stage.asked(), [accepted(1, 1), accepted(2, 1), accepted(3, 1)]);
    stage.a_while().await;
    stage.shows("3 accepted.");
}

#[tokio::test(start_paused = true)]
async fn the_result_covers_warnings_that_wait() {
    let mut stage = seen(2, 120, 24).await;
    stage.press("A").await;
    stage.tell_problems(&["first", "second"]).await;
    stage.reads_on("y", "2 accepted. (2 more: m)").await;
}

#[tokio::test(start_paused = true)]
async fn the_list_names_each_review_and_why_others_wait() {
    let mut stage = seen(4, 100, 24).await;
    let qwen = stage.qwen.clone();
    stage.companion.open(5, &qwen, "/shop/unseen.py", &pieces());
    stage.companion.change(2, |review, _| review.stale = true);
    stage.companion.drop_elsewhere(3, &[1]);
    stage.a_while().await;
    stage.press(" A").await;
    assert_snapshot!("accept_all", stage.screen());
    stage.resize(60, 16).await;
    assert_snapshot!("accept_all_60x16", stage.screen());
    stage.press_and_read("y").await;
    assert_eq!(stage.asked()[1..], [accepted(1, 2), accepted(4, 1)]);
    stage.shows("2 accepted; 3 others wait.");
}

#[tokio::test(start_paused = true)]
async fn a_review_that_changes_or_comes_after_the_list_waits() {
    let mut stage = seen(3, 120, 24).await;
    stage.press("A").await;
    stage.companion.drop_elsewhere(2, &[0]);
    stage.propose_and_read(4, "/shop/late.py").await;
    stage.does_not_show("late.py +7 -6 Gemini CLI");
    stage.press_and_read("y").await;
    assert_eq!(stage.asked(), [accepted(1, 1), accepted(3, 1)]);
    stage.shows("2 accepted; 1 changed meanwhile and waits; 1 arrived meanwhile and waits.");
    stage.shows("2.py");
}

#[tokio::test(start_paused = true)]
async fn a_review_whose_acceptance_is_refused_waits() {
    let mut stage = seen(2, 120, 24).await;
    stage.press("A").await;
    stage.companion.refuse = Some(Refusal::Stale { revision: 2 });
    stage.press_and_read("y").await;
    assert_eq!(stage.asked(), [accepted(1, 1), accepted(2, 1)]);
    stage.shows("1 accepted; 1 changed meanwhile and waits.");
    // Keys act again on the review that stayed.
    stage.press("a").await;
    assert_eq!(stage.asked().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_review_that_ends_under_the_list_is_not_accepted() {
    let mut stage = seen(2, 120, 24).await;
    stage.press("A").await;
    stage.companion.close(1, Closing::AnsweredInAgent, None);
    stage.a_while().await;
    stage.press_and_read("y").await;
    assert_eq!(stage.asked(), [accepted(2, 1)]);
    stage.shows("1 accepted; 1 ended meanwhile.");
}

#[tokio::test(start_paused = true)]
async fn a_reply_before_the_list_is_on_the_screen_accepts_nothing() {
    let mut stage = seen(2, 120, 24).await;
    stage.press_fast("Ay").await;
    assert_eq!(stage.asked(), []);
    stage.shows("Accept these 2 reviews?");
    stage.press("nay").await;
    assert_eq!(stage.asked(), [accepted(1, 1)], "the list is closed, and keys mean the review again");
}

#[tokio::test(start_paused = true)]
async fn a_list_longer_than_the_screen_is_read_to_its_end_first() {
    let mut stage = seen(12, 80, 12).await;
    stage.press("Ay").await;
    assert_eq!(stage.asked(), []);
    stage.shows("Accept these 12 reviews? The list goes on below (j).");
    stage.press("jjjjjjy").await;
    assert_eq!(stage.asked().len(), 12);
    stage.a_while().await;
    stage.shows("12 accepted.");
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_review_to_accept_only_explains() {
    let mut stage = Stage::reading(120, 24).await;
    stage.companion.change(1, |review, _| review.dirty = true);
    stage.a_while().await;
    stage.shows_on("A", "No review can be accepted from this list.").await;
    stage.shows("an editor holds unsaved changes");
    stage.press("y").await;
    assert_eq!(stage.asked(), []);
    stage.key(KeyCode::Esc).await;
    stage.does_not_show("from this list");
}
