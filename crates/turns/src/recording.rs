//! Takes a snapshot at each prompt and at the end of each turn, in the process of the turn hook. The agent
//! waits for its hook, so a snapshot has a deadline. A failure is a line of the log that a turn review shows.

use std::path::{Path, PathBuf};
use std::time::Instant;

use alongside_contract::turns::Moment;

use crate::error::Error;
use crate::sessions::open_turns::last_of;
use crate::snapshots::left_out_files;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::session_address::Address;
use crate::store::tree_store::{SNAPSHOT_LOCK, TreeStore};
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::{AgentProcess, Kind, Record};
use crate::working_tree::WorkingTree;

/// An event of an agent's turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEvent {
    /// Its kind.
    pub moment: Moment,
    /// The agent, for people.
    pub agent: String,
    /// The agent's name of its session.
    pub session: String,
    /// The agent's name of the turn, or nothing.
    pub turn: String,
    /// Whether a person is at the session, as far as the agent says so.
    pub is_attended: bool,
    /// Whether the agent starts a hook at the end of the turn that wakes its session.
    pub is_woken: bool,
}

/// The outcome of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// A snapshot is in the store.
    Kept,
    /// No snapshot was due: the directory is in no Git working tree, or no turn begins or ends.
    Nothing,
    /// The snapshot of this working tree was not ready in time. [`seed`] completes its index, so that the
    /// next prompt is in time.
    TooLate(PathBuf),
}

/// Takes the snapshot for an event in a directory, until a point in time. Only Git working trees have one.
///
/// # Errors
/// Why there is no snapshot. The reason is also a line of the log, if the log can be written.
pub fn record(
    dirs: &TurnDirs,
    event: &TurnEvent,
    directory: &Path,
    until: Instant,
) -> Result<Recorded, Error> {
    let Some(tree) = WorkingTree::around(directory, &dirs.homes()) else { return Ok(Recorded::Nothing) };
    let store = TreeStore::of(dirs.state(), &tree.top);
    let kind = match event.moment {
        Moment::Continued if is_open(&store.log().read()?, event) => return Ok(Recorded::Nothing),
        Moment::Prompt | Moment::Continued => Kind::Prompt,
        Moment::End => Kind::End,
    };
    let (top, branch) = (tree.top.clone(), tree.repository.as_ref().and_then(|it| it.branch()));
    let begun = Record {
        agent: event.agent.clone(),
        session: event.session.clone(),
        turn: event.turn.clone(),
        is_unattended: !event.is_attended,
        is_woken: event.is_woken,
        process: AgentProcess::here(),
        branch,
        ..Record::new(kind, alongside_desk::now_ms())
    };
    let taken = TreeAccess::open(dirs, tree, until).and_then(|access| {
        let (head, taken) = (access.head(), access.take_snapshot()?);
        let left = left_out_files::keep(&access.store, &taken.left)?;
        Ok(Record { tree: Some(taken.tree), left, head, ..begun.clone() })
    });
    match taken {
        Ok(record) => {
            store.log().append(&record)?;
            Ok(Recorded::Kept)
        }
        Err(fault) => {
            store.make(dirs.state(), &top)?;
            store.log().append(&Record { why: Some(fault.to_string()), ..begun })?;
            if fault == Error::Late { Ok(Recorded::TooLate(top)) } else { Err(fault) }
        }
    }
}

/// Brings the index of a working tree up to date until a point in time, which may be far off: no agent waits,
/// and the next prompt finds the index ready.
///
/// # Errors
/// When git or the disk refuses, or the time is over.
pub fn seed(dirs: &TurnDirs, top: &Path, until: Instant) -> Result<(), Error> {
    let Some(tree) = WorkingTree::around(top, &dirs.homes()) else { return Ok(()) };
    TreeAccess::open(dirs, tree, until)?.take_snapshot().map(drop)
}

/// Removes the store of the working tree around a directory, but keeps words that nobody has read. Returns
/// the top of the working tree, if there was a store.
///
/// # Errors
/// When the store cannot be removed.
pub fn clear(dirs: &TurnDirs, directory: &Path, until: Instant) -> Result<Option<PathBuf>, Error> {
    let tree = dirs.working_tree(directory)?;
    let store = TreeStore::of(dirs.state(), &tree.top);
    if !store.file("tree").exists() {
        return Ok(None);
    }
    let _lock = store.lock(SNAPSHOT_LOCK, until)?;
    store.remove(until)?;
    Ok(Some(tree.top))
}

/// Removes the stores of all working trees, but keeps words that nobody has read.
///
/// # Errors
/// When a store cannot be removed.
pub fn clear_all(dirs: &TurnDirs, until: Instant) -> Result<(), Error> {
    remove_each(dirs, until, |store| store.remove(until))
}

/// Deletes the stores of all working trees, also the words that nobody has read.
///
/// # Errors
/// When a store cannot be removed.
pub fn delete_all(dirs: &TurnDirs, until: Instant) -> Result<(), Error> {
    remove_each(dirs, until, |store| store.delete(until))
}

fn remove_each(
    dirs: &TurnDirs,
    until: Instant,
    remove: impl Fn(&TreeStore) -> Result<(), Error>,
) -> Result<(), Error> {
    for (store, _) in TreeStore::all(dirs.state()) {
        let _lock = store.lock(SNAPSHOT_LOCK, until)?;
        remove(&store)?;
    }
    Ok(TreeStore::remove_empty(dirs.state())?)
}

/// The working trees in whose stores [`clear_all`] has something to remove.
pub fn stored(dirs: &TurnDirs) -> Vec<PathBuf> {
    let all = TreeStore::all(dirs.state()).into_iter();
    all.filter(|(store, _)| !store.has_only_words()).map(|(_, top)| top).collect()
}

/// The working trees with words that no agent has read yet, each with its comments. The list of comments is
/// empty where the only unread words are that changes were undone.
///
/// # Errors
/// When a log of comments cannot be read.
pub fn unread(dirs: &TurnDirs) -> Result<Vec<(PathBuf, Vec<String>)>, Error> {
    let mut all = Vec::new();
    for (store, top) in TreeStore::all(dirs.state()) {
        let comments = store.comments().read()?;
        if comments.is_needed() {
            all.push((top, comments.unread().map(str::to_owned).collect()));
        }
    }
    Ok(all)
}

/// Whether the session of this event is within a turn: its last line in the log is a prompt.
fn is_open(log: &[Record], event: &TurnEvent) -> bool {
    let last = last_of(log, &Address::new(&event.agent, &event.session));
    last.is_some_and(|last| last.kind == Kind::Prompt)
}
