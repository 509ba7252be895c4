//! What an editor sends: bytes that are framed or not, and messages that make sense or not.

use std::cell::LazyCell;

use alongside_desk::Review;
use alongside_desk::fuzzing::{read, write};
use alongside_lsp::fuzzing::converse;
use lsp_server::Message;
use serde_json::{Value, json};

thread_local! {
    static REVIEW: LazyCell<Review> = LazyCell::new(|| {
        serde_json::from_value(json!({
            "id": 1, "agent": { "number": 1, "name": "", "version": "", "since": 0, "listening": true }, "file": "/nowhere/a.rs", "original": "one\ntwo\n", "proposed": "one\nTWO\n",
            "current": "one\nTWO\n", "revision": 1, "stale": false, "dirty": false,
            "hunks": [{
                "state": "kept", "original": { "start": 1, "end": 2 }, "proposed": { "start": 1, "end": 2 },
                "current": { "start": 1, "end": 2 },
            }],
        }))
        .expect("a review")
    });
}

/// The input is a stream, of which the first message holds the parameters of `initialize`; or only those, and then a
/// message a line.
pub fn holds(data: &[u8]) {
    let messages =
        framed(data).unwrap_or_else(|| data.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect());
    let mut values =
        messages.iter().map(|message| serde_json::from_slice::<Value>(message).unwrap_or_default());
    let Some(initialize) = values.next() else { return };
    let said: Vec<Message> = messages.iter().skip(1).filter_map(|message| understood(message)).collect();
    let id = |message: &Message| match message {
        Message::Request(request) => Some(request.id.clone()),
        _ => None,
    };
    let asked: Vec<_> = said.iter().filter_map(id).collect();
    let review = REVIEW.with(|review| Review::clone(review));
    let (told, _companion) = converse(&initialize, review, said);
    let mut answered = Vec::new();
    for message in told {
        if let Message::Response(response) = message {
            assert!(asked.contains(&response.id), "nobody asked {:?}", response.id);
            answered.push(response.id);
        }
    }
    assert!(answered.len() <= asked.len(), "something was answered twice");
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
