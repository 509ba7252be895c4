//! An agent's stream for the bench and for load, which does not parse its events. A thousand of these streams
//! must cost less than the companion, and the time of an event is that of its last byte.

use std::time::Instant;

use alongside_agent::wire::{Connection, EventParser};
use anyhow::{Context as _, Result, ensure};
use bytes::BytesMut;

use super::Address;

/// An open stream. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct EventStream {
    connection: Connection,
    events: EventParser,
    /// The time at which the last bytes were read.
    pub(crate) received_at: Instant,
}

impl EventStream {
    /// Sends a GET. `receive_buffer` is about the number of bytes that may wait unread.
    pub(crate) async fn open(address: &Address, session: &str, receive_buffer: Option<u32>) -> Result<Self> {
        let dialled = match receive_buffer {
            Some(bytes) => Connection::dial_with_receive_buffer(address.port, bytes).await,
            None => Connection::dial(&address.endpoint()).await,
        };
        let mut connection = dialled.context("cannot connect")?;
        let head = connection.exchange(&address.request(session, None)).await?;
        ensure!(head.status == 200, "a stream is answered {}", head.status);
        Ok(Self { connection, events: EventParser::default(), received_at: Instant::now() })
    }

    /// Reads some bytes into `bytes` and discards them. Returns false at the end of the stream.
    pub(crate) async fn discard(&mut self, bytes: &mut [u8]) -> Result<bool> {
        Ok(self.connection.read_raw(bytes).await? > 0)
    }

    /// Waits for the next event or comment; `None` at the proper end. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Option<BytesMut>> {
        loop {
            if let Some(block) = self.events.next_block() {
                return Ok(Some(block));
            }
            let Some(part) = self.connection.part().await? else { return Ok(None) };
            self.received_at = Instant::now();
            self.events.feed(part);
        }
    }
}
