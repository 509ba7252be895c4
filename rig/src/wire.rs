//! Misbehaving peers: HTTP written by hand so that every byte is under control, and a proxy that breaks
//! connections.
//!
//! Everything that comes from a companion is held to the wire's rules while it is read: an event with an id,
//! a retry hint or empty data fails the test that happens to read it, whatever it was about.

mod address;
mod deadline;
mod event_stream;
mod peer;
mod proxy;
mod raw;
mod receipt_fault;
mod stream;

pub use address::VERSION;
pub(crate) use address::{Address, INITIALIZED, initialize};
pub use alongside_agent::wire::Head;
pub use deadline::{PATIENCE, within};
pub(crate) use event_stream::EventStream;
pub use peer::{Peer, open_diff_call};
pub use proxy::{Fault, Kind, Listening, Proxy, Way};
pub use raw::{End, Raw, Response};
pub use receipt_fault::ReceiptFault;
pub use stream::{Item, Stream};
