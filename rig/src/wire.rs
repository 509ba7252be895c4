//! Misbehaving peers: agents that choose every byte of their HTTP, and a proxy that breaks connections.
//!
//! Every event of a companion is checked while it is read: an event with an id, a retry hint or empty data
//! fails the test that reads it, whatever the test is about.

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
pub use proxy::{Direction, Fault, Kind, Listening, Proxy};
pub use raw::{End, Raw, Response};
pub use receipt_fault::ReceiptFault;
pub use stream::{Item, Stream};
