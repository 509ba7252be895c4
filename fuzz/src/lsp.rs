//! What an editor sends: bytes that are framed or not, and messages that make sense or not. The companion
//! behind is as strict as the real one.

mod companion;

use std::path::Path;

use alongside_desk::fuzzing::{read, write};
use alongside_lsp::fuzzing::{Step, converse};
use lsp_server::{Message, RequestId};
use serde_json::Value;

use super::harmless;
use companion::{Companion, Elsewhere};

/// The line of an input that lets time pass.
const WAITS: &[u8] = b"~";
/// What the line of an input begins with that is no message, but what comes from elsewhere: see
/// [`Elsewhere`].
const ELSEWHERE: &[u8] = b"!";

/// The input is a stream, of which the first message holds the parameters of `initialize`; or only those, and
/// then a message a line.
pub fn holds(data: &[u8]) {
    is_conversed(data, None);
}

/// The same where proposals are written, in `own`.
pub(crate) fn is_conversed(data: &[u8], own: Option<&Path>) {
    let messages =
        framed(data).unwrap_or_else(|| data.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect());
    let mut lines = messages.iter();
    let Some(initialize) = lines.next() else { return };
    let initialize: Value = serde_json::from_slice(initialize).unwrap_or_default();
    let steps: Vec<_> = lines.filter_map(|line| step(line)).collect();
    let asked: Vec<_> = steps.iter().filter_map(asked).collect();
    let mut companion = Companion::new(&initialize);
    let told = converse(&initialize, own.map(Path::to_owned), steps, |seat, elsewhere| {
        companion.serves(seat, elsewhere)
    });
    let mut answered = Vec::new();
    for message in told {
        let said = serde_json::to_value(&message).expect("it is sent as JSON");
        is_seen(&said);
        if let Message::Response(response) = message {
            assert!(asked.contains(&response.id), "nobody asked {:?}", response.id);
            answered.push(response.id);
        }
    }
    assert!(answered.len() <= asked.len(), "something was answered twice");
}

/// What an editor shows its person of a message is harmless: messages, and the titles of what can be chosen.
fn is_seen(said: &Value) {
    match said {
        Value::Object(fields) => {
            let shown = |name: &&String| matches!(name.as_str(), "message" | "title");
            let shown = fields.iter().filter(|(name, _)| shown(name)).filter_map(|(_, said)| said.as_str());
            shown.for_each(|said| harmless::is_seen(said, "\t\n"));
            fields.values().for_each(is_seen);
        }
        Value::Array(items) => items.iter().for_each(is_seen),
        _ => {}
    }
}

fn step(line: &[u8]) -> Option<Step<Elsewhere>> {
    match line.strip_prefix(ELSEWHERE) {
        Some(said) => serde_json::from_slice(said).ok().map(Step::Elsewhere),
        None if line == WAITS => Some(Step::Waits),
        None => understood(line).map(Step::Said),
    }
}

fn asked(step: &Step<Elsewhere>) -> Option<RequestId> {
    match step {
        Step::Said(Message::Request(request)) => Some(request.id.clone()),
        _ => None,
    }
}

/// The messages of a stream that is framed from its beginning to its end; both readers agree on it.
fn framed(data: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut ours, mut messages) = (data, Vec::new());
    while let Some(message) = read(&mut ours).ok()? {
        let text = String::from_utf8_lossy(&message);
        let written = write(&text).expect("there is room");
        assert_eq!(read(&mut written.as_slice()).expect("it is framed").as_deref(), Some(text.as_bytes()));
        messages.push(message);
    }
    (!messages.is_empty()).then_some(messages)
}

/// A message, as the editor's end reads it.
fn understood(message: &[u8]) -> Option<Message> {
    let framed = write(std::str::from_utf8(message).ok()?).ok()?;
    Message::read(&mut framed.as_slice()).ok().flatten()
}
