//! A conversation with an editor, without threads and without waiting.

use std::path::{Path, PathBuf};

use alongside_desk::Seat;
use futures_util::FutureExt as _;
use lsp_server::Message;
use serde_json::Value;

use super::{Front, Session};
use crate::client::Client;
use crate::io::{Io, Told};
use crate::plain::Plain;
use crate::plugin::Plugin;

/// What happens next.
#[derive(Debug, Clone)]
pub enum Step<E> {
    /// The editor says something.
    Said(Message),
    /// Something comes to the companion from elsewhere.
    Elsewhere(E),
    /// Nothing, until everything has happened that was due.
    Waits,
}

/// What an editor is told that introduced itself with `initialize`. Proposals are written below `own`. At
/// first and in each step `companion` may say something at its seat, and take what was asked of it, until it
/// says that it did not.
pub fn converse<E>(
    initialize: &Value,
    own: Option<PathBuf>,
    steps: impl IntoIterator<Item = Step<E>>,
    mut companion: impl FnMut(&mut Seat, Option<E>) -> bool,
) -> Vec<Message> {
    let (to_editor, told) = std::sync::mpsc::channel();
    let mut io = Io::new(to_editor);
    let (desk, mut seat) = alongside_desk::pair();
    io.desk = Some(desk);
    let client = Client::read(initialize, Path::new("/nowhere"));
    let front = match client.protocol {
        Some(_) => Front::Plugin(Plugin::default()),
        None => Front::Plain(Box::new(Plain::new(&client, own))),
    };
    let mut session = Session { client, front, ready: true, shut: false, complained: None, untold: None };
    session.front.joined(&mut io);
    let mut serve = |session: &mut Session, io: &mut Io, mut elsewhere: Option<E>| {
        while companion(&mut seat, elsewhere.take()) {
            session.hear(io);
        }
    };
    serve(&mut session, &mut io, None);
    for step in steps {
        let mut elsewhere = None;
        match step {
            Step::Said(message) => {
                if session.heard(&mut io, message) {
                    break;
                }
            }
            Step::Elsewhere(said) => elsewhere = Some(said),
            Step::Waits => session.wait(&mut io),
        }
        serve(&mut session, &mut io, elsewhere);
    }
    drop((session, io));
    told.into_iter().collect()
}

impl Session {
    /// Takes in what the companion has said.
    fn hear(&mut self, io: &mut Io) {
        while let Some(told) = io.told().now_or_never() {
            match told {
                _ if self.shut => {}
                Told::Event(event) => self.front.told(io, *event),
                Told::Answer(asked, answer) => self.front.answered(io, asked, answer),
                Told::Gone => return,
            }
        }
    }

    /// Lets everything happen that is due some time.
    fn wait(&mut self, io: &mut Io) {
        while let Some(now) = [self.front.deadline(), io.deadline()].into_iter().flatten().min() {
            for number in io.unanswered(now) {
                self.front.replied(io, number, None);
            }
            self.front.due(io, now);
        }
    }
}
