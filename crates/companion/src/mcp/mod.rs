//! The edge that agents talk to, MCP, in three parts that do not depend on each other's choices: where a
//! companion listens and who is admitted, how messages travel, and which words they have. Wire types stop
//! here; the main loop gets events.

mod dialect;
mod excerpt;
pub(crate) mod fuzzing;
pub(crate) mod listening;
mod refusals;
pub(crate) mod server;
pub(crate) mod transport;
