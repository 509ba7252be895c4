//! Malformed, invalid and unexpected JSON-RPC messages.

use alongside_rig::wire::Peer;
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn malformed_json_is_400_with_a_parse_error() {
    let (_stage, peer) = Stage::with_peer().await;
    for body in ["", "{", "nonsense", r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, "{\"a\":\"\u{1}\"}"] {
        let answer = peer.post(body).await;
        assert_eq!(answer.status(), 400, "{body:?}");
        let error = answer.json();
        assert_eq!(error["error"]["code"], -32700, "{body:?}: {error}");
        assert!(error["id"].is_null());
    }
    assert_eq!(peer.post(b"\xff\xfe{}").await.status(), 400);
}

#[tokio::test]
async fn json_without_a_message_is_400_invalid_request() {
    let (_stage, peer) = Stage::with_peer().await;
    for body in
        ["7", "null", "{}", r#"{"id":1,"method":"ping"}"#, r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#]
    {
        let answer = peer.post(body).await;
        assert_eq!(answer.status(), 400, "{body}");
        assert_eq!(answer.json()["error"]["code"], -32600, "{body}");
    }
}

#[tokio::test]
async fn deeply_nested_json_is_refused_and_overflows_nothing() {
    let (_stage, peer) = Stage::with_peer().await;
    let deep = "[".repeat(200_000);
    assert_eq!(peer.post(&deep).await.status(), 400);
    let nested = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}{}}}",
        deep,
        "]".repeat(200_000)
    );
    let status = peer.post(&nested).await.status();
    assert!(status == 400 || status == 200, "{status}");
    peer.request(2, "ping", json!({})).await;
}

#[tokio::test]
async fn unknown_method_is_an_error_unknown_notification_is_ignored() {
    let (_stage, peer) = Stage::with_peer().await;
    let reply = peer.request(5, "resources/list", json!({})).await;
    assert_eq!(reply["error"]["code"], -32601);
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert_eq!(peer.post(note.to_string()).await.status(), 202);
}

#[tokio::test]
async fn an_unknown_tool_is_a_json_rpc_error() {
    let (_stage, peer) = Stage::with_peer().await;
    let reply = peer.request(1, "tools/call", json!({ "name": "rm", "arguments": {} })).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
    let reply = peer.request(2, "tools/call", json!({})).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[tokio::test]
async fn notifications_initialized_gets_202_without_body() {
    let stage = Stage::new().await;
    let mut peer = stage.stranger();
    let answer = peer.initialize("a", "2025-06-18").await;
    peer.session = answer.head.get("mcp-session-id").map(str::to_owned);
    let answer = peer.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!((answer.status(), answer.body.len()), (202, 0));
}

#[tokio::test]
async fn tools_list_names_both_tools_with_their_required_arguments() {
    let stage = Stage::new().await;
    let reply = stage.peer().await.request(1, "tools/list", json!({})).await;
    let tools = reply["result"]["tools"].as_array().unwrap();
    let required = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(tool["inputSchema"]["type"], "object");
        tool["inputSchema"]["required"].clone()
    };
    assert_eq!(required("openDiff"), json!(["filePath", "newContent"]));
    assert_eq!(required("closeDiff"), json!(["filePath"]));
}

#[tokio::test]
async fn reply_repeats_a_numeric_or_string_id() {
    let (_stage, peer) = Stage::with_peer().await;
    for id in [json!(0), json!(-1), json!(9_007_199_254_740_991_i64), json!(""), json!("a\u{1F600}\n")] {
        let answer = peer.post(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string()).await;
        assert_eq!(answer.json(), json!({ "jsonrpc": "2.0", "id": id, "result": {} }));
    }
}

