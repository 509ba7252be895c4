//! Anthropic's Messages API, as far as Claude Code calls it.

use axum::response::Response;
use serde_json::{Value, json};

use super::reply::{json_reply, named_stream_reply};
use super::{Message, Speaker, Turn};

/// `messages`: a tool's outcome comes in the user's role too, as a `tool_result` block, perhaps before what
/// the person types next. The agent adds reminders, and the context in a message of the system's.
pub(super) fn transcript(body: &Value) -> Vec<Message> {
    let mut transcript: Vec<Message> = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let (texts, outcomes) = texts(&message["content"]);
        match message["role"].as_str() {
            Some("assistant") => transcript.push(Message { speaker: Speaker::Model, texts }),
            Some("user") => {
                if !outcomes.is_empty() {
                    transcript.push(Message { speaker: Speaker::Tool, texts: outcomes });
                }
                // The text that the person typed comes last.
                let (mut texts, typed): (Vec<_>, Vec<_>) = texts.into_iter().partition(|text| is_added(text));
                if !typed.is_empty() {
                    texts.extend(typed);
                    transcript.push(Message { speaker: Speaker::Person, texts });
                }
            }
            _ => {
                let last = transcript.iter_mut().rev().find(|message| message.speaker == Speaker::Person);
                if let Some(last) = last {
                    last.texts.splice(..0, texts.clone());
                }
            }
        }
    }
    transcript
}

/// Whether the agent has added a text to those of the person.
fn is_added(text: &str) -> bool {
    text.starts_with('<') || text.starts_with("[Request interrupted")
}

/// The texts of a message, and the outcomes of tools in it.
fn texts(content: &Value) -> (Vec<String>, Vec<String>) {
    if let Value::String(text) = content {
        return (vec![text.clone()], Vec::new());
    }
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| block["text"].as_str()).map(str::to_owned);
    let outcomes = blocks.iter().filter(|block| block["type"] == "tool_result");
    (texts.collect(), outcomes.map(|block| block["content"].to_string()).collect())
}

pub(super) fn reply(turn: &Turn, body: &Value, number: usize) -> Response {
    // A side request, such as one for a title, may have the same prompt and no tools.
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let harmless = Turn::say("OK");
    let turn = if has_tools || matches!(turn, Turn::Say(_)) { turn } else { &harmless };
    let (block, reason) = match turn {
        Turn::Say(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Turn::Call { tool, arguments } => {
            let id = format!("toolu_{number}");
            (json!({ "type": "tool_use", "id": id, "name": tool, "input": arguments }), "tool_use")
        }
    };
    let mut answer = json!({
        "id": format!("msg_{number}"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    if body["stream"] != true {
        return json_reply(&answer);
    }
    answer["content"] = json!([]);
    answer["stop_reason"] = Value::Null;
    let (begun, delta) = match turn {
        Turn::Say(text) => {
            (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
        }
        Turn::Call { arguments, .. } => {
            let mut begun = block;
            begun["input"] = json!({});
            (begun, json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }))
        }
    };
    let events = [
        json!({ "type": "message_start", "message": answer }),
        json!({ "type": "content_block_start", "index": 0, "content_block": begun }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta",
            "delta": { "stop_reason": reason, "stop_sequence": null },
            "usage": { "output_tokens": 1 },
        }),
        json!({ "type": "message_stop" }),
    ];
    named_stream_reply(&events)
}
