//! Private functions of this crate, for the fuzzers of `fuzz/`, for benches, and for tests of other crates.
//! Not a public interface.

use std::io;

use futures_util::FutureExt as _;

use crate::protocol_messages::Event;
use crate::socket::{client, framing};
use crate::text::BYTES_INDEXED;

/// Returns the next message of a stream that is wholly in memory; `None` at its end.
///
/// # Errors
/// When it is not framed.
pub fn read(stream: &mut &[u8]) -> io::Result<Option<Vec<u8>>> {
    // All bytes are in memory, so the future never waits.
    framing::read(stream).now_or_never().unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))
}

/// Returns a framed message.
///
/// # Errors
/// Never, because writing to memory does not fail.
pub fn write(message: &str) -> io::Result<Vec<u8>> {
    let mut framed = Vec::new();
    framing::write(&mut framed, message)
        .now_or_never()
        .unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))?;
    Ok(framed)
}

/// Returns the event that a desk reads from a message.
#[must_use]
pub fn read_event(message: &[u8]) -> Option<Event> {
    client::event_in(message)
}

/// Returns the bytes in which this thread has looked for lines so far.
#[must_use]
pub fn bytes_indexed() -> usize {
    BYTES_INDEXED.get()
}
