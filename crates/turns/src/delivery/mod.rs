//! The delivery of a person's messages to the sessions of agents: by the hook that begins or ends a turn, or
//! by a hook that waits beside an idle session.

pub(crate) mod message_claims;
pub(crate) mod waiter;
