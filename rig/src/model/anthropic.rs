//! Anthropic's Messages API, as far as Claude Code calls it.

use axum::response::Response;
use serde_json::{Value, json};

use super::reply::{json_reply, named_stream_reply};
use super::{Message, ModelReply, Speaker};

/// Reads `messages`. A tool's result also has the user's role, as a `tool_result` block, perhaps before the
/// person's next text. The agent adds reminders, and the context in a message with another role.
pub(super) fn transcript(body: &Value) -> Vec<Message> {
    let mut transcript: Vec<Message> = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let (texts, results) = texts(&message["content"]);
        match message["role"].as_str() {
            Some("assistant") => transcript.push(Message { speaker: Speaker::Model, texts }),
            Some("user") => {
                if !results.is_empty() {
                    transcript.push(Message { speaker: Speaker::Tool, texts: results });
                }
                // The prompt is the last text, after the texts that the agent has added.
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

/// Whether the agent, and not the person, wrote a text.
fn is_added(text: &str) -> bool {
    text.starts_with('<') || text.starts_with("[Request interrupted")
}

/// Returns the texts of a message, and the results of tools in it.
fn texts(content: &Value) -> (Vec<String>, Vec<String>) {
    if let Value::String(text) = content {
        return (vec![text.clone()], Vec::new());
    }
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| block["text"].as_str()).map(str::to_owned);
    let results = blocks.iter().filter(|block| block["type"] == "tool_result");
    (texts.collect(), results.map(|block| block["content"].to_string()).collect())
}

pub(super) fn reply(turn: &ModelReply, body: &Value, number: usize) -> Response {
    // A side request, such as a request for a title, may have the same prompt and no tools.
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let harmless = ModelReply::say("OK");
    let turn = if has_tools || matches!(turn, ModelReply::Say(_)) { turn } else { &harmless };
    let (block, reason) = match turn {
        ModelReply::Say(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        ModelReply::Call { tool, arguments } => {
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
        ModelReply::Say(text) => {
            (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
        }
        ModelReply::Call { arguments, .. } => {
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
