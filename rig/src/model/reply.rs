//! The HTTP forms of a reply that the APIs share.

use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

pub(super) fn json_reply(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Returns a whole event stream in one piece, which agents read like a slow one.
pub(super) fn stream_reply(events: &[String]) -> Response {
    stream(events.iter().map(|event| format!("data: {event}\n\n")).collect())
}

/// Returns a whole event stream in one piece, whose events are named after their type.
pub(super) fn named_stream_reply(events: &[Value]) -> Response {
    let name = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    stream(events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect())
}

fn stream(body: String) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}
