//! A conversation with an editor, without threads and without waiting.

use std::path::Path;

use alongside_desk::{Event, Review, Seat};
use lsp_server::Message;
use serde_json::Value;

use super::{Front, Session};
use crate::client::Client;
use crate::io::Io;
use crate::plain::Plain;
use crate::plugin::Plugin;

/// What an editor is told that introduced itself with `initialize` and then says `messages`, while a review is open. The
/// seat is the companion's: what the editor asked of it waits there.
pub fn converse(
    initialize: &Value,
    review: Review,
    messages: impl IntoIterator<Item = Message>,
) -> (Vec<Message>, Seat) {
    let (to_editor, told) = std::sync::mpsc::channel();
    let mut io = Io::new(to_editor);
    let (desk, seat) = alongside_desk::pair();
    io.desk = Some(desk);
    let client = Client::read(initialize, Path::new("/nowhere"));
    let front = match client.protocol {
        Some(_) => Front::Plugin(Plugin::default()),
        None => Front::Plain(Box::new(Plain::new(&client, None))),
    };
    let mut session = Session { client, front, ready: true, shut: false, complained: None, untold: None };
    session.front.joined(&mut io);
    session.front.told(&mut io, Event::Opened(review));
    for message in messages {
        if session.heard(&mut io, message) {
            break;
        }
    }
    drop(io);
    (told.into_iter().collect(), seat)
}
