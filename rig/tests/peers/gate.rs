//! Access to the server: token, Host, Origin, session and protocol version.

use alongside_rig::wire::{Peer, Raw, within};
use serde_json::json;

use crate::stage::Stage;

const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Sends the head of a request without its body, and returns the status of the response.
async fn status_for_head(stage: &Stage, authorization: &str) -> u16 {
    let port = stage.port();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{authorization}Content-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: 100000\r\n\r\n"
    );
    within("an answer without a body", stage.status_of(head)).await
}

#[tokio::test]
async fn without_a_token_the_answer_is_401_before_the_body_is_read() {
    let stage = Stage::new().await;
    assert_eq!(status_for_head(&stage, "").await, 401);
}

#[tokio::test]
async fn wrong_token_is_401_before_the_body_is_read() {
    let stage = Stage::new().await;
    let token = stage.companion.token();
    for wrong in
        ["Bearer wrong", "Bearer", "Bearer ", &format!("Basic {token}"), &format!("Bearer {token}x"), token]
    {
        assert_eq!(status_for_head(&stage, &format!("Authorization: {wrong}\r\n")).await, 401, "{wrong}");
    }
    let shorter = &token[..token.len() - 1];
    assert_eq!(status_for_head(&stage, &format!("Authorization: Bearer {shorter}\r\n")).await, 401);
}

#[tokio::test]
async fn get_and_delete_need_the_token_too() {
    let (stage, mut peer) = Stage::with_peer().await;
    peer.token = "wrong".into();
    assert_eq!(peer.delete().await.status(), 401);
    assert_eq!(peer.get().await.head().await.status, 401);
    peer.token = stage.companion.token().into();
    assert_eq!(peer.post(BODY).await.status(), 200, "the session lives on");
}

#[tokio::test]
async fn the_token_is_nowhere_in_an_answer_that_refuses_it() {
    let stage = Stage::new().await;
    let mut peer = stage.stranger();
    peer.token = "wr0ng-t0ken".into();
    let answer = peer.post(BODY).await;
    assert!(!answer.text().contains("wr0ng-t0ken") && !answer.text().contains(stage.companion.token()));
}

/// Sends a request with these header lines, and returns the status of the response.
async fn status_with(stage: &Stage, peer: &Peer, lines: &str) -> u16 {
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{lines}Authorization: Bearer {}\r\nmcp-session-id: {}\r\n\
         Content-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{BODY}",
        peer.token,
        peer.session.as_deref().unwrap(),
        BODY.len()
    );
    stage.status_of(request).await
}

#[tokio::test]
async fn a_foreign_host_is_403() {
    let (stage, peer) = Stage::with_peer().await;
    let port = stage.port();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("localhost:{port}.evil.example"),
    ] {
        assert_eq!(status_with(&stage, &peer, &format!("Host: {host}\r\n")).await, 403, "{host}");
    }
}

#[tokio::test]
async fn every_name_of_this_machine_is_an_allowed_host() {
    let (stage, peer) = Stage::with_peer().await;
    for name in ["127.0.0.1", "localhost", "[::1]", "host.docker.internal", "LocalHost"] {
        let host = format!("Host: {name}:{}\r\n", stage.port());
        assert_eq!(status_with(&stage, &peer, &host).await, 200, "{name}");
    }
}

#[tokio::test]
async fn any_origin_is_403_even_a_local_one() {
    let (stage, peer) = Stage::with_peer().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", stage.port());
    for origin in
        ["https://evil.example".to_owned(), "null".into(), format!("http://127.0.0.1:{}", stage.port())]
    {
        let lines = format!("{host}Origin: {origin}\r\n");
        assert_eq!(status_with(&stage, &peer, &lines).await, 403, "{origin}");
    }
}

