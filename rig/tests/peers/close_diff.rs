//! `closeDiff`: the person has answered in the agent's own prompt, and the agent fetches the text.

use std::time::Duration;

use alongside_companion::desk::{Closing, Event, Request};
use alongside_rig::wire::within;
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn close_diff_returns_edited_text_as_json_in_a_text_block() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let path = stage.path("a.txt");
    peer.open_diff(1, &path, "proposed\n").await;
    let review = stage.review().await;
    stage.edit(&review, "edited \"by\" hand\n").await;
    assert_eq!(peer.close_diff(2, &path).await, json!({ "content": "edited \"by\" hand\n" }));
    assert_eq!(stage.next_closed().await.closing, Closing::AnsweredInAgent);
    stream.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn a_second_close_diff_returns_the_same_text() {
    let (mut stage, peer) = Stage::with_peer().await;
    let path = stage.path("a.txt");
    peer.open_diff(1, &path, "proposed\n").await;
    stage.review().await;
    // The desk leaves the request to flush unanswered. That does not block the agent.
    for id in [2, 3] {
        assert_eq!(peer.close_diff(id, &path).await, json!({ "content": "proposed\n" }));
    }
}

#[tokio::test]
async fn close_diff_before_the_receipt_returns_the_decided_text() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let path = stage.path("a.txt");
    stage.open_and_accept(&peer, 1, &path, "proposed\n").await;
    stream.wait_for("ide/diffAccepted").await;
    let ping = stream.wait_for("ping").await;
    assert_eq!(peer.close_diff(2, &path).await, json!({ "content": "proposed\n" }));
    peer.pong(&ping).await;
    stream.silent_for(Duration::from_millis(200)).await;
}

#[tokio::test]
async fn close_diff_of_a_decided_unsent_diff_returns_its_text() {
    let (mut stage, peer) = Stage::with_peer().await;
    let path = stage.path("a.txt");
    stage.open_and_accept(&peer, 1, &path, "proposed\n").await;
    assert_eq!(peer.close_diff(2, &path).await, json!({ "content": "proposed\n" }));
    peer.listen().await.silent_for(Duration::from_millis(400)).await;
}

#[tokio::test]
async fn close_diff_of_an_unknown_path_returns_an_empty_object() {
    let (stage, peer) = Stage::with_peer().await;
    assert_eq!(peer.close_diff(1, &stage.path("never")).await, json!({}));
    assert_eq!(peer.close_diff(2, "not even absolute").await, json!({}));
}

#[tokio::test]
async fn another_spelling_of_the_path_is_another_diff() {
    let (mut stage, peer) = Stage::with_peer().await;
    peer.open_diff(1, &stage.path("a.txt"), "x\n").await;
    let review = stage.review().await;
    assert_eq!(peer.close_diff(2, &stage.path("./a.txt")).await, json!({}));
    peer.open_diff(3, &stage.path("sub/../a.txt"), "other\n").await;
    // The first review is still open.
    stage.edit(&review, "y\n").await;
    assert_eq!(peer.close_diff(4, &stage.path("a.txt")).await, json!({ "content": "y\n" }));
}

#[tokio::test]
async fn close_diff_without_a_path_is_an_error_of_the_tool() {
    let stage = Stage::new().await;
    let result = stage.peer().await.call(1, "closeDiff", json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
}

#[tokio::test]
async fn desk_flushes_unsent_edits_before_the_answer() {
    let (mut stage, peer) = Stage::with_peer().await;
    let path = stage.path("a.txt");
    peer.open_diff(1, &path, "proposed\n").await;
    let review = stage.review().await;
    let closing = tokio::spawn({
        let (peer, path) = (peer.clone(), path.clone());
        async move { peer.close_diff(2, &path).await }
    });
    let flush = Event::FlushReview { id: review.id };
    while within("the flush request", stage.desk.next()).await.unwrap() != flush {}
    stage.edit(&review, "typed at the last moment\n").await;
    stage.desk.request(Request::Flushed { id: review.id }).await.unwrap();
    assert_eq!(closing.await.unwrap(), json!({ "content": "typed at the last moment\n" }));
}
