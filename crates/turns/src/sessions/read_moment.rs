//! Determines when an agent's session reads a message: at once, if a hook waits beside the idle session and
//! holds the session's lock; at the end of the turn, if the agent then starts such a hook; otherwise with the
//! person's next prompt.

use crate::sessions::open_turns::{is_at_work, last_of};
use crate::store::file_lock::FileLock;
use crate::store::session_address::Address;
use crate::store::tree_store::TreeStore;
use crate::store::turn_log::{Kind, Record};

/// The moment at which a message is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadMoment {
    /// A hook waits beside the session, and no turn has begun since.
    AtOnce,
    /// A hook starts at the end of the current turn, unless the person ends that turn with Esc.
    AfterTurn,
    /// The hook of the person's next prompt delivers the message.
    NextPrompt,
}

/// Returns when this session reads a message that is sent now.
pub(crate) fn read_moment(store: &TreeStore, to: Option<&Address>, log: &[Record]) -> ReadMoment {
    let Some(to) = to else { return ReadMoment::NextPrompt };
    let last = last_of(log, to);
    if is_at_work(log, to) && last.is_some_and(|last| last.is_woken) {
        return ReadMoment::AfterTurn;
    }
    let lock = store.file(&lock_of(to));
    let is_idle = last.is_some_and(|last| last.kind == Kind::End);
    let is_awaited = is_idle && FileLock::is_taken(&lock);
    if is_awaited { ReadMoment::AtOnce } else { ReadMoment::NextPrompt }
}

/// Returns the file name of the lock that the waiting hook of a session holds.
pub(crate) fn lock_of(session: &Address) -> String {
    format!("waits-{}", session.key())
}
