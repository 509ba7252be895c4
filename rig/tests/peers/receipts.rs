//! Receipts: an outcome is resent only while its arrival is unknown, and never when the agent may already
//! have sent its next request.

use std::time::{Duration, Instant};

use alongside_companion::desk::{Decision, Review};
use alongside_rig::wire::{Peer, Raw, Stream, open_diff_call, within};
use serde_json::Value;

use crate::stage::Stage;

/// An outcome whose stream is lost before its ping is answered.
async fn unsettled(stage: &mut Stage, peer: &Peer, path: &str) -> Value {
    let mut stream = peer.listen().await;
    peer.open_diff(1, path, "x\n").await;
    stage.accept().await;
    stream.told("ide/diffAccepted").await;
    let ping = stream.told("ping").await;
    stream.reset();
    ping
}

async fn accepted(stream: &mut Stream, path: &str) {
    assert_eq!(stream.told("ide/diffAccepted").await["params"]["filePath"], path);
}

const NOTHING: Duration = Duration::from_millis(500);

#[tokio::test]
async fn a_settled_outcome_is_never_sent_again() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    let ping = unsettled(&mut stage, &peer, &path).await;
    peer.pong(&ping).await;
    for _ in 0..3 {
        peer.listen().await.silent_for(NOTHING).await;
    }
}

#[tokio::test]
async fn unsettled_outcome_is_resent_with_a_new_ping() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    let mut last = unsettled(&mut stage, &peer, &path).await;
    for _ in 0..3 {
        let mut stream = peer.listen().await;
        accepted(&mut stream, &path).await;
        let ping = stream.told("ping").await;
        assert_ne!(ping["id"], last["id"]);
        last = ping;
        stream.reset();
    }
    peer.pong(&last).await;
    peer.listen().await.silent_for(NOTHING).await;
}

#[tokio::test]
async fn resend_waits_100_ms_after_the_new_stream() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    for _ in 0..5 {
        let before = Instant::now();
        let mut stream = peer.listen().await;
        accepted(&mut stream, &path).await;
        // Measured from before the GET, so that a slow machine can only lengthen it.
        assert!(before.elapsed() >= Duration::from_millis(100), "after {:?}", before.elapsed());
    }
}

#[tokio::test]
async fn resend_waits_for_an_unparsed_post_of_the_session() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    let next = open_diff_call(2, &path, "the next proposal\n");
    let mut post = Raw::dial(stage.port()).await;
    post.send(peer.post_head(next.len())).await;
    post.send(&next[..20]).await;
    let mut stream = peer.listen().await;
    stream.silent_for(Duration::from_millis(800)).await;
    post.send(&next[20..]).await;
    assert_eq!(post.answer().await.status(), 200);
    // This was the next openDiff of that path: the old outcome must never come.
    stream.silent_for(NOTHING).await;
    let review = stage.review().await;
    stage.decide(&review, Decision::Reject).await.unwrap();
    stream.told("ide/diffRejected").await;
}

#[tokio::test]
async fn harmless_unparsed_post_only_delays_the_outcome() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    let next = open_diff_call(2, &stage.path("b.txt"), "another file\n");
    let mut post = Raw::dial(stage.port()).await;
    post.send(peer.post_head(next.len())).await;
    let mut stream = peer.listen().await;
    stream.silent_for(Duration::from_millis(400)).await;
    post.send(&next).await;
    accepted(&mut stream, &path).await;
}

#[tokio::test]
async fn broken_off_post_does_not_hold_the_outcome_for_ever() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    let mut post = Raw::dial(stage.port()).await;
    post.send(peer.post_head(1000)).await;
    post.send("{\"jsonrpc\"").await;
    let mut stream = peer.listen().await;
    stream.silent_for(Duration::from_millis(300)).await;
    post.reset();
    accepted(&mut stream, &path).await;
}

