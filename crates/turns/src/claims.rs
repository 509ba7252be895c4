//! The messages of a person that wait for an agent, on disk until one has read them.
//!
//! A process that delivers a message holds the lock of comments until the end of that, and the system frees
//! it if the process dies: no two ways deliver a message at once, and nobody changes its comments meanwhile.
//! Before the first byte is printed, a line in the log says that the delivery begins; a full disk refuses
//! that line, and then nothing is printed. Where no other line follows it, the process has died in between,
//! and nobody knows whether the agent has read the message. Such a message is neither lost nor sent twice in
//! silence: the next delivery gives it again, and its first lines say so.
//!
//! A message beside a prompt is read once the turn of that prompt ends. Until then its session has it: a
//! prompt that another hook blocks, or that the person takes back, reaches no model, and the next one of the
//! session gets the message again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::{CommentId, now_ms};

use crate::comment_log::{Address, Comments, Line, Round};
use crate::comments;
use crate::delivery::Delivery;
use crate::fault::Fault;
use crate::feedback;
use crate::places::Places;
use crate::route;
use crate::shelf::Shelf;
use crate::shelf_lock::Lock;
use crate::texts::Texts;
use crate::working_tree::WorkingTree;

/// How long another process is waited for that writes a comment or delivers: a process that is being started
/// may hold the lock for a moment that another thread has left.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest text of a message that is kept, in bytes.
const MOST_KEPT: usize = 256 << 10;

/// An agent's session, which reads messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The agent, for people: as [`TurnEvent::agent`](crate::TurnEvent::agent).
    pub agent: String,
    /// The agent's name of its session.
    pub session: String,
    /// Whether a person is at the session. One without a person gets only messages to itself.
    pub is_attended: bool,
}

impl Reader {
    fn address(&self) -> Address {
        Address { agent: self.agent.clone(), session: self.session.clone() }
    }
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its text.
    pub text: String,
    /// When the person sent it, or the newest part of it, in milliseconds since the Unix epoch.
    pub at: u64,
    /// All of it, whatever the agent takes.
    whole: String,
}

/// The outcome of a claim.
#[derive(Debug)]
pub enum Claimed {
    /// This message is the caller's to deliver.
    Message(Box<Claim>),
    /// No message waits.
    Nothing,
    /// Somebody delivers now, or writes a comment. A message may wait.
    Busy,
}

/// A message that is being delivered. Nobody else gets it before this is dropped, or the process ends.
/// Dropped before [`begin`](Self::begin), it waits on.
#[derive(Debug)]
pub struct Claim {
    message: Message,
    shelf: Shelf,
    rounds: Vec<u64>,
    delivery: Delivery,
    by: Option<Address>,
    /// The round that is sent only once it is delivered.
    unsent: Option<Line>,
    _lock: Lock,
}

/// A working tree in which messages may wait.
struct Messages {
    top: PathBuf,
    shelf: Shelf,
}

impl Messages {
    fn around(places: &Places, directory: &Path) -> Option<Self> {
        let tree = WorkingTree::around_or_at(directory, &places.homes())?;
        Some(Self { shelf: Shelf::of(places.state(), &tree.top), top: tree.top })
    }

    /// The message that waits for a reader, and its rounds.
    fn waiting(
        &self,
        reader: &Reader,
        delivery: Delivery,
        most: usize,
    ) -> Result<Option<(Message, Vec<u64>)>, Fault> {
        let all = self.shelf.comments().read()?;
        if all.waiting().next().is_none() {
            return Ok(None);
        }
        let address = reader.address();
        let now = now_ms();
        // A hook that waits beside an idle session may meet its next prompt, which has the message then.
        let has = |round: &Round| round.given.as_ref().is_some_and(|given| given.by == address);
        let is_for = |round: &&Round| {
            route::is_for(round, &address, reader.is_attended, now)
                && !(delivery == Delivery::Wake && has(round))
        };
        Ok(self.message(&all, all.waiting().filter(is_for).collect(), most))
    }

