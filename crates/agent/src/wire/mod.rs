//! One small HTTP/1.1 and SSE client for everything that plays an agent: sessions, the bridge, the status
//! request, the conformance suite, the benchmarks and the misbehaving peers of the rig.
//!
//! Every step is open: [`Request`] is bytes before anything is sent, [`Head`], [`Body`] and [`EventParser`]
//! read bytes from anywhere and do no I/O, and [`Connection`] puts them together over a socket of tokio's.

mod body;
mod caller;
mod connection;
mod events;
mod head;
mod request;

pub use body::Body;
pub use caller::Caller;
pub use connection::Connection;
pub use events::{Event, EventParser, Item};
pub use head::Head;
pub use request::Request;
pub(crate) use request::is_header_value;
