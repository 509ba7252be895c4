//! A frame: messages that an agent gets together. Over HTTP, a frame consists of server-sent events; over a
//! WebSocket, of one line for each message, because compact JSON has no line breaks.

use alongside_contract::family::Transport;
use bytes::Bytes;

/// Joins messages into a frame of the transport.
pub(super) fn frame(transport: Transport, messages: &[impl AsRef<str>]) -> Bytes {
    let mut frame = String::with_capacity(messages.iter().map(|message| message.as_ref().len() + 32).sum());
    for json in messages.iter().map(AsRef::as_ref) {
        match transport {
            // Without id and retry hint: old clients reopen their stream after each event with an id.
            Transport::Http => {
                frame.push_str("event: message\ndata: ");
                frame.push_str(json);
                frame.push_str("\n\n");
            }
            Transport::WebSocket => {
                frame.push_str(json);
                frame.push('\n');
            }
        }
    }
    frame.into()
}

/// Returns the messages of a frame for a WebSocket.
pub(crate) fn messages(frame: &[u8]) -> impl Iterator<Item = &str> {
    std::str::from_utf8(frame).unwrap_or_default().lines()
}
