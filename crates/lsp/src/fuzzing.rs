//! Private functions of this crate, for the fuzzers of `fuzz/`. Not a public interface.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use alongside_desk::{DraftKeeper, Position, Seat, Text};
use lsp_server::Message;
use serde_json::Value;

use crate::client::Client;
use crate::connector::Connector;
use crate::encoding::Encoding;
use crate::io::{CompanionMessage, Io};
use crate::session::{Session, SessionEvent};
use crate::without_plugin::open_documents::documents::Documents;
use crate::without_plugin::open_documents::positions;

/// Returns the byte offset of a position.
#[must_use]
pub fn offset(text: &Text, position: Position, encoding: Encoding) -> usize {
    positions::offset(text, position, encoding)
}

/// Returns the position of a byte offset, which is between two characters.
#[must_use]
pub fn position(text: &Text, offset: usize, encoding: Encoding) -> Position {
    positions::position(text, offset, encoding)
}

/// Returns the text of a document that is opened and then changed by a `didChange` of the same URI.
#[must_use]
pub fn changed(open: &Value, change: &Value, encoding: Encoding) -> Option<Text> {
    let mut documents = Documents::new(encoding);
    let key = documents.open(open)?;
    documents.change(change);
    documents.get(&key).map(|document| document.text.clone())
}

/// A step of a conversation.
#[derive(Debug, Clone)]
pub enum Step<E> {
    /// The editor sends a message.
    Said(Message),
    /// The companion gets a message from another party.
    Elsewhere(E),
    /// Every deadline passes; recurring ones pass several times.
    Waits,
}

/// The most deadlines of one [`Step::Waits`].
const MAX_DEADLINES: usize = 32;

/// Drafts in memory only.
#[derive(Debug, Default)]
pub(crate) struct DraftsInMemory(Mutex<BTreeMap<PathBuf, String>>);

impl DraftsInMemory {
    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<String> {
        self.0.lock().unwrap().values().cloned().collect()
    }
}

impl DraftKeeper for DraftsInMemory {
    fn keep(&self, file: &str, agent: &str, _: &str, text: &str) -> io::Result<PathBuf> {
        let mut drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut paths = (0..).map(|n| PathBuf::from(format!("{agent}/{n}/{file}")));
        let path = paths.find(|path| !drafts.contains_key(path)).ok_or(io::ErrorKind::StorageFull)?;
        drafts.insert(path.clone(), text.to_owned());
        Ok(path)
    }

    fn discard(&self, path: &Path) -> io::Result<()> {
        let mut drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drafts.remove(path).map(drop).ok_or(io::ErrorKind::NotFound.into())
    }
}

/// Returns the messages that an editor receives in a conversation without threads and without waiting.
///
/// The editor sent `initialize`; proposals are files below `review_directory`. At the start and in each step,
/// `companion` may send events from its seat and take requests, until it returns false.
pub fn converse<E>(
    initialize: &Value,
    review_directory: Option<PathBuf>,
    steps: impl IntoIterator<Item = Step<E>>,
    mut companion: impl FnMut(&mut Seat, Option<E>) -> bool,
) -> Vec<Message> {
    let (to_editor, received) = std::sync::mpsc::channel();
    let (_, inbox) = tokio::sync::mpsc::unbounded_channel();
    let (desk, mut seat) = alongside_desk::pair();
    let client = Client::read(initialize, Path::new("/nowhere"));
    let roots = client.roots.clone();
    let connector = Connector::new(|_| Box::pin(std::future::pending()));
    let drafts = Arc::<DraftsInMemory>::default();
    let mut session = Session::new(client, inbox, Io::new(to_editor), connector, review_directory, drafts);
    session.initialized();
    session.connected(desk, &roots);
    let mut serve = |session: &mut Session<'_>, mut elsewhere: Option<E>| {
        while companion(&mut seat, elsewhere.take()) {
            receive(session);
        }
    };
    serve(&mut session, None);
    for step in steps {
        let mut elsewhere = None;
        match step {
            Step::Said(message) => {
                if session.handle(SessionEvent::Editor(message)).is_break() {
                    break;
                }
            }
            Step::Elsewhere(said) => elsewhere = Some(said),
            Step::Waits => {
                for _ in 0..MAX_DEADLINES {
                    let Some(now) = session.deadline() else { break };
                    let _ = session.handle(SessionEvent::Deadline(now));
                }
            }
        }
        serve(&mut session, elsewhere);
    }
    drop(session);
    received.into_iter().collect()
}

/// Hands the session all companion messages that are there, up to the end of the connection.
fn receive(session: &mut Session<'_>) {
    while let Some(message) = session.try_companion_message() {
        if matches!(message, CompanionMessage::Stopped) {
            return;
        }
        let _ = session.handle(SessionEvent::Companion(message));
    }
}
