//! Whether a hook waits beside an agent's session for a person's message, as its lock tells.

use alongside_companion::private;

use crate::comment_log::Address;
use crate::log::{Kind, Record};
use crate::open_turns::last_of;
use crate::shelf::Shelf;

/// Whether a hook waits for the messages to this session, and no turn has begun since.
pub(crate) fn is_awaited(shelf: &Shelf, to: Option<&Address>, log: &[Record]) -> bool {
    let Some(to) = to else { return false };
    let lock = shelf.file(&lock_of(&to.agent, &to.session));
    let is_idle = last_of(log, to).is_some_and(|last| last.kind == Kind::End);
    is_idle && lock.exists() && matches!(private::try_lock(&lock), Ok(None))
}

/// The name of a session's lock. Names of sessions come from outside.
pub(crate) fn lock_of(agent: &str, session: &str) -> String {
    let address = Address { agent: agent.to_owned(), session: session.to_owned() };
    format!("waits-{}", address.key())
}
