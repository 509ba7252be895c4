//! The OpenAI-compatible API, as far as Qwen Code calls it.

use axum::response::Response;
use serde_json::{Value, json};

use super::reply::{json_reply, stream_reply};
use super::{Message, ModelReply, Speaker};

/// Reads `messages` without the system's. The content of a message is a string or a list of text parts.
pub(super) fn transcript(body: &Value) -> Vec<Message> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().filter_map(message).collect()
}

fn message(message: &Value) -> Option<Message> {
    let speaker = match message["role"].as_str()? {
        "user" => Speaker::Person,
        "assistant" => Speaker::Model,
        "tool" => Speaker::Tool,
        _ => return None,
    };
    let texts = match &message["content"] {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    Some(Message { speaker, texts })
}

pub(super) fn models() -> Value {
    let model = json!({ "id": "fake", "object": "model", "created": 1, "owned_by": "rig" });
    json!({ "object": "list", "data": [model] })
}

pub(super) fn reply(turn: &ModelReply, body: &Value, number: usize) -> Response {
    let (message, reason) = match turn {
        ModelReply::Say(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        ModelReply::Call { tool, arguments } => {
            let function = json!({ "name": tool, "arguments": arguments.to_string() });
            let id = format!("call-{number}");
            let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
    };
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let answer = |object: &str, choice: Value| {
        json!({
            "id": format!("answer-{number}"),
            "object": object,
            "created": 1,
            "model": body["model"],
            "choices": [choice],
            "usage": usage,
        })
    };
    if body["stream"] != true {
        let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
        return json_reply(&answer("chat.completion", choice));
    }
    let chunk = |delta: Value, reason: Option<&str>| {
        answer("chat.completion.chunk", json!({ "index": 0, "delta": delta, "finish_reason": reason }))
            .to_string()
    };
    stream_reply(&[chunk(message, None), chunk(json!({}), Some(reason)), "[DONE]".to_owned()])
}
