//! The GET stream: its form, which of several streams counts, and the outcomes that wait for a stream.

use std::time::Duration;

use alongside_rig::wire::{End, Item, Peer, Raw, Stream};
use serde_json::{Value, json};

use crate::stage::Stage;

#[tokio::test]
async fn a_stream_begins_with_the_current_context() {
    let (_stage, peer) = Stage::with_peer().await;
    for _ in 0..3 {
        assert_eq!(peer.listen().await.message().await["method"], "ide/contextUpdate");
    }
}

#[tokio::test]
async fn comment_keeps_an_idle_stream_alive_every_20_seconds() {
    let (_stage, peer) = Stage::with_peer().await;
    let mut stream = peer.listen().await;
    for _ in 0..2 {
        let waiting = tokio::time::timeout(Duration::from_secs(21), async {
            loop {
                match stream.next().await {
                    Item::Comment(_) => break,
                    Item::Message(_) => {}
                    Item::End(end) => panic!("the stream ended ({end:?})"),
                }
            }
        });
        waiting.await.expect("waited 21 s for a comment");
    }
}

#[tokio::test]
async fn the_newest_get_wins_and_the_older_stream_ends_properly() {
    let (mut stage, peer, mut older) = Stage::with_listener().await;
    let mut newer = peer.listen().await;
    assert_eq!(older.to_the_end().await.1, End::Clean);
    stage.open_and_accept(&peer, 1, &stage.path("a.txt"), "x\n").await;
    newer.wait_for("ide/diffAccepted").await;
}

#[tokio::test]
async fn head_request_changes_nothing() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    for (path, expected) in [("/mcp", 405), ("/status", 200)] {
        let request = format!("{}\r\n", peer.head("HEAD").replacen("/mcp", path, 1));
        assert_eq!(stage.status_of(request).await, expected, "{path}");
    }
    stage.open_and_accept(&peer, 1, &stage.path("a.txt"), "x\n").await;
    stream.wait_for("ide/diffAccepted").await;
}

#[tokio::test]
async fn an_outcome_waits_for_the_first_stream_and_comes_once() {
    let (mut stage, peer) = Stage::with_peer().await;
    stage.open_and_accept(&peer, 1, &stage.path("a.txt"), "x\n").await;
    let mut stream = peer.listen().await;
    assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["content"], "x\n");
    peer.acknowledge(&mut stream).await;
    stream.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn outcomes_keep_their_order_across_a_dropped_stream() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    stream.message().await;
    stream.reset();
    for (id, name) in ["a", "b", "c"].into_iter().enumerate() {
        stage.open_and_accept(&peer, id as u64, &stage.path(name), "x\n").await;
    }
    let mut stream = peer.listen().await;
    for name in ["a", "b", "c"] {
        assert_eq!(stream.wait_for("ide/diffAccepted").await["params"]["filePath"], stage.path(name));
        peer.acknowledge(&mut stream).await;
    }
    stream.silent_for(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn last_event_id_brings_nothing_back() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    stage.open_and_accept(&peer, 1, &stage.path("a.txt"), "x\n").await;
    stream.wait_for("ide/diffAccepted").await;
    peer.acknowledge(&mut stream).await;
    let mut raw = Raw::dial(stage.port()).await;
    raw.send(format!("{}Accept: text/event-stream\r\nLast-Event-ID: 0\r\n\r\n", peer.head("GET"))).await;
    Stream::over(raw).await.silent_for(Duration::from_millis(400)).await;
}

#[tokio::test]
async fn ping_with_its_own_id_follows_every_outcome() {
    let (mut stage, peer, mut stream) = Stage::with_listener().await;
    let mut ids = Vec::new();
    for id in 0..5 {
        stage.open_and_accept(&peer, id, &stage.path("a.txt"), &format!("{id}\n")).await;
        stream.wait_for("ide/diffAccepted").await;
        let ping = stream.wait_for("ping").await;
        assert!(ping["id"].is_string() || ping["id"].is_i64(), "a ping needs an id: {ping}");
        assert!(!ids.contains(&ping["id"]));
        ids.push(ping["id"].clone());
        peer.pong(&ping).await;
    }
}

#[tokio::test]
async fn agents_of_mid_2025_get_diff_closed() {
    let mut stage = Stage::with(|builder| builder.allow_tokenless_agents(true)).await;
    let mut old = stage.stranger();
    let answer = {
        let client = json!({ "name": "streamable-http-client", "version": "0.0.1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string();
        let mut raw = Raw::dial(stage.port()).await;
        raw.send(format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            stage.port(),
            body.len()
        ))
        .await;
        raw.answer().await
    };
    assert_eq!(answer.status(), 200, "{}", answer.text());
    old.session = answer.head.get("mcp-session-id").map(str::to_owned);
    let (messages, path) = reject_and_collect(&mut stage, &old).await;
    assert!(messages.contains(&(json!("ide/diffClosed"), json!(path))), "{messages:?}");
}

/// Gemini CLI 0.3 to 0.5 sends no token, is refused, and then starts the stdio server that its discovery file
/// names.
#[tokio::test]
async fn stdio_agents_also_get_diff_closed() {
    let mut stage = Stage::new().await;
    let token = stage.companion.token().to_owned();
    let old = Peer::join_with(stage.port(), &token, "stdio-client", "2025-06-18").await;
    let (messages, path) = reject_and_collect(&mut stage, &old).await;
    let methods: Vec<_> = messages.iter().map(|(method, _)| method.as_str().unwrap()).collect();
    assert_eq!(methods, ["ide/diffRejected", "ide/diffClosed"]);
    assert!(messages.iter().all(|(_, named)| *named == json!(path)), "{messages:?}");
}

/// LLxprt Code 0.6 to 0.8 sends the token of its discovery file.
#[tokio::test]
async fn families_without_rejection_also_get_diff_closed() {
    let mut stage = Stage::new().await;
    let mut files =
        stage.discovery_files().into_iter().filter(|path| path.to_string_lossy().contains("llxprt"));
    let record = std::fs::read_to_string(files.next_back().expect("a record for LLxprt")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let token = record["authToken"].as_str().unwrap();
    let old = Peer::join_with(stage.port(), token, "streamable-http-client", "2025-06-18").await;
    let (messages, path) = reject_and_collect(&mut stage, &old).await;
    assert!(messages.contains(&(json!("ide/diffClosed"), json!(path))), "{messages:?}");
}

/// Rejects a proposal of `peer`. Returns the method and path of each message up to the ping, without
/// contexts, and the path of the proposal.
async fn reject_and_collect(stage: &mut Stage, peer: &Peer) -> (Vec<(Value, Value)>, String) {
    let mut stream = peer.listen().await;
    let path = stage.path("a.txt");
    peer.open_diff(1, &path, "x\n").await;
    stage.reject().await;
    let mut messages = Vec::new();
    loop {
        let message = stream.message().await;
        match message["method"].as_str() {
            Some("ide/contextUpdate") => {}
            Some("ping") => return (messages, path),
            _ => messages.push((message["method"].clone(), message["params"]["filePath"].clone())),
        }
    }
}
