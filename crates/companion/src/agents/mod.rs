//! The connected agents: their sessions, the messages that each agent has still to get, and the time when an
//! agent counts as gone.

pub(crate) mod connection;
pub(crate) mod context_frames;
pub(crate) mod frame;
pub(crate) mod identity;
mod in_flight;
pub(crate) mod last_texts;
pub(crate) mod outbox;
pub(crate) mod outcome_messages;
pub(crate) mod registry;
pub(crate) mod session;
