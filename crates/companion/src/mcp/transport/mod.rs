//! How messages travel: as POSTs and a stream of server-sent events, or over a WebSocket.

mod batch;
mod headers;
mod post;
pub(crate) mod routes;
mod stream;
mod websocket;
