//! The edge that agents talk to: MCP over HTTP. Wire types stop here; the main loop gets events.

pub(crate) mod fuzzing;
pub(crate) mod gate;
pub(crate) mod http;
pub(crate) mod listener;
pub(crate) mod ports;
mod proposal_queue;
mod rate_limited_log;
pub(crate) mod rpc;
pub(crate) mod stream;
pub(crate) mod tools;
