//! Cuts the stream at every byte of a diff: no decision is lost, and none reaches another proposal.

use std::sync::Arc;
use std::time::Duration;

use alongside_companion::desk::{Decision, Event, Request};
use alongside_rig::wire::{Direction, Fault, Item, Kind, Peer, Proxy, Raw, Stream, open_diff_call, within};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::stage::Stage;

/// Accepts proposals that begin with `first` and rejects those that begin with `next`, while the companion
/// runs.
fn decide_by_text(stage: &Stage) {
    let mut desk = stage.companion.join();
    tokio::spawn(async move {
        while let Ok(event) = desk.next().await {
            if let Event::Opened(review) = event {
                let first = review.proposed.starts_with("first");
                let decision = if first { Decision::Accept } else { Decision::Reject };
                drop(desk.send(Request::DecideReview { id: review.id, revision: review.revision, decision }));
            }
        }
    });
}

/// Returns the complete messages of a stream until it breaks.
async fn messages_until_break(raw: Raw) -> Vec<Value> {
    within("the stream to break", async {
        let mut messages = Vec::new();
        if let Some(mut stream) = Stream::try_over(raw).await {
            loop {
                match stream.next().await {
                    Item::Message(message) => messages.push(message),
                    Item::Comment(_) => {}
                    Item::End(_) => break,
                }
            }
        }
        messages
    })
    .await
}

/// Returns the first message with this method.
fn find_method<'a>(messages: &'a [Value], method: &str) -> Option<&'a Value> {
    messages.iter().find(|message| message["method"] == method)
}

/// Returns an upper bound of the number of bytes of a stream up to the end of the ping.
async fn bytes_of_a_diff(stage: &Stage) -> usize {
    let peer = stage.peer().await;
    peer.open_diff(1, &stage.path("measure"), "first\n").await;
    let mut raw = peer.get().await;
    let head = raw.head().await;
    assert_eq!(head.status, 200);
    // 300 bytes are more than the head and all chunk frames.
    let mut bytes = 300;
    let mut text = String::new();
    while !text.contains("\"ping\"") {
        let chunk = within("the ping", raw.part()).await.expect("the stream stays open");
        bytes += chunk.len();
        text.push_str(&String::from_utf8_lossy(&chunk));
    }
    bytes
}

