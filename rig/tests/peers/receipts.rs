//! Receipts: an outcome is resent only while it is unknown whether it has arrived, and never after the agent
//! may have sent its next proposal of the same file.

use std::time::{Duration, Instant};

use alongside_companion::desk::{Decision, Review};
use alongside_rig::wire::{Peer, Raw, Stream, open_diff_call, within};
use serde_json::Value;

use crate::stage::Stage;

/// Connects an agent, accepts its proposal, and breaks its stream before it answers the ping. Returns the
/// path of the proposal and the ping.
async fn with_unsettled_outcome() -> (Stage, Peer, String, Value) {
    let (mut stage, peer) = Stage::with_peer().await;
    let path = stage.path("a.txt");
    let mut stream = peer.listen().await;
    stage.open_and_accept(&peer, 1, &path, "x\n").await;
    stream.wait_for("ide/diffAccepted").await;
    let ping = stream.wait_for("ping").await;
    stream.reset();
    (stage, peer, path, ping)
}

/// Sends the head of a POST request and the first `bytes` bytes of its body.
async fn begin_post(peer: &Peer, body: &str, bytes: usize) -> Raw {
    let mut post = Raw::dial(peer.port).await;
    post.send(peer.post_head(body.len())).await;
    post.send(&body[..bytes]).await;
    post
}

/// Waits for an outcome that accepts the proposal of `path`.
async fn wait_for_accepted(stream: &mut Stream, path: &str) {
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["filePath"], path);
}

/// The time in which no outcome may come.
const SILENCE: Duration = Duration::from_millis(500);

#[tokio::test]
async fn a_settled_outcome_is_never_sent_again() {
    let (_stage, peer, _, ping) = with_unsettled_outcome().await;
    peer.pong(&ping).await;
    for _ in 0..3 {
        peer.listen().await.silent_for(SILENCE).await;
    }
}

#[tokio::test]
async fn unsettled_outcome_is_resent_with_a_new_ping() {
    let (_stage, peer, path, mut last) = with_unsettled_outcome().await;
    for _ in 0..3 {
        let mut stream = peer.listen().await;
        wait_for_accepted(&mut stream, &path).await;
        let ping = stream.wait_for("ping").await;
        assert_ne!(ping["id"], last["id"]);
        last = ping;
        stream.reset();
    }
    peer.pong(&last).await;
    peer.listen().await.silent_for(SILENCE).await;
}

#[tokio::test]
async fn resend_waits_100_ms_after_the_new_stream() {
    let (_stage, peer, path, _) = with_unsettled_outcome().await;
    for _ in 0..5 {
        let before = Instant::now();
        let mut stream = peer.listen().await;
        wait_for_accepted(&mut stream, &path).await;
        // The time begins before the GET, so that a slow machine can only lengthen it.
        assert!(before.elapsed() >= Duration::from_millis(100), "after {:?}", before.elapsed());
    }
}

#[tokio::test]
async fn resend_waits_for_an_unparsed_post_of_the_session() {
    let (mut stage, peer, path, _) = with_unsettled_outcome().await;
    let next = open_diff_call(2, &path, "the next proposal\n");
    let mut post = begin_post(&peer, &next, 20).await;
    let mut stream = peer.listen().await;
    stream.silent_for(Duration::from_millis(800)).await;
    post.send(&next[20..]).await;
    assert_eq!(post.answer().await.status(), 200);
    // This was the next openDiff of that path, so the old outcome must never come.
    stream.silent_for(SILENCE).await;
    let review = stage.review().await;
    stage.decide(&review, Decision::Reject).await.unwrap();
    stream.wait_for("ide/diffRejected").await;
}

#[tokio::test]
async fn harmless_unparsed_post_only_delays_the_outcome() {
    let (stage, peer, path, _) = with_unsettled_outcome().await;
    let next = open_diff_call(2, &stage.path("b.txt"), "another file\n");
    let mut post = begin_post(&peer, &next, 0).await;
    let mut stream = peer.listen().await;
    stream.silent_for(Duration::from_millis(400)).await;
    post.send(&next).await;
    wait_for_accepted(&mut stream, &path).await;
}

#[tokio::test]
async fn broken_off_post_does_not_hold_the_outcome_for_ever() {
    let (stage, peer, path, _) = with_unsettled_outcome().await;
    let mut post = Raw::dial(stage.port()).await;
    post.send(peer.post_head(1000)).await;
    post.send("{\"jsonrpc\"").await;
    let mut stream = peer.listen().await;
    stream.silent_for(Duration::from_millis(300)).await;
    post.reset();
    wait_for_accepted(&mut stream, &path).await;
}

