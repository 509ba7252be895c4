//! The edge that agents talk to: MCP over HTTP, and over a WebSocket. Wire types stop here; the main loop
//! gets events.

mod batch;
mod excerpt;
pub(crate) mod fuzzing;
pub(crate) mod gate;
mod headers;
pub(crate) mod http;
mod initialize;
pub(crate) mod listener;
pub(crate) mod ports;
mod post;
mod rate_limited_log;
mod refusals;
mod response;
mod rpc;
pub(crate) mod server;
mod stream;
mod tools;
mod unread_request;
mod websocket;
