//! The messages of a person that wait for an agent, on disk until one has read them.
//!
//! Whoever delivers a message holds a lock meanwhile, which the system frees if the process dies: no two ways
//! deliver it at once. It counts as read when that is in the log, and not before, so that a hook that was
//! killed loses nothing.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alongside_desk::now_ms;

use crate::comment_log::{Address, Comments, Line, Round};
use crate::comments;
use crate::delivery::Delivery;
use crate::fault::Fault;
use crate::feedback::{self, Texts};
use crate::places::Places;
use crate::route;
use crate::shelf::Shelf;
use crate::working_tree::WorkingTree;

/// How long somebody else who delivers is waited for: a process that is being started may hold the lock for a
/// moment that another thread has left.
const PATIENCE: Duration = Duration::from_millis(500);

/// An agent's session, which reads messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The agent, for people: as [`TurnEvent::agent`](crate::TurnEvent::agent).
    pub agent: String,
    /// The agent's name of its session.
    pub session: String,
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
    shelf: Shelf,
    rounds: Vec<u64>,
    delivery: Delivery,
    by: Option<Address>,
    _lock: File,
}

/// A working tree in which messages may wait.
struct Outbox {
    top: PathBuf,
    shelf: Shelf,
}

impl Outbox {
    fn around(places: &Places, directory: &Path) -> Option<Self> {
        let tree = WorkingTree::around_or_at(directory, &places.homes())?;
        Some(Self { shelf: Shelf::of(places.state(), &tree.top), top: tree.top })
    }

    /// What waits for a reader, and the rounds of it.
    fn waiting(&self, reader: &Reader, most: usize) -> Result<Option<(Message, Vec<u64>)>, Fault> {
        let all = self.shelf.comments().read()?;
        if all.waiting().next().is_none() {
            return Ok(None);
        }
        let log = self.shelf.log().read()?;
        let Reader { agent, session } = reader;
        let is_for = |round: &&Round| route::is_for(round.to.as_ref(), round.at, agent, session, &log);
        Ok(self.message(&all, all.waiting().filter(is_for).collect(), most))
    }

    fn message(&self, all: &Comments, rounds: Vec<&Round>, most: usize) -> Option<(Message, Vec<u64>)> {
        let at = rounds.iter().map(|round| round.at).max()?;
        let numbers = rounds.iter().map(|round| round.number).collect();
        let content = feedback::content(all, rounds, &mut Texts::on_disk(&self.top));
        let message = Message { text: content.text(most), at };
        (!content.is_empty()).then_some((message, numbers))
    }

    /// The lock of those who deliver; `None` while somebody else has it.
    fn lock(&self) -> Result<Option<File>, Fault> {
        match self.shelf.lock("delivery-lock", Instant::now() + PATIENCE) {
            Ok(lock) => Ok(Some(lock)),
            Err(Fault::Late) => Ok(None),
            Err(fault) => Err(fault),
        }
    }
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
    let Some(outbox) = Outbox::around(places, directory) else { return Ok(None) };
    let found = outbox.waiting(reader, most)?;
    Ok(found.map(|(message, _)| message))
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
    let Some(outbox) = Outbox::around(places, directory) else { return Ok(None) };
    if outbox.waiting(reader, most)?.is_none() {
        return Ok(None);
    }
    let Some(lock) = outbox.lock()? else { return Ok(None) };
    // Somebody may have delivered it until a moment ago.
    let Some((message, rounds)) = outbox.waiting(reader, most)? else { return Ok(None) };
    let by = Some(Address { agent: reader.agent.clone(), session: reader.session.clone() });
    Ok(Some(Claim { message, shelf: outbox.shelf, rounds, delivery, by, _lock: lock }))
}

/// Sends the comments that are unsent, and takes them and all that waits for a person to paste it. `None` if
/// there is nothing, or somebody delivers it now.
///
/// # Errors
/// When the log cannot be read or written.
pub fn claim_for_person(places: &Places, directory: &Path) -> Result<Option<Claim>, Fault> {
    let Some(outbox) = Outbox::around(places, directory) else { return Ok(None) };
    if !outbox.shelf.comments().read()?.is_needed() {
        return Ok(None);
    }
    let Some(lock) = outbox.lock()? else { return Ok(None) };
    comments::send(places, &outbox.top, &Default::default())?;
    let all = outbox.shelf.comments().read()?;
    let found = outbox.message(&all, all.waiting().collect(), usize::MAX);
    let delivery = Delivery::Clipboard;
    Ok(found.map(|(message, rounds)| Claim {
        message,
        shelf: outbox.shelf,
        rounds,
        delivery,
        by: None,
        _lock: lock,
    }))
}

/// The file that grows whenever something is sent in the working tree around a directory, for those who wait
/// for it. It need not exist.
///
/// # Errors
/// When the directory is in no working tree.
pub fn watched_file(places: &Places, directory: &Path) -> Result<PathBuf, Fault> {
    let outbox = Outbox::around(places, directory);
    let outbox = outbox.ok_or_else(|| Fault::said("this directory is no working tree"))?;
    Ok(outbox.shelf.comments().path().to_owned())
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
        let _lock = comments::lock(&self.shelf)?;
        let (rounds, delivery, by) = (self.rounds.clone(), self.delivery, self.by.clone());
        Ok(self.shelf.comments().append(&Line::Read { rounds, delivery, by, at: now_ms() })?)
    }

    /// It was not delivered: the next one gets it. The same as dropping it.
    pub fn give_back(self) {
        drop(self);
    }
}
