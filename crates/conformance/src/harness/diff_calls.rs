//! The calls that open and close diffs, as the checks make them.

use serde_json::{Value, json};

use crate::check_ending::{Checked, skip};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::json::parse;
use crate::http::peer::Peer;

/// Opens a diff and returns the reply, whatever it is. `diffs.immediate` judges whether there is one.
pub(crate) async fn try_open(case: &Case<'_>, peer: &Peer, path: &str, text: &str) -> Checked<Value> {
    connect::may_open(case, peer)?;
    case.took(peer, Some(path));
    let reply = peer.call("openDiff", json!({ "filePath": path, "newContent": text })).await;
    if reply.is_err() {
        connect::hung(case, peer);
    }
    reply
}

/// Opens a diff.
pub(crate) async fn open_diff(case: &Case<'_>, peer: &Peer, path: &str, text: &str) -> Checked {
    let reply = try_open(case, peer, path, text).await?;
    if is_opened(&reply) { Ok(()) } else { skip(format!("openDiff failed: {reply}")) }
}

/// Closes a diff. Returns the result.
pub(crate) async fn close_diff(peer: &Peer, path: &str) -> Checked<Value> {
    let reply = peer.call("closeDiff", json!({ "filePath": path, "suppressNotification": true })).await?;
    Ok(reply["result"].clone())
}

/// Closes a diff. Returns its text, in the form of the specification or in the one that agents need.
///
/// # Errors
/// [`NotPassed::Skip`] for an answer without a text block, which is judged elsewhere.
pub(crate) async fn closed_text(peer: &Peer, path: &str) -> Checked<Option<String>> {
    let result = close_diff(peer, path).await?;
    if !result["content"][0]["text"].is_string() {
        return skip("closeDiff answers no text block");
    }
    Ok(text_in(&result))
}

/// Closes an open diff. Returns its text.
pub(crate) async fn final_text(peer: &Peer, path: &str) -> Checked<String> {
    closed_text(peer, path).await?.map_or_else(|| skip("closeDiff answers no text"), Ok)
}

/// Returns the message of an `openDiff`.
pub(crate) fn open_message(id: &Value, path: &str, text: &str) -> Value {
    let params = json!({ "name": "openDiff", "arguments": { "filePath": path, "newContent": text } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Whether the reply to `openDiff` reports that the diff is open.
pub(crate) fn is_opened(reply: &Value) -> bool {
    reply["result"].is_object() && reply["result"]["isError"] != true
}

/// Returns the text in the answer to `closeDiff`; `None` if there was no such diff.
pub(crate) fn text_in(result: &Value) -> Option<String> {
    let text = result["content"][0]["text"].as_str()?;
    match parse(text) {
        Some(Value::Object(closed)) => closed.get("content")?.as_str().map(str::to_owned),
        _ => Some(text.to_owned()),
    }
}
