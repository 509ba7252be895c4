//! Input of an editor: framed or other bytes, valid or invalid messages. The companion behind the front door
//! is as strict as the real one.

mod companion;

use std::path::Path;

use alongside_desk::fuzzing::{read, write};
use alongside_lsp::fuzzing::{Step, converse};
use lsp_server::{Message, RequestId};
use serde_json::Value;

use super::harmless;
use companion::{Companion, Elsewhere};

/// The line at which all deadlines pass.
const WAITS: &[u8] = b"~";
/// The prefix of a line with an event from elsewhere: see [`Elsewhere`].
const ELSEWHERE: &[u8] = b"!";

/// The input is a stream whose first message has the parameters of `initialize`; or a line with these, and
/// one line for each message.
pub fn holds(data: &[u8]) {
    check(data, None);
}

/// The same with proposals as files below `own`.
pub(crate) fn check(data: &[u8], own: Option<&Path>) {
    let messages =
        framed(data).unwrap_or_else(|| data.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect());
    let mut lines = messages.iter();
    let Some(initialize) = lines.next() else { return };
    let initialize: Value = serde_json::from_slice(initialize).unwrap_or_default();
    let steps: Vec<_> = lines.filter_map(|line| step(line)).collect();
    let asked: Vec<_> = steps.iter().filter_map(asked).collect();
    let mut companion = Companion::new(&initialize);
    let told = converse(&initialize, own.map(Path::to_owned), steps, |seat, elsewhere| {
        companion.serve(seat, elsewhere)
    });
    let mut answered = Vec::new();
    for message in told {
        let said = serde_json::to_value(&message).expect("messages are JSON");
        check_harmless(&said);
        if let Message::Response(response) = message {
            assert!(asked.contains(&response.id), "nobody asked {:?}", response.id);
            answered.push(response.id);
        }
    }
    assert!(answered.len() <= asked.len(), "a request was answered twice");
}

/// The parts of a message that an editor shows are harmless: messages and titles.
fn check_harmless(said: &Value) {
    match said {
        Value::Object(fields) => {
            let shown = |name: &&String| matches!(name.as_str(), "message" | "title");
            let shown = fields.iter().filter(|(name, _)| shown(name)).filter_map(|(_, said)| said.as_str());
            shown.for_each(|said| harmless::assert_visible(said, "\t\n"));
            fields.values().for_each(check_harmless);
        }
        Value::Array(items) => items.iter().for_each(check_harmless),
        _ => {}
    }
}

fn step(line: &[u8]) -> Option<Step<Elsewhere>> {
    match line.strip_prefix(ELSEWHERE) {
        Some(said) => serde_json::from_slice(said).ok().map(Step::Elsewhere),
        None if line == WAITS => Some(Step::Waits),
        None => parse(line).map(Step::Said),
    }
}

fn asked(step: &Step<Elsewhere>) -> Option<RequestId> {
    match step {
        Step::Said(Message::Request(request)) => Some(request.id.clone()),
        _ => None,
    }
}

/// The messages of a stream, if all of it is framed. Both readers must agree.
fn framed(data: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut ours, mut messages) = (data, Vec::new());
    while let Some(message) = read(&mut ours).ok()? {
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

/// A message, as the server reads it.
fn parse(message: &[u8]) -> Option<Message> {
    let framed = write(std::str::from_utf8(message).ok()?).ok()?;
    Message::read(&mut framed.as_slice()).ok().flatten()
}
