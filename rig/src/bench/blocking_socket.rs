//! Blocking sockets for measuring: a request is built before the clock starts, and its response is parsed
//! after the clock has stopped.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use alongside_agent::wire::{Body, EventParser, Head, Item};
use alongside_contract::mcp::SESSION_HEADER;
use anyhow::{Context as _, Result, bail, ensure};
use bytes::{Buf as _, BytesMut};
use serde_json::Value;

use super::plan::PATIENCE;
use crate::wire::Address;

/// The response to a request.
#[derive(Debug)]
pub(super) struct TimedResponse {
    /// The time from the first byte sent to the last byte of the message.
    pub(super) took: Duration,
    pub(super) session: Option<String>,
    /// The message as JSON, without the form of an event.
    message: Vec<u8>,
}

impl TimedResponse {
    /// Parses the message, and returns its result.
    pub(super) fn result(&self) -> Result<Value> {
        let mut reply: Value = serde_json::from_slice(&self.message).context("the answer is not JSON")?;
        let result = reply["result"].take();
        ensure!(result.is_object() && result["isError"] != true, "the request was refused: {reply} {result}");
        Ok(result)
    }
}

/// A connection for one request after the other.
#[derive(Debug)]
pub(super) struct BlockingSocket {
    tcp: TcpStream,
    unread: BytesMut,
}

impl BlockingSocket {
    pub(super) fn open(address: &Address) -> Result<Self> {
        let tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, address.port));
        let tcp = tcp.with_context(|| format!("cannot connect to port {}", address.port))?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        tcp.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { tcp, unread: BytesMut::new() })
    }

    /// Sends a request, and waits for its whole response.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<TimedResponse> {
        let since = Instant::now();
        // A companion that refuses a body may close the connection before the body is sent. The response then
        // has the reason.
        let sent = self.tcp.write_all(request);
        let head = self.read_head().or_else(|error| sent.map_err(Into::into).and(Err(error)))?;
        let (took, message) = match head.is_event_stream() {
            true => self.read_first_event(&head, since)?,
            false => self.read_body(&head, since)?,
        };
        let message = if head.is_event_stream() { data(&message) } else { message.to_vec() };
        let status = head.status;
        ensure!(head.is_success(), "the answer is {status}: {}", String::from_utf8_lossy(&message));
        Ok(TimedResponse { took, session: head.get(SESSION_HEADER).map(str::to_owned), message })
    }

    /// Requests a stream, and closes the connection once the stream has begun.
    pub(super) fn begin_stream(mut self, request: &[u8]) -> Result<()> {
        self.tcp.write_all(request)?;
        let head = self.read_head().context("the companion begins no stream")?;
        ensure!(head.status == 200, "the request for a stream was answered with {}", head.status);
        Ok(())
    }

    fn read_head(&mut self) -> Result<Head> {
        loop {
            if let Some((head, length)) = Head::parse(&self.unread)? {
                self.unread.advance(length);
                return Ok(head);
            }
            self.fill()?;
        }
    }

    /// Reads the whole body. Returns it with the time since `since`.
    fn read_body(&mut self, head: &Head, since: Instant) -> Result<(Duration, BytesMut)> {
        let mut body = body_after(head)?;
        let mut whole = BytesMut::new();
        while let Some(part) = self.read_part(&mut body)? {
            append(&mut whole, part);
        }
        Ok((since.elapsed(), whole))
    }

    /// Reads the whole stream, because the next request follows on this connection. Returns the first event
    /// with data, with the time from `since` until it was complete.
    fn read_first_event(&mut self, head: &Head, since: Instant) -> Result<(Duration, BytesMut)> {
        let (mut body, mut events, mut first) = (body_after(head)?, EventParser::default(), None);
        while let Some(part) = self.read_part(&mut body)? {
            events.feed(part);
            while let Some(block) = events.next_block() {
                if first.is_none() && has_data(&block) {
                    first = Some((since.elapsed(), block));
                }
            }
        }
        first.context("the stream of an answer ended without the answer")
    }

    /// Reads the next part of a body; `None` at its end.
    fn read_part(&mut self, body: &mut Body) -> Result<Option<BytesMut>> {
        loop {
            match body.decode(&mut self.unread)? {
                Some(part) => return Ok(Some(part)),
                None if body.is_complete() => return Ok(None),
                None => self.fill()?,
            }
        }
    }

    fn fill(&mut self) -> Result<()> {
        let mut buffer = [0; 64 << 10];
        match self.tcp.read(&mut buffer).context("no answer")? {
            0 => bail!("the companion has hung up"),
            count => self.unread.extend_from_slice(&buffer[..count]),
        }
        Ok(())
    }
}

/// Returns the decoder for the body of a response that leaves the connection open.
fn body_after(head: &Head) -> Result<Body> {
    let body = Body::after(head);
    match body.ends_with_connection() {
        false => Ok(body),
        true if head.status == 202 => Ok(Body::none()),
        true => bail!("an answer says not where it ends"),
    }
}

fn append(whole: &mut BytesMut, part: BytesMut) {
    match whole.is_empty() {
        true => *whole = part,
        false => whole.extend_from_slice(&part),
    }
}

/// Whether a block is an event with data. The check is quick, because a clock may be running.
pub(super) fn has_data(block: &[u8]) -> bool {
    block.starts_with(b"data:") || block.windows(6).any(|window| window == b"\ndata:")
}

/// Returns the data of an event.
pub(super) fn data(block: &[u8]) -> Vec<u8> {
    match Item::parse(block) {
        Some(Item::Event(event)) => event.data.unwrap_or_default().into_bytes(),
        _ => Vec::new(),
    }
}
