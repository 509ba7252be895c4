//! Delivers the messages of a person to an agent. A message stays on disk until an agent has read it.
//!
//! A process that delivers a message holds the lock of comments until the delivery ends, and the system
//! frees the lock if the process dies. So no two processes deliver a message at once, and no process changes
//! its comments meanwhile. Before the process prints the first byte, it writes a line into the log that the
//! delivery begins. If a full disk refuses that line, nothing is printed. If no line about the end follows,
//! the process has died in between, and it is unknown whether the agent has read the message. Then the next
//! delivery prints the message again, and the first lines of the message say that it may be known. So no
//! message is lost, and none is repeated without that remark.
//!
//! A message beside a prompt counts as read once the turn of that prompt ends. Until then, the message
//! belongs to the session. A prompt that another hook blocks, or that the person takes back, reaches no
//! model. Then the next prompt of the session gets the message again.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alongside_desk::{CommentId, now_ms};

use crate::comments::comment_list;
use crate::comments::file_texts::FileTexts;
use crate::error::Error;
use crate::sessions::recipient;
use crate::store::comment_line::Line;
use crate::store::comment_state::{Comments, Round};
use crate::store::delivery_way::Delivery;
use crate::store::file_lock::FileLock;
use crate::store::session_address::Address;
use crate::store::tree_store::{COMMENTS_LOCK, TreeStore};
use crate::store::turn_dirs::TurnDirs;

/// The longest wait for another process that writes a comment or delivers a message. A child process that is
/// just being started may also hold a copy of the lock for a moment.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest text of a delivered message that the log keeps, in bytes.
const MAX_KEPT: usize = 256 << 10;

/// The session of an agent to which a message is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The display name of the agent, like [`TurnEvent::agent`](crate::TurnEvent::agent).
    pub agent: String,
    /// The session's identifier, which the agent has chosen.
    pub session: String,
    /// Whether a person is at the session. A session without a person gets only messages that name it.
    pub is_attended: bool,
}

impl Reader {
    pub(super) fn address(&self) -> Address {
        Address::new(&self.agent, &self.session)
    }
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The text, within the limit of the agent.
    pub text: String,
    /// The time at which the person sent the newest part of the message, in milliseconds since the Unix
    /// epoch.
    pub at: u64,
    /// The text without a limit.
    whole: String,
}

/// The result of a claim.
#[derive(Debug)]
pub enum Claimed {
    /// This process has claimed the message and delivers it.
    Message(Box<Claim>),
    /// No message waits.
    Nothing,
    /// Another process is delivering a message or writing a comment. A message may wait.
    Busy,
}

/// The right of this process to deliver a message, until it is dropped or the process ends. If it is dropped
/// before [`begin`](Self::begin), the message waits on.
#[derive(Debug)]
pub struct Claim {
    message: Message,
    store: TreeStore,
    rounds: Vec<u64>,
    delivery: Delivery,
    by: Option<Address>,
    /// The line of the round that is sent by this delivery itself, written once it has succeeded.
    unsent: Option<Line>,
    _lock: FileLock,
}

/// A working tree in which messages may wait.
struct Messages {
    top: PathBuf,
    store: TreeStore,
}

impl Messages {
    fn around(dirs: &TurnDirs, directory: &Path) -> Result<Self, Error> {
        let tree = dirs.working_tree(directory)?;
        Ok(Self { store: TreeStore::of(dirs.state(), &tree.top), top: tree.top })
    }

    /// Returns the message that waits for a reader, and the numbers of its rounds.
    fn waiting(
        &self,
        reader: &Reader,
        delivery: Delivery,
        most: usize,
    ) -> Result<Option<(Message, Vec<u64>)>, Error> {
        let all = self.store.comments().read()?;
        if all.waiting().next().is_none() {
            return Ok(None);
        }
        let address = reader.address();
        let now = now_ms();
        // A hook that waits beside an idle session may still run beside the next prompt, which has the
        // message.
        let has = |round: &Round| round.given.as_ref().is_some_and(|given| given.by == address);
        let is_for = |round: &&Round| {
            recipient::is_for(round, &address, reader.is_attended, now)
                && !(delivery == Delivery::Wake && has(round))
        };
        Ok(self.message(&all, all.waiting().filter(is_for).collect(), most))
    }

    fn message(&self, all: &Comments, rounds: Vec<&Round>, most: usize) -> Option<(Message, Vec<u64>)> {
        let at = rounds.iter().map(|round| round.at).max()?;
        let numbers = rounds.iter().map(|round| round.number).collect();
        let content = comment_list::content(all, rounds, &mut FileTexts::on_disk(&self.top));
        let message = Message { text: content.text(most), at, whole: content.text(usize::MAX) };
        (!content.is_empty()).then_some((message, numbers))
    }

    /// Takes the lock of comments; `None` while another process holds it.
    fn lock(&self) -> io::Result<Option<FileLock>> {
        self.store.try_lock(COMMENTS_LOCK, Instant::now() + PATIENCE)
    }
}

/// Returns the message that waits for a session in the working tree around a directory, in at most `most`
/// UTF-16 units.
///
/// # Errors
/// When the log cannot be read.
pub fn pending(
    dirs: &TurnDirs,
    directory: &Path,
    reader: &Reader,
    most: usize,
) -> Result<Option<Message>, Error> {
    let Ok(messages) = Messages::around(dirs, directory) else { return Ok(None) };
    let found = messages.waiting(reader, Delivery::Prompt, most)?;
    Ok(found.map(|(message, _)| message))
}