#[tokio::test]
async fn an_unknown_session_is_404_on_post_get_and_delete() {
    let (_stage, mut peer) = Stage::with_peer().await;
    peer.session = Some("never-heard-of".into());
    let answer = peer.post(BODY).await;
    assert_eq!(answer.status(), 404);
    assert_eq!(answer.json()["error"]["code"], -32001);
    assert_eq!(peer.get().await.head().await.status, 404);
    assert_eq!(peer.delete().await.status(), 404);
}

#[tokio::test]
async fn a_deleted_session_is_404_from_then_on() {
    let (_stage, peer) = Stage::with_peer().await;
    assert!(peer.delete().await.head.status < 300);
    assert_eq!(peer.post(BODY).await.status(), 404);
    assert_eq!(peer.get().await.head().await.status, 404);
    assert_eq!(peer.delete().await.status(), 404);
}

#[tokio::test]
async fn unknown_protocol_version_is_400_and_none_is_fine() {
    let (stage, mut peer) = Stage::with_peer().await;
    peer.version = Some("2099-01-01".into());
    assert_eq!(peer.post(BODY).await.status(), 400);
    assert_eq!(peer.get().await.head().await.status, 400);
    peer.version = None;
    assert_eq!(peer.post(BODY).await.status(), 200);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let peer = Peer::join_with(stage.port(), stage.companion.token(), "a", version).await;
        assert_eq!(peer.version.as_deref(), Some(version));
        assert_eq!(peer.post(BODY).await.status(), 200);
    }
}

#[tokio::test]
async fn initialize_answers_an_unknown_version_with_the_newest() {
    let stage = Stage::new().await;
    let answer = stage.stranger().initialize("a", "2099-01-01").await.json();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert!(answer["result"]["capabilities"]["tools"].is_object());
    assert!(answer["result"]["serverInfo"]["name"].is_string());
}

#[tokio::test]
async fn server_discover_is_400_so_new_clients_use_sessions() {
    let stage = Stage::new().await;
    let discover =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {} }).to_string();
    assert_eq!(stage.stranger().post(&discover).await.status(), 400);
    let mut modern = stage.stranger();
    modern.version = Some("2026-06-18".into());
    assert_eq!(modern.post(&discover).await.status(), 400);
}

#[tokio::test]
async fn other_paths_and_methods_are_refused_and_keep_the_session() {
    let (stage, peer) = Stage::with_peer().await;
    for (line, expected) in [
        ("GET / HTTP/1.1", 400),
        ("GET /x HTTP/1.1", 404),
        ("POST /mcp/x HTTP/1.1", 404),
        ("PUT /mcp HTTP/1.1", 405),
    ] {
        let rest = peer.head("X").split_once("\r\n").unwrap().1.to_owned();
        let request = format!("{line}\r\n{rest}Content-Length: 0\r\n\r\n");
        assert_eq!(stage.status_of(request).await, expected, "{line}");
    }
    assert_eq!(peer.post(BODY).await.status(), 200);
}

#[tokio::test]
async fn status_needs_the_token() {
    let stage = Stage::new().await;
    let endpoint = alongside_agent::Endpoint::local(stage.port());
    let status = alongside_agent::get_status(&endpoint, stage.companion.token()).await.unwrap();
    let status: alongside_companion::desk::Status = serde_json::from_value(status).unwrap();
    assert_eq!(status.port, stage.port());
    assert_eq!(status.roots.len(), 1);
    let refused = alongside_agent::get_status(&endpoint, "wrong").await.unwrap_err();
    assert!(matches!(refused, alongside_agent::Error::Unproven { .. }), "{refused}");
    let request = format!("GET /status HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", stage.port());
    assert_eq!(stage.status_of(request).await, 401);
}

#[tokio::test]
async fn bytes_that_are_not_http_disturb_no_agent() {
    let (stage, peer) = Stage::with_peer().await;
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
    ] {
        let mut raw = Raw::dial(stage.port()).await;
        raw.send(garbage).await;
        drop(raw);
    }
    let mut half = Raw::dial(stage.port()).await;
    half.send("POST /mcp HT").await;
    assert_eq!(peer.post(BODY).await.status(), 200);
}
