//! An agent's stream, whose events stay as they came: a thousand of these must cost less than the companion
//! that they are held against, and the time of an event counts from its last byte.

use std::time::Instant;

use alongside_agent::wire::{Connection, EventParser};
use anyhow::{Context as _, Result, ensure};
use bytes::BytesMut;

use super::Address;

/// An open stream. Dropping it hangs up.
#[derive(Debug)]
pub(crate) struct EventStream {
    connection: Connection,
    events: EventParser,
    /// The time at which the last bytes were read.
    pub(crate) received_at: Instant,
}

impl EventStream {
    /// Sends a GET. With `room`, about so many bytes may wait for the agent unread.
    pub(crate) async fn open(address: &Address, session: &str, room: Option<u32>) -> Result<Self> {
        let dialled = match room {
            Some(room) => Connection::dial_with_receive_buffer(address.port, room).await,
            None => Connection::dial(&address.endpoint()).await,
        };
        let mut connection = dialled.context("cannot connect")?;
        let head = connection.exchange(&address.request(session, None)).await?;
        ensure!(head.status == 200, "a stream is answered {}", head.status);
        Ok(Self { connection, events: EventParser::default(), received_at: Instant::now() })
    }

    /// Reads some bytes and does nothing with them; false at the end.
    pub(crate) async fn sip(&mut self, bytes: &mut [u8]) -> Result<bool> {
        Ok(self.connection.read_raw(bytes).await? > 0)
    }

    /// The next event or comment; `None` at the proper end. Cancel safe.
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