#[tokio::test]
async fn open_diff_of_the_path_drops_its_unsettled_outcome() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    peer.open_diff(2, &path, "again\n").await;
    let mut stream = peer.listen().await;
    stream.silent_for(NOTHING).await;
    stage.accept().await;
    assert_eq!(stream.told("ide/diffAccepted").await["params"]["content"], "again\n");
}

#[tokio::test]
async fn close_diff_of_the_path_drops_its_unsettled_outcome() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    peer.close_diff(2, &path).await;
    peer.listen().await.silent_for(NOTHING).await;
}

#[tokio::test]
async fn an_open_diff_of_another_path_forgets_nothing() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    peer.open_diff(2, &stage.path("b.txt"), "another\n").await;
    accepted(&mut peer.listen().await, &path).await;
}

#[tokio::test]
async fn a_refused_open_diff_of_that_path_forgets_the_outcome_too() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    // The agent has moved on, even with a proposal that cannot be shown.
    std::fs::create_dir(&path).unwrap();
    let arguments = serde_json::json!({ "filePath": path, "newContent": "x" });
    assert_eq!(peer.call(2, "openDiff", arguments).await["isError"], true);
    peer.listen().await.silent_for(NOTHING).await;
}

#[tokio::test]
async fn an_error_in_place_of_a_pong_is_a_receipt_as_well() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    let ping = unsettled(&mut stage, &peer, &path).await;
    let refusal = serde_json::json!({ "code": -32601, "message": "no" });
    let error = serde_json::json!({ "jsonrpc": "2.0", "id": ping["id"], "error": refusal });
    assert_eq!(peer.post(error.to_string()).await.status(), 202);
    peer.listen().await.silent_for(NOTHING).await;
}

#[tokio::test]
async fn unrelated_reply_is_accepted_and_settles_nothing() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    unsettled(&mut stage, &peer, &path).await;
    for id in ["0", "\"x\"", "null"] {
        let status = peer.post(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await.status();
        assert!(status == 202 || (id == "null" && status == 400), "{id}: {status}");
    }
    accepted(&mut peer.listen().await, &path).await;
}

/// A waiting review, while the agent has sent half of its next proposal for the same file.
async fn proposed_again(stage: &mut Stage, peer: &Peer, path: &str) -> (Review, Raw, String) {
    peer.open_diff(1, path, "first\n").await;
    let first = stage.review().await;
    let next = open_diff_call(2, path, "second\n");
    let mut post = Raw::dial(stage.port()).await;
    post.send(peer.post_head(next.len())).await;
    let (begun, rest) = next.split_at(20);
    post.send(begun).await;
    // The answer to this later request shows that the companion has read the head.
    peer.request(9, "ping", serde_json::json!({})).await;
    (first, post, rest.to_owned())
}

#[tokio::test]
async fn decision_on_last_proposal_never_answers_the_next() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    let mut stream = peer.listen().await;
    let (first, mut post, rest) = proposed_again(&mut stage, &peer, &path).await;
    stage.decide(&first, Decision::Accept).await.unwrap();
    stream.silent_for(Duration::from_millis(200)).await;
    post.send(rest).await;
    assert_eq!(post.answer().await.status(), 200);
    stream.silent_for(NOTHING).await;
    stage.reject().await;
    stream.told("ide/diffRejected").await;
}

#[tokio::test]
async fn decision_waits_no_longer_than_the_broken_off_post() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    let mut stream = peer.listen().await;
    let (first, post, _) = proposed_again(&mut stage, &peer, &path).await;
    stage.decide(&first, Decision::Accept).await.unwrap();
    post.reset();
    accepted(&mut stream, &path).await;
}

#[tokio::test]
async fn endless_post_does_not_delay_rejections_at_stop() {
    let mut stage = Stage::new().await;
    let peer = stage.peer().await;
    let path = stage.path("a.txt");
    let mut stream = peer.listen().await;
    let (_, _post, _) = proposed_again(&mut stage, &peer, &path).await;
    let stopping = tokio::spawn(stage.companion.stop());
    assert_eq!(stream.told("ide/diffRejected").await["params"]["filePath"], path);
    within("the companion to stop", stopping).await.unwrap();
}
