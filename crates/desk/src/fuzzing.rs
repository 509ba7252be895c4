//! Ways in for the fuzzers of `fuzz/` and for benches, which live outside this crate and play with what is
//! private to it. Not an interface for anybody else.

use std::io;

use futures_util::FutureExt as _;

use crate::protocol::Event;
use crate::socket::{client, framing};

/// The next message of a stream that has all come; `None` at its end.
///
/// # Errors
/// When it is not framed.
pub fn read(stream: &mut &[u8]) -> io::Result<Option<Vec<u8>>> {
    // What is there already is never waited for.
    framing::read(stream).now_or_never().unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))
}

/// A message, framed.
///
/// # Errors
/// Never: there is always room.
pub fn write(message: &str) -> io::Result<Vec<u8>> {
    let mut framed = Vec::new();
    framing::write(&mut framed, message)
        .now_or_never()
        .unwrap_or_else(|| Err(io::ErrorKind::WouldBlock.into()))?;
    Ok(framed)
}

/// What a message tells a desk.
#[must_use]
pub fn told(message: &[u8]) -> Option<Event> {
    client::told(message)
}