/// Claims the message that waits for a session, so that no other process delivers it.
///
/// # Errors
/// When the log cannot be read.
pub fn claim(
    dirs: &TurnDirs,
    directory: &Path,
    reader: &Reader,
    delivery: Delivery,
    most: usize,
) -> Result<Claimed, Error> {
    let Ok(messages) = Messages::around(dirs, directory) else { return Ok(Claimed::Nothing) };
    if messages.waiting(reader, delivery, most)?.is_none() {
        return Ok(Claimed::Nothing);
    }
    let Some(lock) = messages.lock()? else { return Ok(Claimed::Busy) };
    // Before this process got the lock, another one may have delivered the message.
    let Some((message, rounds)) = messages.waiting(reader, delivery, most)? else {
        return Ok(Claimed::Nothing);
    };
    let by = Some(reader.address());
    let claim = Claim { message, store: messages.store, rounds, delivery, by, unsent: None, _lock: lock };
    Ok(Claimed::Message(Box::new(claim)))
}

/// Marks the messages as read that a session was given beside a prompt before `ended`, the end of its turn in
/// milliseconds since the Unix epoch. Returns whether there was such a message. A message beside a later
/// prompt is read at the end of that prompt's turn.
///
/// # Errors
/// When the log cannot be read or written.
pub fn confirm(dirs: &TurnDirs, directory: &Path, reader: &Reader, ended: u64) -> Result<bool, Error> {
    let Ok(messages) = Messages::around(dirs, directory) else { return Ok(false) };
    let address = reader.address();
    let given = || -> Result<Vec<(u64, u64)>, Error> {
        let all = messages.store.comments().read()?;
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
    let Some(_lock) = messages.lock()? else { return Err(Error::Late) };
    // The hook that has waited since the same end may have marked the messages already.
    let given = given()?;
    let at = given.iter().map(|(_, at)| *at).max();
    let Some(at) = at else { return Ok(false) };
    let rounds = given.into_iter().map(|(round, _)| round).collect();
    let read = Line::Read { rounds, delivery: Delivery::Prompt, by: Some(address), at };
    messages.store.comments().append([&read])?;
    Ok(true)
}

/// Claims the unsent comments and all waiting messages, as one message that the person pastes. The comments
/// stay unsent until the message is delivered.
///
/// # Errors
/// When the log cannot be read.
pub fn claim_for_person(dirs: &TurnDirs, directory: &Path, delivery: Delivery) -> Result<Claimed, Error> {
    let Ok(messages) = Messages::around(dirs, directory) else { return Ok(Claimed::Nothing) };
    if !messages.store.comments().read()?.is_needed() {
        return Ok(Claimed::Nothing);
    }
    let Some(lock) = messages.lock()? else { return Ok(Claimed::Busy) };
    let mut all = messages.store.comments().read()?;
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
    let store = messages.store;
    let claim = Claim { message, store, rounds, delivery, by: None, unsent, _lock: lock };
    Ok(Claimed::Message(Box::new(claim)))
}

/// Returns the path of the file that grows whenever a message is sent in the working tree around a directory.
/// A process that waits for a message watches this file, which need not exist.
///
/// # Errors
/// When the directory is in no working tree.
pub fn watched_file(dirs: &TurnDirs, directory: &Path) -> Result<PathBuf, Error> {
    Ok(Messages::around(dirs, directory)?.store.comments().path().to_owned())
}

impl Claim {
    /// Returns the message to deliver.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// Writes into the log that the delivery begins. A message that a person copies needs no such line,
    /// since the person sees whether the copy has succeeded.
    ///
    /// # Errors
    /// When the log cannot be written. Then the caller must not print the message: after a crash, no line
    /// would show that the message may have been printed.
    pub fn begin(&self) -> Result<(), Error> {
        match self.by {
            Some(_) => {
                let delivering = Line::Delivering { rounds: self.rounds.clone(), at: now_ms() };
                Ok(self.store.comments().append(self.told().iter().chain([&delivering]))?)
            }
            None => Ok(()),
        }
    }

    /// Marks the message as read, so that no other session gets it.
    ///
    /// # Errors
    /// When the log cannot be written. Then the message waits on.
    pub fn mark_delivered(self) -> Result<(), Error> {
        let (rounds, delivery, by) = (self.rounds.clone(), self.delivery, self.by.clone());
        let read = Line::Read { rounds, delivery, by, at: now_ms() };
        // The text for an agent was written when its delivery began.
        let told = if self.by.is_none() { self.told() } else { None };
        Ok(self.store.comments().append(self.unsent.iter().chain(&told).chain([&read]))?)
    }

    /// Marks the message as given beside a prompt. It counts as read once the turn ends: see [`confirm`]. If
    /// the agent's process is known and ends before, another session gets the message.
    ///
    /// # Errors
    /// When the log cannot be written. Then the message is given again, with a remark.
    pub fn mark_given(self, process: Option<u32>) -> Result<(), Error> {
        match self.by.clone() {
            Some(by) => self.append(&Line::Given { rounds: self.rounds.clone(), by, at: now_ms(), process }),
            None => Ok(()),
        }
    }

    /// Takes the delivery back: the message has certainly not reached the session, so the next delivery
    /// prints it.
    ///
    /// # Errors
    /// When the log cannot be written. Then the next delivery remarks that the message may be known.
    pub fn give_back(self) -> Result<(), Error> {
        match self.by {
            Some(_) => self.append(&Line::NotDelivered { rounds: self.rounds.clone(), at: now_ms() }),
            None => Ok(()),
        }
    }

    /// Returns the line with the whole text, so that the message can be printed later. A very long text is
    /// not kept.
    fn told(&self) -> Option<Line> {
        let text = self.message.whole.clone();
        (text.len() <= MAX_KEPT).then(|| Line::Told { rounds: self.rounds.clone(), text, at: now_ms() })
    }

    fn append(&self, line: &Line) -> Result<(), Error> {
        Ok(self.store.comments().append([line])?)
    }
}