    fn message(&self, all: &Comments, rounds: Vec<&Round>, most: usize) -> Option<(Message, Vec<u64>)> {
        let at = rounds.iter().map(|round| round.at).max()?;
        let numbers = rounds.iter().map(|round| round.number).collect();
        let content = feedback::content(all, rounds, &mut Texts::on_disk(&self.top));
        let message = Message { text: content.text(most), at, whole: content.text(usize::MAX) };
        (!content.is_empty()).then_some((message, numbers))
    }

    /// The lock of comments; `None` while somebody else has it.
    fn lock(&self) -> Result<Option<Lock>, Fault> {
        match comments::lock_within(&self.shelf, PATIENCE) {
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
    let Some(messages) = Messages::around(places, directory) else { return Ok(None) };
    let found = messages.waiting(reader, Delivery::Prompt, most)?;
    Ok(found.map(|(message, _)| message))
}

/// Takes that message, so that it is delivered once.
///
/// # Errors
/// When the log cannot be read.
pub fn claim(
    places: &Places,
    directory: &Path,
    reader: &Reader,
    delivery: Delivery,
    most: usize,
) -> Result<Claimed, Fault> {
    let Some(messages) = Messages::around(places, directory) else { return Ok(Claimed::Nothing) };
    if messages.waiting(reader, delivery, most)?.is_none() {
        return Ok(Claimed::Nothing);
    }
    let Some(lock) = messages.lock()? else { return Ok(Claimed::Busy) };
    // Somebody may have delivered it until a moment ago.
    let Some((message, rounds)) = messages.waiting(reader, delivery, most)? else {
        return Ok(Claimed::Nothing);
    };
    let by = Some(reader.address());
    let claim = Claim { message, shelf: messages.shelf, rounds, delivery, by, unsent: None, _lock: lock };
    Ok(Claimed::Message(Box::new(claim)))
}

/// A turn of a session has ended at a time, in milliseconds since the Unix epoch: its model has read what the
/// session was given beside the prompt. Returns whether there was something. A prompt that came since then
/// has a turn of its own, at whose end its message is read.
///
/// # Errors
/// When the log cannot be read or written.
pub fn confirm(places: &Places, directory: &Path, reader: &Reader, ended: u64) -> Result<bool, Fault> {
    let Some(messages) = Messages::around(places, directory) else { return Ok(false) };
    let address = reader.address();
    let given = || -> Result<Vec<(u64, u64)>, Fault> {
        let all = messages.shelf.comments().read()?;
        let unread = all.rounds.iter().filter(|round| round.read.is_none());
        let of_session = |round: &Round| match &round.given {
            Some(given) if given.by == address && given.at <= ended => Some((round.number, given.at)),
            Some(_) | None => None,
        };
        Ok(unread.filter_map(of_session).collect())
    };
    if given()?.is_empty() {
        return Ok(false);
    }
    let Some(_lock) = messages.lock()? else { return Err(Fault::Late) };
    // The hook that waits at the same end may have said it.
    let given = given()?;
    let at = given.iter().map(|(_, at)| *at).max();
    let Some(at) = at else { return Ok(false) };
    let rounds = given.into_iter().map(|(round, _)| round).collect();
    let read = Line::Read { rounds, delivery: Delivery::Prompt, by: Some(address), at };
    messages.shelf.comments().append(&read)?;
    Ok(true)
}

/// Takes the comments that are unsent and all that waits, for a person to paste it. The comments stay unsent
/// until it is delivered.
///
/// # Errors
/// When the log cannot be read.
pub fn claim_for_person(places: &Places, directory: &Path, delivery: Delivery) -> Result<Claimed, Fault> {
    let Some(messages) = Messages::around(places, directory) else { return Ok(Claimed::Nothing) };
    if !messages.shelf.comments().read()?.is_needed() {
        return Ok(Claimed::Nothing);
    }
    let Some(lock) = messages.lock()? else { return Ok(Claimed::Busy) };
    let mut all = messages.shelf.comments().read()?;
    let unsent: Vec<CommentId> = all.unsent().collect();
    let unsent = (!unsent.is_empty()).then(|| Line::Sent {
        round: all.next_round(),
        comments: unsent,
        undone: Vec::new(),
        to: None,
        beside: Vec::new(),
        trees: None,
        keeps: None,
        at: now_ms(),
    });
    if let Some(line) = &unsent {
        all.apply(line.clone());
    }
    let found = messages.message(&all, all.waiting().collect(), usize::MAX);
    let Some((message, rounds)) = found else { return Ok(Claimed::Nothing) };
    let shelf = messages.shelf;
    let claim = Claim { message, shelf, rounds, delivery, by: None, unsent, _lock: lock };
    Ok(Claimed::Message(Box::new(claim)))
}

/// The file that grows whenever something is sent in the working tree around a directory, for those who wait
/// for it. It need not exist.
///
/// # Errors
/// When the directory is in no working tree.
pub fn watched_file(places: &Places, directory: &Path) -> Result<PathBuf, Fault> {
    let messages = Messages::around(places, directory);
    let messages = messages.ok_or_else(|| Fault::said("this directory is no working tree"))?;
    Ok(messages.shelf.comments().path().to_owned())
}

impl Claim {
    /// The message to deliver.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// Says in the log that the delivery begins. A message that a person copies needs no such line: they see
    /// whether they have it.
    ///
    /// # Errors
    /// When the log cannot be written: then the message is not to be printed, since nobody could tell
    /// afterwards that it was.
    pub fn begin(&self) -> Result<(), Fault> {
        match self.by {
            Some(_) => {
                let delivering = Line::Delivering { rounds: self.rounds.clone(), at: now_ms() };
                Ok(self.shelf.comments().append_all(self.told().iter().chain([&delivering]))?)
            }
            None => Ok(()),
        }
    }

    /// The reader has it: it is read from now on, and nobody gets it again.
    ///
    /// # Errors
    /// When the log cannot be written: the message waits on.
    pub fn mark_delivered(self) -> Result<(), Fault> {
        let (rounds, delivery, by) = (self.rounds.clone(), self.delivery, self.by.clone());
        let read = Line::Read { rounds, delivery, by, at: now_ms() };
        // An agent's was written as its delivery began.
        let told = if self.by.is_none() { self.told() } else { None };
        Ok(self.shelf.comments().append_all(self.unsent.iter().chain(&told).chain([&read]))?)
    }

    /// The session has it beside a prompt, and has read it once its turn ends: see [`confirm`]. Where its
    /// process ends before, if that is known, another session gets the message.
    ///
    /// # Errors
    /// When the log cannot be written: the message is given again, and says so.
    pub fn mark_given(self, process: Option<u32>) -> Result<(), Fault> {
        match self.by.clone() {
            Some(by) => self.append(&Line::Given { rounds: self.rounds.clone(), by, at: now_ms(), process }),
            None => Ok(()),
        }
    }

    /// It did not reach the reader, for certain: the next one gets it.
    ///
    /// # Errors
    /// When the log cannot be written: the next one is told that it may have been read.
    pub fn give_back(self) -> Result<(), Fault> {
        match self.by {
            Some(_) => self.append(&Line::NotDelivered { rounds: self.rounds.clone(), at: now_ms() }),
            None => Ok(()),
        }
    }

    /// The text, to be printed again later. A very long one is not kept.
    fn told(&self) -> Option<Line> {
        let text = self.message.whole.clone();
        (text.len() <= MOST_KEPT).then(|| Line::Told { rounds: self.rounds.clone(), text, at: now_ms() })
    }

    fn append(&self, line: &Line) -> Result<(), Fault> {
        Ok(self.shelf.comments().append(line)?)
    }
}