#[tokio::test]
async fn batches_are_accepted_only_in_versions_that_define_them() {
    let stage = Stage::new().await;
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/whatever" },
        { "jsonrpc": "2.0", "id": "two", "method": "tools/list" },
    ])
    .to_string();
    let old = Peer::join_with(stage.port(), stage.companion.token(), "a", "2025-03-26").await;
    let answer = old.post(&batch).await;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let mut ids: Vec<_> =
        answer.json().as_array().unwrap().iter().map(|reply| reply["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"two\"", "1"]);
    let mut without_version = old.clone();
    without_version.version = None;
    assert_eq!(
        without_version.post(&batch).await.status(),
        200,
        "without a header the rules of 2025-03-26 apply"
    );
    assert_eq!(stage.peer().await.post(&batch).await.status(), 400);
}

#[tokio::test]
async fn a_batch_of_too_many_messages_is_refused_in_one_sentence() {
    let stage = Stage::new().await;
    let old = Peer::join_with(stage.port(), stage.companion.token(), "a", "2025-03-26").await;
    // 19 MB. An earlier companion needed a gigabyte for the answer.
    let answer = old.post(format!("[7{}]", ",7".repeat(9 << 20))).await;
    assert_eq!((answer.status(), answer.body.len() < 1000), (400, true), "{} bytes", answer.body.len());
    let pings = |n| {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        format!("[{}]", vec![ping; n].join(","))
    };
    assert_eq!(old.post(pings(1001)).await.status(), 400);
    let answer = old.post(pings(1000)).await;
    assert_eq!((answer.status(), answer.json().as_array().unwrap().len()), (200, 1000));
}

#[tokio::test]
async fn a_batch_cannot_ask_for_a_large_text_again_and_again() {
    let stage = Stage::with(|builder| builder.max_body(4 << 20)).await;
    let old = Peer::join_with(stage.port(), stage.companion.token(), "a", "2025-03-26").await;
    let path = stage.path("a.txt");
    old.open_diff(1, &path, &"x".repeat(1 << 20)).await;
    let close = |id| {
        let params = json!({ "name": "closeDiff", "arguments": { "filePath": path } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let answer = old.post(json!((0..100).map(close).collect::<Vec<_>>()).to_string()).await;
    assert!(answer.body.len() < 8 << 20, "{} bytes", answer.body.len());
    let replies = answer.json();
    let replies = replies.as_array().unwrap();
    assert_eq!(replies.len(), 100, "every request has its answer");
    assert!(replies[0]["result"].is_object() && replies[99]["error"].is_object());
    // A single request is answered as often as an agent sends it.
    assert_eq!(old.close_diff(101, &path).await["content"].as_str().unwrap().len(), 1 << 20);
}

#[tokio::test]
async fn an_error_does_not_repeat_a_long_request() {
    let (_stage, peer) = Stage::with_peer().await;
    let long = "\u{ad}".repeat(1 << 20);
    let call = |id, params: serde_json::Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let bodies = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": long }).to_string(),
        call(2, json!({ "name": long })),
        call(3, json!({ "name": "openDiff", "arguments": long })),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "initialize", "params": { "clientInfo": long } })
            .to_string(),
    ];
    for body in bodies {
        let answer = peer.post(&body).await;
        assert!(answer.body.len() < 8 << 10, "{} bytes", answer.body.len());
        let answer = answer.json();
        assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
    }
}

#[tokio::test]
async fn a_null_member_counts_as_absent() {
    let stage = Stage::new().await;
    for params in [
        json!({ "protocolVersion": null, "capabilities": null, "clientInfo": null }),
        json!({ "clientInfo": { "name": null, "version": null, "title": null }, "_meta": null }),
        json!({}),
        json!(null),
    ] {
        let mut peer = stage.stranger();
        let message =
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params, "error": null });
        let answer = peer.post(message.to_string()).await;
        assert_eq!(answer.status(), 200, "{params}");
        assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25", "{params}: {:?}", answer.json());
        peer.session = answer.head.get("mcp-session-id").map(str::to_owned);
        let arguments = json!({ "filePath": "/a", "suppressNotification": null });
        let call = json!({ "name": "closeDiff", "arguments": arguments, "_meta": null });
        assert!(peer.request(1, "tools/call", call).await["result"]["isError"].is_null());
        peer.request(2, "ping", json!(null)).await;
    }
}