#[tokio::test]
async fn open_diff_of_the_path_drops_its_unsettled_outcome() {
    let (mut stage, peer, path, _) = with_unsettled_outcome().await;
    peer.open_diff(2, &path, "again\n").await;
    let mut stream = peer.listen().await;
    stream.silent_for(SILENCE).await;
    stage.accept().await;
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], "again\n");
}

#[tokio::test]
async fn close_diff_of_the_path_drops_its_unsettled_outcome() {
    let (_stage, peer, path, _) = with_unsettled_outcome().await;
    peer.close_diff(2, &path).await;
    peer.listen().await.silent_for(SILENCE).await;
}

#[tokio::test]
async fn an_open_diff_of_another_path_forgets_nothing() {
    let (stage, peer, path, _) = with_unsettled_outcome().await;
    peer.open_diff(2, &stage.path("b.txt"), "another\n").await;
    wait_for_accepted(&mut peer.listen().await, &path).await;
}

#[tokio::test]
async fn a_refused_open_diff_of_that_path_forgets_the_outcome_too() {
    let (_stage, peer, path, _) = with_unsettled_outcome().await;
    // The agent has moved on, even with a proposal that cannot be shown.
    std::fs::create_dir(&path).unwrap();
    let arguments = serde_json::json!({ "filePath": path, "newContent": "x" });
    assert_eq!(peer.call(2, "openDiff", arguments).await["isError"], true);
    peer.listen().await.silent_for(SILENCE).await;
}

#[tokio::test]
async fn an_error_in_place_of_a_pong_is_a_receipt_as_well() {
    let (_stage, peer, _, ping) = with_unsettled_outcome().await;
    let refusal = serde_json::json!({ "code": -32601, "message": "no" });
    let error = serde_json::json!({ "jsonrpc": "2.0", "id": ping["id"], "error": refusal });
    assert_eq!(peer.post(error.to_string()).await.status(), 202);
    peer.listen().await.silent_for(SILENCE).await;
}

#[tokio::test]
async fn unrelated_reply_is_accepted_and_settles_nothing() {
    let (_stage, peer, path, _) = with_unsettled_outcome().await;
    for id in ["0", "\"x\"", "null"] {
        let status = peer.post(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await.status();
        assert!(status == 202 || (id == "null" && status == 400), "{id}: {status}");
    }
    wait_for_accepted(&mut peer.listen().await, &path).await;
}

/// An open review, whose agent has sent a part of its next proposal of the same file.
struct ProposedAgain {
    stage: Stage,
    stream: Stream,
    first: Review,
    post: Raw,
    rest: String,
}

async fn proposed_again() -> ProposedAgain {
    let (mut stage, peer) = Stage::with_peer().await;
    let path = stage.path("a.txt");
    let stream = peer.listen().await;
    peer.open_diff(1, &path, "first\n").await;
    let first = stage.review().await;
    let next = open_diff_call(2, &path, "second\n");
    let post = begin_post(&peer, &next, 20).await;
    // The answer to this later request shows that the companion has read the head.
    peer.request(9, "ping", serde_json::json!({})).await;
    ProposedAgain { stage, stream, first, post, rest: next[20..].to_owned() }
}

#[tokio::test]
async fn decision_on_last_proposal_never_answers_the_next() {
    let ProposedAgain { mut stage, mut stream, first, mut post, rest } = proposed_again().await;
    stage.decide(&first, Decision::Accept).await.unwrap();
    stream.silent_for(Duration::from_millis(200)).await;
    post.send(rest).await;
    assert_eq!(post.answer().await.status(), 200);
    stream.silent_for(SILENCE).await;
    stage.reject().await;
    stream.wait_for("ide/diffRejected").await;
}

#[tokio::test]
async fn decision_waits_no_longer_than_the_broken_off_post() {
    let ProposedAgain { stage, mut stream, first, post, .. } = proposed_again().await;
    stage.decide(&first, Decision::Accept).await.unwrap();
    post.reset();
    wait_for_accepted(&mut stream, &first.file).await;
}

#[tokio::test]
async fn endless_post_does_not_delay_rejections_at_stop() {
    let ProposedAgain { stage, mut stream, first, post: _post, .. } = proposed_again().await;
    let stopping = tokio::spawn(stage.companion.stop());
    assert_eq!(stream.wait_for("ide/diffRejected").await["params"]["filePath"], first.file);
    within("the companion to stop", stopping).await.unwrap();
}
