//! The connections of an agent under load: a thousand of these must cost less than the companion they are
//! held against.

use alongside_agent::wire::{Connection, EventParser, Request};
use anyhow::{Context as _, Result, ensure};
use bytes::{Buf as _, BytesMut};

use crate::wire::{Address, Response};

/// A connection for one request after the other.
#[derive(Debug)]
pub(super) struct AgentConnection {
    address: Address,
    connection: Connection,
}

impl AgentConnection {
    pub(super) async fn open(address: &Address) -> Result<Self> {
        let connection = Connection::dial(&address.endpoint()).await.context("cannot connect")?;
        Ok(Self { address: address.clone(), connection })
    }

    pub(super) async fn post(&mut self, session: &str, body: &str) -> Result<Response> {
        self.ask(self.address.caller(session).request("POST").body(body)).await
    }

    pub(super) async fn delete(&mut self, session: &str) -> Result<Response> {
        self.ask(self.address.caller(session).bare_request("DELETE")).await
    }

    async fn ask(&mut self, request: Request) -> Result<Response> {
        let head = self.connection.exchange(&request.bytes()).await?;
        let body = self.connection.body(usize::MAX).await?;
        Ok(Response { head, body })
    }
}

#[derive(Debug)]
pub(super) struct EventStream {
    connection: Connection,
    events: EventParser,
}

impl EventStream {
    /// Sends a GET. With `room`, about so many bytes may wait for the agent unread.
    pub(super) async fn open(address: &Address, session: &str, room: Option<u32>) -> Result<Self> {
        let dialled = match room {
            Some(room) => Connection::dial_with_receive_buffer(address.port, room).await,
            None => Connection::dial(&address.endpoint()).await,
        };
        let mut connection = dialled.context("cannot connect")?;
        let head = connection.exchange(&address.request(session, None)).await?;
        ensure!(head.status == 200, "a stream is answered {}", head.status);
        Ok(Self { connection, events: EventParser::default() })
    }

    /// Reads some bytes and does nothing with them; false at the end.
    pub(super) async fn sip(&mut self, bytes: &mut [u8]) -> Result<bool> {
        Ok(self.connection.read_raw(bytes).await? > 0)
    }

    /// The data of the next event, or nothing for a comment. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Option<BytesMut>> {
        const START: &[u8] = b"event: message\ndata: ";
        loop {
            if let Some(mut block) = self.events.next_block() {
                if block.starts_with(b":") {
                    return Ok(None);
                }
                let begins = || String::from_utf8_lossy(&block[..block.len().min(40)]);
                ensure!(block.starts_with(START), "an event begins {:?}", begins());
                block.advance(START.len());
                return Ok(Some(block));
            }
            let part = self.connection.part().await?.context("the stream was ended")?;
            self.events.feed(part);
        }
    }
}
