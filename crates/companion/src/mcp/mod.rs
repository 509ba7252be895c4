//! The edge that agents talk to: MCP over HTTP. Wire types stop here; the main loop gets events.

mod batch;
mod excerpt;
pub(crate) mod fuzzing;
pub(crate) mod gate;
mod headers;
pub(crate) mod http;
pub(crate) mod listener;
mod long_work;
pub(crate) mod ports;
mod post;
mod proposal_queue;
mod rate_limited_log;
mod refusals;
mod rpc;
pub(crate) mod server;
mod stream;
mod tools;
mod unread_request;
