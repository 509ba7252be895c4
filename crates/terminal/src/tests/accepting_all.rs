//! Tests of accepting several reviews after one confirmation: exactly the listed revisions are accepted.

use alongside_desk::{Closing, LastWord, Refusal, Word};
use insta::assert_snapshot;

use super::*;

impl TestDesk {
    /// Reports that the file of a decided review is written as accepted.
    async fn written(&mut self, id: u64) {
        let (file, message) = (format!("/shop/{id}.py"), format!("{id}.py: written as accepted."));
        let word = Word::WrittenAsAccepted;
        self.companion.send(Event::LastWord(LastWord { id: ReviewId(id), file, word, message }));
        self.deliver_all().await;
    }
}

fn accepted(id: u64, revision: u64) -> Request {
    decided(id, revision, Decision::Accept)
}

/// Starts a desk with the reviews 1 to `n`, each of which has been on the screen.
async fn seen(n: u64, width: u16, height: u16) -> TestDesk {
    let mut desk = TestDesk::reading(width, height).await;
    for id in 2..=n {
        desk.propose(id, &format!("/shop/{id}.py")).await;
    }
    for _ in 0..n {
        desk.press("\tjjjjjj").await;
    }
    desk.wait_until_keys_count().await;
    desk
}

#[tokio::test(start_paused = true)]
async fn a_review_is_seen_once_each_of_its_changes_was_on_the_screen() {
    let mut desk = TestDesk::reading(80, 14).await;
    desk.press_expecting("A", "Not accepted; these wait on:").await;
    desk.assert_shows("seen 1 of 3 changes");
    desk.assert_shows("No review can be accepted from this list.");
    desk.press_expecting("njA", "seen 2 of 3 changes").await;
    desk.press_expecting("njA", "Accept this review?").await;
    // A drop does not make the change unseen.
    desk.press_expecting("n A", "Accept this review?").await;
    desk.press("n").await;
    let lines: String = (1..=100).map(|n| format!("{n}\n")).collect();
    desk.open(2, "/shop/new.txt", &[differs("", &lines)]);
    desk.wait_until_keys_count().await;
    desk.press_expecting("\tA", "Accept this review? new.txt seen 11 of 100 lines, and waits.").await;
}

#[tokio::test(start_paused = true)]
async fn one_confirmation_accepts_every_review_it_lists() {
    let mut desk = seen(3, 120, 24).await;
    desk.press_expecting("A", "Accept these 3 reviews?").await;
    assert_eq!(desk.requests(), []);
    desk.press("y").await;
    assert_eq!(desk.requests(), [accepted(1, 1), accepted(2, 1), accepted(3, 1)]);
    desk.wait_until_keys_count().await;
    desk.assert_shows("3 accepted.");
}

#[tokio::test(start_paused = true)]
async fn the_result_covers_warnings_that_wait() {
    let mut desk = seen(2, 120, 24).await;
    desk.press("A").await;
    desk.send_problems(&["first", "second"]).await;
    desk.press_and_wait_expecting("y", "2 accepted. (2 more: m)").await;
}

#[tokio::test(start_paused = true)]
async fn the_list_names_each_review_and_why_others_wait() {
    let mut desk = seen(4, 100, 24).await;
    let qwen = desk.qwen.clone();
    desk.companion.open(5, &qwen, "/shop/unseen.py", &pieces());
    desk.companion.change(2, |review, _| review.stale = true);
    desk.companion.drop_elsewhere(3, &[1]);
    desk.wait_until_keys_count().await;
    desk.press(" A").await;
    assert_snapshot!("accept_all", desk.screen());
    desk.resize(60, 16).await;
    assert_snapshot!("accept_all_60x16", desk.screen());
    desk.press_and_wait("y").await;
    assert_eq!(desk.requests()[1..], [accepted(1, 2), accepted(4, 1)]);
    desk.assert_shows("2 accepted; 3 others wait.");
}

#[tokio::test(start_paused = true)]
async fn a_review_that_changes_or_comes_after_the_list_waits() {
    let mut desk = seen(3, 120, 24).await;
    desk.press("A").await;
    desk.companion.drop_elsewhere(2, &[0]);
    desk.propose_and_wait(4, "/shop/late.py").await;
    desk.assert_hides("late.py +7 -6 Gemini CLI");
    desk.press_and_wait("y").await;
    assert_eq!(desk.requests(), [accepted(1, 1), accepted(3, 1)]);
    desk.assert_shows("2 accepted; 1 changed meanwhile and waits; 1 arrived meanwhile and waits.");
    desk.assert_shows("2.py");
}

#[tokio::test(start_paused = true)]
async fn a_review_whose_acceptance_is_refused_waits() {
    let mut desk = seen(2, 120, 24).await;
    desk.press("A").await;
    desk.companion.refuse = Some(Refusal::Stale { revision: 2 });
    desk.press_and_wait("y").await;
    assert_eq!(desk.requests(), [accepted(1, 1), accepted(2, 1)]);
    desk.assert_shows("1 accepted; 1 changed meanwhile and waits.");
    // Keys act again on the review that stayed.
    desk.press("a").await;
    assert_eq!(desk.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_review_that_ends_under_the_list_is_not_accepted() {
    let mut desk = seen(2, 120, 24).await;
    desk.press("A").await;
    desk.companion.close(1, Closing::AnsweredInAgent, None);
    desk.wait_until_keys_count().await;
    desk.press_and_wait("y").await;
    assert_eq!(desk.requests(), [accepted(2, 1)]);
    desk.assert_shows("1 accepted; 1 ended meanwhile.");
}

#[tokio::test(start_paused = true)]
async fn a_reply_before_the_list_is_on_the_screen_accepts_nothing() {
    let mut desk = seen(2, 120, 24).await;
    desk.press_fast("Ay").await;
    assert_eq!(desk.requests(), []);
    desk.assert_shows("Accept these 2 reviews?");
    desk.press("nay").await;
    assert_eq!(desk.requests(), [accepted(1, 1)], "the list is closed, and keys mean the review again");
}

#[tokio::test(start_paused = true)]
async fn a_list_longer_than_the_screen_is_read_to_its_end_first() {
    let mut desk = seen(12, 80, 12).await;
    desk.press("Ay").await;
    assert_eq!(desk.requests(), []);
    desk.assert_shows("Accept these 12 reviews? The list goes on below (j).");
    desk.press("jjjjjjy").await;
    assert_eq!(desk.requests().len(), 12);
    desk.wait_until_keys_count().await;
    desk.assert_shows("12 accepted.");
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_review_to_accept_only_explains() {
    let mut desk = TestDesk::reading(120, 24).await;
    desk.companion.change(1, |review, _| review.dirty = true);
    desk.wait_until_keys_count().await;
    desk.press_expecting("A", "No review can be accepted from this list.").await;
    desk.assert_shows("an editor holds unsaved changes");
    desk.press("y").await;
    assert_eq!(desk.requests(), []);
    desk.key(KeyCode::Esc).await;
    desk.assert_hides("from this list");
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
