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
    /// The kind of event.
    pub moment: Moment,
    /// The display name of the agent.
    pub agent: String,
    /// The session's identifier, which the agent has chosen.
    pub session: String,
    /// The turn's identifier, which the agent has chosen; empty if the agent sent none.
    pub turn: String,
    /// Whether the agent reports that a person is at the session.
    pub is_attended: bool,
    /// Whether the agent starts a hook at the end of the turn, and wakes its session when that hook ends.
    pub is_woken: bool,
}

/// The result of recording an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// The snapshot is in the store.
    Kept,
    /// No snapshot was due: the directory is in no Git working tree, or no turn begins or ends.
    Nothing,
    /// The snapshot of this working tree was not ready in time. [`seed`] completes its index, so that the
    /// next prompt is in time.
    TooLate(PathBuf),
}

/// Takes the snapshot for an event in a directory, until a deadline. Only Git working trees get snapshots.
///
/// # Errors
/// When no snapshot can be taken. The reason is also a line of the log, if the log can be written.
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
    let without_tree = Record {
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
        Ok(Record { tree: Some(taken.tree), left, head, ..without_tree.clone() })
    });
    match taken {
        Ok(record) => {
            store.log().append(&record)?;
            Ok(Recorded::Kept)
        }
        Err(fault) => {
            store.make(dirs.state(), &top)?;
            store.log().append(&Record { why: Some(fault.to_string()), ..without_tree })?;
            if fault == Error::Late { Ok(Recorded::TooLate(top)) } else { Err(fault) }
        }
    }
}

/// Brings the index of a working tree up to date until a deadline, which may be far off: no agent waits,
/// and the next prompt finds the index ready.
///
/// # Errors
/// When git fails, a file cannot be read or written, or the deadline has passed.
pub fn seed(dirs: &TurnDirs, top: &Path, until: Instant) -> Result<(), Error> {
    let Some(tree) = WorkingTree::around(top, &dirs.homes()) else { return Ok(()) };
    TreeAccess::open(dirs, tree, until)?.take_snapshot().map(drop)
}

/// Removes the store of the working tree around a directory, but keeps messages that no agent has read.
/// Returns the top of the working tree, if there was a store.
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

/// Removes the stores of all working trees, but keeps messages that no agent has read.
///
/// # Errors
/// When a store cannot be removed.
pub fn clear_all(dirs: &TurnDirs, until: Instant) -> Result<(), Error> {
    remove_each(dirs, until, |store| store.remove(until))
}

/// Deletes the stores of all working trees, also the messages that no agent has read.
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

/// Lists the working trees in whose stores [`clear_all`] has something to remove.
pub fn stored(dirs: &TurnDirs) -> Vec<PathBuf> {
    let all = TreeStore::all(dirs.state()).into_iter();
    all.filter(|(store, _)| !store.has_only_comments()).map(|(_, top)| top).collect()
}

/// Lists the working trees with messages that no agent has read yet, each with its comments. The list is
/// empty where the unread messages only report undone changes.
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
