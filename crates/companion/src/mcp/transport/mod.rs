//! The transports of messages: POSTs and a stream of server-sent events, or a WebSocket.

mod batch;
mod headers;
mod post;
pub(crate) mod routes;
mod stream;
mod websocket;
