//! The interface for agents, MCP, in three parts that are independent of each other: listening and admission,
//! the transport of messages, and their dialect. Wire types stop here; the main loop gets events.

mod dialect;
mod excerpt;
pub(crate) mod fuzzing;
pub(crate) mod listening;
mod refusals;
pub(crate) mod server;
pub(crate) mod transport;
