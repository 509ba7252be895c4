//! OpenAI's Responses API, as far as Codex calls it.

use axum::response::Response;
use serde_json::{Value, json};

use super::reply::named_stream_reply;
use super::{Message, ModelReply, Speaker};

/// Reads `input` without the agent's own messages to the model.
pub(super) fn transcript(body: &Value) -> Vec<Message> {
    let input = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    input.iter().filter_map(message).collect()
}

fn message(item: &Value) -> Option<Message> {
    let kind = item["type"].as_str().unwrap_or("message");
    let speaker = match (kind, item["role"].as_str()) {
        ("message", Some("user")) => Speaker::Person,
        ("message", Some("assistant")) | ("custom_tool_call" | "function_call", _) => Speaker::Model,
        ("custom_tool_call_output" | "function_call_output", _) => Speaker::Tool,
        _ => return None,
    };
    let texts = match (&item["content"], &item["output"]) {
        (Value::Array(parts), _) => {
            parts.iter().filter_map(|part| part["text"].as_str()).map(str::to_owned).collect()
        }
        (_, Value::Null) => Vec::new(),
        (_, output) => vec![output.as_str().map_or_else(|| output.to_string(), str::to_owned)],
    };
    Some(Message { speaker, texts })
}

/// Writes a reply. A call with the argument `input` is a call of a tool that takes a text.
pub(super) fn reply(turn: &ModelReply, number: usize) -> Response {
    let item = match turn {
        ModelReply::Say(text) => json!({
            "type": "message",
            "role": "assistant",
            "id": format!("msg_{number}"),
            "content": [{ "type": "output_text", "text": text }],
        }),
        ModelReply::Call { tool, arguments } if arguments["input"].is_null() => json!({
            "type": "function_call",
            "id": format!("fc_{number}"),
            "call_id": format!("call_{number}"),
            "name": tool,
            "arguments": arguments.to_string(),
        }),
        ModelReply::Call { tool, arguments } => json!({
            "type": "custom_tool_call",
            "id": format!("ctc_{number}"),
            "call_id": format!("call_{number}"),
            "name": tool,
            "input": arguments["input"],
        }),
    };
    let id = format!("resp_{number}");
    let usage = json!({
        "input_tokens": 1,
        "input_tokens_details": null,
        "output_tokens": 1,
        "output_tokens_details": null,
        "total_tokens": 2,
    });
    let events = [
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.done", "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "usage": usage } }),
    ];
    named_stream_reply(&events)
}
