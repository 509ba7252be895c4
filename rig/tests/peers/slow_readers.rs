//! Agents that read slowly or not at all delay no other agent, and cost no memory.

use std::time::Duration;

use alongside_companion::desk::{ActiveFile, ContextReport, Decision, Position, Request};
use alongside_rig::wire::{Direction, Fault, Kind, Proxy, within};
use serde_json::json;

use crate::stage::Stage;

/// Returns a text of 14 MB, far more than all buffers between two sockets hold.
pub(crate) fn large_text() -> String {
    format!("{}\n", "0123456789abcdef".repeat(14)).repeat(64 << 10)
}

#[tokio::test]
async fn an_agent_that_stops_reading_holds_no_other_up() {
    let mut stage = Stage::new().await;
    let (deaf, other) = (stage.peer().await, stage.peer().await);
    let _unread = deaf.get().await;
    let mut stream = other.listen().await;
    stage.open_and_accept(&deaf, 1, &stage.path("big.txt"), &large_text()).await;
    // One outcome is in the socket's buffer, and one is being written. The others must wait without delaying
    // the other agent.
    for id in 2..6 {
        stage.open_and_accept(&deaf, id, &stage.path(&format!("{id}.txt")), "x\n").await;
    }
    let path = stage.path("a.txt");
    for id in 0..20 {
        stage.open_and_accept(&other, id, &path, &format!("{id}\n")).await;
        assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], format!("{id}\n"));
        other.acknowledge(&mut stream).await;
    }
    deaf.request(9, "ping", json!({})).await;
}

#[tokio::test]
async fn late_reader_gets_only_the_newest_context() {
    let (mut stage, peer) = Stage::with_peer().await;
    // Fills the sockets' buffers, which could otherwise hold early contexts.
    let mut stream = peer.get().await;
    stage.open_and_accept(&peer, 1, &stage.path("big.txt"), &large_text()).await;
    let file = stage.file("a.txt", "x\n");
    for line in 0..300 {
        let active = ActiveFile {
            path: file.clone(),
            cursor: Some(Position { line, character: 0 }),
            anchor: None,
            selected_text: Some("y".repeat(16_000)),
        };
        let report = ContextReport { active: Some(active), ..ContextReport::default() };
        stage.desk.request(Request::ChangeContext(report)).await.unwrap();
        if line % 100 == 99 {
            // Longer than the longest debounce, so that each context is due for the agent.
            tokio::time::sleep(Duration::from_millis(260)).await;
        }
    }
    assert_eq!(stream.head().await.status, 200);
    drop(stream);
    let mut stream = peer.listen().await;
    let context = within("the newest context", stream.message()).await;
    assert_eq!(context["params"]["workspaceState"]["openFiles"][0]["cursor"]["line"], 300);
}

#[tokio::test]
async fn lost_receipt_resends_outcome_only_on_the_next_stream() {
    let (mut stage, proxy, peer) = Stage::with_proxied_peer().await;
    let mut stream = peer.listen().await;
    let path = stage.path("a.txt");
    stage.open_and_accept(&peer, 1, &path, "x\n").await;
    stream.wait_for("ide/diffAccepted").await;
    stream.wait_for("ping").await;
    proxy.arm(Kind::Post, Direction::Up, 0, Fault::Stall);
    let stalled_post = tokio::spawn({
        let peer = peer.clone();
        async move { peer.post(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#).await }
    });
    proxy.until_struck(1).await;
    stream.silent_for(Duration::from_millis(400)).await;
    stalled_post.abort();
    proxy.cut();
    let mut stream = peer.listen().await;
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], "x\n");
}

#[tokio::test]
async fn a_stalled_stream_is_replaced_and_nothing_is_lost() {
    let (mut stage, proxy, peer) = Stage::with_proxied_peer().await;
    proxy.arm(Kind::Stream, Direction::Down, 400, Fault::Stall);
    let stalled = peer.get().await;
    let path = stage.path("a.txt");
    let text = "x\n".repeat(100_000);
    stage.open_and_accept(&peer, 1, &path, &text).await;
    proxy.until_struck(1).await;
    let mut stream = peer.listen().await;
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], text);
    peer.acknowledge(&mut stream).await;
    drop(stalled);
    stream.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn post_with_dropped_bytes_hurts_only_itself() {
    let mut stage = Stage::new().await;
    let proxy = Proxy::before(stage.port()).await;
    let (broken, whole) = (stage.peer_through(proxy.port).await, stage.peer().await);
    let path = stage.path("a.txt");
    for (after, bytes) in [(600, 1), (600, 50), (10, 3), (300, 20), (2000, 1000)] {
        proxy.arm(Kind::Post, Direction::Up, after, Fault::Drop(bytes));
        let broken = broken.clone();
        let (path, text) = (path.clone(), "x".repeat(5000));
        let posting = tokio::spawn(async move {
            let arguments = json!({ "filePath": path, "newContent": text });
            broken.call(1, "openDiff", arguments).await
        });
        proxy.until_struck(1).await;
        whole.request(2, "ping", json!({})).await;
        posting.abort();
    }
    proxy.cut();
    whole.open_diff(3, &path, "fine\n").await;
    loop {
        let review = stage.review().await;
        if &*review.proposed == "fine\n" {
            stage.decide(&review, Decision::Reject).await.unwrap();
            break;
        }
        assert!(review.proposed.chars().all(|c| c == 'x'), "a proposal that nobody made");
    }
}
