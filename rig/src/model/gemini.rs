//! The Gemini API, as far as the Gemini CLI calls it.

use axum::response::Response;
use serde_json::{Value, json};

use super::reply::{json_reply, stream_reply};
use super::{Message, ModelReply, Speaker};

/// Reads `contents`. A tool's result also has the user's role, as a `functionResponse` part without text.
pub(super) fn transcript(body: &Value) -> Vec<Message> {
    let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    contents.iter().map(message).collect()
}

fn message(content: &Value) -> Message {
    let parts = content["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<String> =
        parts.iter().filter_map(|part| part["text"].as_str()).map(str::to_owned).collect();
    if content["role"] == "model" {
        return Message { speaker: Speaker::Model, texts };
    }
    if texts.is_empty() {
        let results = parts.iter().map(|part| part["functionResponse"]["response"].to_string());
        return Message { speaker: Speaker::Tool, texts: results.collect() };
    }
    Message { speaker: Speaker::Person, texts }
}

pub(super) fn reply(turn: &ModelReply, streaming: bool, number: usize) -> Response {
    let part = match turn {
        ModelReply::Say(text) => json!({ "text": text }),
        ModelReply::Call { tool, arguments } => {
            json!({ "functionCall": { "id": format!("call-{number}"), "name": tool, "args": arguments } })
        }
    };
    let answer = json!({
        "candidates": [{
            "index": 0,
            "content": { "role": "model", "parts": [part] },
            "finishReason": "STOP",
        }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
        "modelVersion": "fake",
    });
    if streaming { stream_reply(&[answer.to_string()]) } else { json_reply(&answer) }
}
