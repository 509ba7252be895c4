//! The input of the language server from an editor: any bytes, or framed messages that are valid or not. The
//! companion of this target is as strict as the real one.

mod companion;

use std::path::Path;

use alongside_desk::fuzzing::{read, write};
use alongside_lsp::fuzzing::{Step, converse};
use lsp_server::{Message, RequestId};
use serde_json::Value;

use super::harmless;
use companion::{Companion, Elsewhere};

/// The line of the input at which all deadlines pass.
const WAITS: &[u8] = b"~";
/// The prefix of a line with an event that the editor did not cause: see [`Elsewhere`].
const ELSEWHERE: &[u8] = b"!";

/// Checks one conversation. The input is a stream whose first message has the parameters of `initialize`; or
/// a line with these parameters, and one line for each message.
pub fn check(data: &[u8]) {
    check_with_files(data, None);
}

/// As [`check`]; the server keeps proposals as files below `own`.
pub(crate) fn check_with_files(data: &[u8], own: Option<&Path>) {
    let messages =
        framed(data).unwrap_or_else(|| data.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect());
    let mut lines = messages.iter();
    let Some(initialize) = lines.next() else { return };
    let initialize: Value = serde_json::from_slice(initialize).unwrap_or_default();
    let steps: Vec<_> = lines.filter_map(|line| step(line)).collect();
    let requested: Vec<_> = steps.iter().filter_map(request_id).collect();
    let mut companion = Companion::new(&initialize);
    let sent = converse(&initialize, own.map(Path::to_owned), steps, |seat, elsewhere| {
        companion.serve(seat, elsewhere)
    });
    let mut answered = Vec::new();
    for message in sent {
        check_harmless(&serde_json::to_value(&message).expect("messages are JSON"));
        if let Message::Response(response) = message {
            assert!(requested.contains(&response.id), "a response to no request: {:?}", response.id);
            answered.push(response.id);
        }
    }
    assert!(answered.len() <= requested.len(), "a request was answered twice");
}

/// Checks that the strings that an editor shows are harmless: the fields `message` and `title`.
fn check_harmless(value: &Value) {
    match value {
        Value::Object(fields) => {
            let shown = |name: &&String| matches!(name.as_str(), "message" | "title");
            let texts = fields.iter().filter(|(name, _)| shown(name)).filter_map(|(_, value)| value.as_str());
            texts.for_each(|text| harmless::assert_visible(text, "\t\n"));
            fields.values().for_each(check_harmless);
        }
        Value::Array(items) => items.iter().for_each(check_harmless),
        _ => {}
    }
}

/// Returns the step of a line of the input.
fn step(line: &[u8]) -> Option<Step<Elsewhere>> {
    match line.strip_prefix(ELSEWHERE) {
        Some(event) => serde_json::from_slice(event).ok().map(Step::Elsewhere),
        None if line == WAITS => Some(Step::Waits),
        None => parse(line).map(Step::Said),
    }
}

/// Returns the id of the request in a step.
fn request_id(step: &Step<Elsewhere>) -> Option<RequestId> {
    match step {
        Step::Said(Message::Request(request)) => Some(request.id.clone()),
        _ => None,
    }
}

/// Returns the messages of a stream, if the whole stream is framed. Checks that a message that is written can
/// be read.
fn framed(data: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut rest, mut messages) = (data, Vec::new());
    while let Some(message) = read(&mut rest).ok()? {
        let text = String::from_utf8_lossy(&message);
        let written = write(&text).expect("the message fits");
        assert_eq!(
            read(&mut written.as_slice()).expect("the message is framed").as_deref(),
            Some(text.as_bytes())
        );
        messages.push(message);
    }
    (!messages.is_empty()).then_some(messages)
}

/// Parses a message as the server does.
fn parse(message: &[u8]) -> Option<Message> {
    let framed = write(std::str::from_utf8(message).ok()?).ok()?;
    Message::read(&mut framed.as_slice()).ok().flatten()
}