/// Reviews one proposal over a stream that is cut after `byte` bytes. Returns whether the cut came during the
/// diff.
async fn cut_at(byte: usize, port: u16, token: String, path: String) -> bool {
    let proxy = Proxy::before(port).await;
    let peer = Peer::join(proxy.port, &token).await;
    proxy.arm(Kind::Stream, Direction::Down, byte, Fault::Cut);
    let broken = peer.get().await;
    let received = tokio::spawn(messages_until_break(broken));
    peer.open_diff(1, &path, "first\n").await;
    let is_uncut = tokio::time::timeout(Duration::from_millis(1500), proxy.until_struck(1)).await.is_err();
    if is_uncut {
        proxy.cut();
    }
    let received = received.await.unwrap();
    let accepted = find_method(&received, "ide/diffAccepted");
    assert!(accepted.is_none_or(|message| message["params"]["content"] == "first\n"), "{received:?}");
    if let Some(ping) = find_method(&received, "ping") {
        peer.pong(ping).await;
    }
    let mut stream = match accepted {
        // The outcome has not arrived, so it must come once, on the next stream.
        None => {
            let mut stream = peer.listen().await;
            let outcome = stream.wait_for("ide/diffAccepted").await;
            assert_eq!(outcome["params"]["content"], "first\n", "cut at {byte}");
            stream
        }
        // The outcome has arrived. The agent opens its next stream in the middle of its next proposal of the
        // same file.
        Some(_) => {
            let next = open_diff_call(2, &path, "next\n");
            let mut post = Raw::dial(proxy.port).await;
            post.send(peer.post_head(next.len())).await;
            let before = byte % next.len();
            post.send(&next[..before]).await;
            let mut stream = peer.listen().await;
            post.send(&next[before..]).await;
            assert_eq!(post.answer().await.status(), 200);
            // `wait_for` fails if the earlier outcome comes again.
            stream.wait_for("ide/diffRejected").await;
            stream
        }
    };
    peer.acknowledge(&mut stream).await;
    stream.silent_for(Duration::from_millis(150)).await;
    !is_uncut
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stream_cut_at_any_byte_loses_and_invents_no_decision() {
    let stage = Stage::new().await;
    decide_by_text(&stage);
    let bytes = bytes_of_a_diff(&stage).await;
    // Only a few at a time, so that even on a busy machine no step takes longer than the companion's 100 ms.
    let room = Arc::new(Semaphore::new(8));
    let mut cuts = JoinSet::new();
    for byte in 0..bytes {
        let (room, port, token) = (Arc::clone(&room), stage.port(), stage.companion.token().to_owned());
        let path = stage.path(&format!("cut-{byte}"));
        cuts.spawn(async move {
            let _room = room.acquire_owned().await.unwrap();
            cut_at(byte, port, token, path).await
        });
    }
    let mut struck = 0;
    while let Some(cut) = cuts.join_next().await {
        struck += usize::from(cut.unwrap());
    }
    assert!(struck > 400, "only {struck} of {bytes} cuts fell into the diff");
}

#[tokio::test]
async fn open_diff_cut_at_any_tenth_byte_counts_fully_or_not_at_all() {
    let (mut stage, proxy, peer) = Stage::with_proxied_peer().await;
    let path = stage.path("a.txt");
    let call = open_diff_call(1, &path, "text\n");
    let whole = peer.post_head(call.len()).len() + call.len();
    for byte in (0..whole).step_by(10) {
        proxy.arm(Kind::Post, Direction::Up, byte, Fault::Cut);
        let mut post = Raw::dial(proxy.port).await;
        // Sent in one piece, because the proxy recognises a request by its first bytes.
        let _ = post.try_send(format!("{}{call}", peer.post_head(call.len()))).await;
        assert!(within("the cut", post.try_head()).await.is_none(), "byte {byte}");
    }
    peer.open_diff(2, &path, "the only one\n").await;
    assert_eq!(&*stage.review().await.proposed, "the only one\n");
}

#[tokio::test]
async fn cut_answer_leaves_a_review_the_agent_can_replace_or_close() {
    let (mut stage, proxy, peer) = Stage::with_proxied_peer().await;
    let path = stage.path("a.txt");
    let call = open_diff_call(1, &path, "unreceived\n");
    proxy.arm(Kind::Post, Direction::Down, 5, Fault::Cut);
    let mut post = Raw::dial(proxy.port).await;
    post.send(format!("{}{call}", peer.post_head(call.len()))).await;
    assert!(within("the cut", post.try_head()).await.is_none());
    assert_eq!(&*stage.review().await.proposed, "unreceived\n");
    assert_eq!(peer.close_diff(2, &path).await, serde_json::json!({ "content": "unreceived\n" }));
}

#[tokio::test]
async fn missing_stream_bytes_cost_no_decision() {
    let (mut stage, proxy, peer) = Stage::with_proxied_peer().await;
    let path = stage.path("a.txt");
    let text = "0123456789".repeat(20_000);
    proxy.arm(Kind::Stream, Direction::Down, 50_000, Fault::Drop(7));
    let damaged = peer.get().await;
    stage.open_and_accept(&peer, 1, &path, &text).await;
    proxy.until_struck(1).await;
    // An agent closes a damaged stream.
    damaged.reset();
    let mut stream = peer.listen().await;
    assert!(stream.wait_for("ide/diffAccepted").await["params"]["content"] == *text);
    peer.acknowledge(&mut stream).await;
    stream.silent_for(Duration::from_millis(150)).await;
}
