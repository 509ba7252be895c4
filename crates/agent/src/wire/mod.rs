//! A small HTTP/1.1 and SSE client for every program that acts as an agent: sessions, the bridge, the status
//! request, the conformance suite, the benchmarks and the misbehaving peers of the rig.
//!
//! Every step is public: [`Request`] is bytes before they are sent, [`Head`], [`Body`] and [`EventParser`]
//! decode bytes without I/O, and [`Connection`] combines them over a socket of tokio.

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
