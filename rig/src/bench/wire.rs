//! As little HTTP as measuring needs: keep-alive, `TCP_NODELAY`, one blocking request after the other. A
//! request is made before the clock starts, and its answer is understood after it has stopped.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use alongside_contract::mcp::{SESSION_HEADER, VERSION_HEADER};
use anyhow::{Context as _, Result, bail, ensure};
use bytes::{Buf as _, BytesMut};
use serde_json::Value;

use crate::wire::VERSION;

/// How long an answer may take: the largest proposals take the slowest companions a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a companion is, and what lets one in.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) port: u16,
    pub(super) token: String,
}

impl Address {
    pub(super) fn dial(&self) -> Result<TcpStream> {
        let tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let tcp = tcp.with_context(|| format!("cannot connect to port {}", self.port))?;
        tcp.set_nodelay(true)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        tcp.set_write_timeout(Some(PATIENCE))?;
        Ok(tcp)
    }

    /// A whole request: a POST if there is a body.
    pub(super) fn request(&self, session: &str, body: Option<&[u8]>) -> Vec<u8> {
        let method = if body.is_some() { "POST" } else { "GET" };
        let accept = if body.is_some() { "application/json, text/event-stream" } else { "text/event-stream" };
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nAccept: {accept}\r\n",
            self.port, self.token
        );
        if !session.is_empty() {
            head += &format!("{SESSION_HEADER}: {session}\r\n{VERSION_HEADER}: {VERSION}\r\n");
        }
        if let Some(body) = body {
            head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        let mut request = (head + "\r\n").into_bytes();
        request.extend_from_slice(body.unwrap_or_default());
        request
    }

    /// A call of a tool, as a request.
    pub(super) fn call(&self, session: &str, tool: &str, arguments: &Value) -> Vec<u8> {
        let params = serde_json::json!({ "name": tool, "arguments": arguments });
        let call = serde_json::json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.request(session, Some(call.to_string().as_bytes()))
    }
}

/// What a request was answered.
#[derive(Debug)]
pub(super) struct Answer {
    /// From the first byte sent until the message was whole.
    pub(super) took: Duration,
    pub(super) session: Option<String>,
    /// JSON, also where it came as an event.
    pub(super) message: Vec<u8>,
}

impl Answer {
    /// The result of a tool, or what went wrong instead.
    pub(super) fn result(&self) -> Result<Value> {
        let mut reply: Value = serde_json::from_slice(&self.message).context("the answer is no JSON")?;
        let result = reply["result"].take();
        ensure!(result.is_object() && result["isError"] != true, "it was refused: {reply} {result}");
        Ok(result)
    }
}

/// A connection for one request after the other.
#[derive(Debug)]
pub(super) struct Line {
    tcp: TcpStream,
    unread: BytesMut,
}

impl Line {
    pub(super) fn open(address: &Address) -> Result<Self> {
        Ok(Self { tcp: address.dial()?, unread: BytesMut::new() })
    }

    /// Sends a request, and waits for its whole answer.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<Answer> {
        let since = Instant::now();
        // Who refuses a body may hang up before it is sent; the answer says why.
        let sent = self.tcp.write_all(request);
        let head = self.head().or_else(|error| sent.map_err(Into::into).and(Err(error)))?;
        let mut body = Body::of(&head)?;
        let mut events = Events::default();
        let mut message = None;
        loop {
            let is_over = body.step(&mut self.unread)?;
            if head.is_stream() {
                events.add(&mut body.decoded);
            }
            if message.is_none() {
                let whole =
                    if head.is_stream() { events.next() } else { is_over.then(|| body.decoded.split()) };
                message = whole.map(|message| (since.elapsed(), message));
            }
            if is_over {
                break;
            }
            read(&mut self.tcp, &mut self.unread)?;
        }
        let (took, message) = message.context("the stream of an answer ended without it")?;
        ensure!(
            head.status / 100 == 2,
            "the answer is {}: {}",
            head.status,
            String::from_utf8_lossy(&message)
        );
        Ok(Answer { took, session: head.session, message: message.to_vec() })
    }

    /// Asks for a stream. What is left belongs to it.
    pub(super) fn listen(mut self, request: &[u8]) -> Result<(TcpStream, BytesMut, Body)> {
        self.tcp.write_all(request)?;
        let head = self.head().context("no stream is begun")?;
        ensure!(head.status == 200, "a stream is answered {}", head.status);
        Ok((self.tcp, self.unread, Body::of(&head)?))
    }

    fn head(&mut self) -> Result<Head> {
        loop {
            if let Some(end) = self.unread.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = self.unread.split_to(end + 4);
                return Head::parse(&String::from_utf8_lossy(&head));
            }
            read(&mut self.tcp, &mut self.unread)?;
        }
    }
}

fn read(tcp: &mut TcpStream, unread: &mut BytesMut) -> Result<()> {
    let mut some = [0; 64 << 10];
    match tcp.read(&mut some).context("no answer")? {
        0 => bail!("the companion has hung up"),
        count => unread.extend_from_slice(&some[..count]),
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Head {
    status: u16,
    session: Option<String>,
    length: Option<usize>,
    is_chunked: bool,
    kind: String,
}

impl Head {
    fn parse(head: &str) -> Result<Self> {
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let mut head = Self { status: status.context("an answer without a status")?, ..Self::default() };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.length = value.parse().ok(),
                "transfer-encoding" => head.is_chunked = value.eq_ignore_ascii_case("chunked"),
                "content-type" => head.kind = value.to_ascii_lowercase(),
                name if name.eq_ignore_ascii_case(SESSION_HEADER) => head.session = Some(value.to_owned()),
                _ => {}
            }
        }
        Ok(head)
    }

    fn is_stream(&self) -> bool {
        self.kind.starts_with("text/event-stream")
    }
}

/// A body as it comes.
#[derive(Debug)]
pub(super) struct Body {
    state: State,
    /// What has come of it and was not taken yet.
    pub(super) decoded: BytesMut,
    /// It has ended as it should.
    pub(super) is_over: bool,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Plain(usize),
    Size,
    Chunk(usize),
    ChunkEnd,
    Trailer,
}

impl Body {
    fn of(head: &Head) -> Result<Self> {
        let state = match (head.is_chunked, head.length) {
            (true, _) => State::Size,
            (false, Some(length)) => State::Plain(length),
            (false, None) if matches!(head.status, 202 | 204) => State::Plain(0),
            (false, None) => bail!("an answer says not where it ends"),
        };
        Ok(Self { state, decoded: BytesMut::new(), is_over: false })
    }

    /// Takes what is there of it; true once it is over.
    pub(super) fn step(&mut self, unread: &mut BytesMut) -> Result<bool> {
        while !self.is_over {
            match self.state {
                State::Plain(left) | State::Chunk(left) => {
                    let take = left.min(unread.len());
                    self.decoded.extend_from_slice(&unread.split_to(take));
                    let is_plain = matches!(self.state, State::Plain(_));
                    self.is_over = is_plain && left == take;
                    self.state = match (is_plain, left - take) {
                        (true, left) => State::Plain(left),
                        (false, 0) => State::ChunkEnd,
                        (false, left) => State::Chunk(left),
                    };
                    if left > take {
                        break;
                    }
                }
                State::Size | State::ChunkEnd | State::Trailer => {
                    let Some(end) = unread.windows(2).position(|pair| pair == b"\r\n") else { break };
                    let line = unread.split_to(end);
                    unread.advance(2);
                    self.state = match self.state {
                        State::ChunkEnd => State::Size,
                        State::Trailer => {
                            self.is_over |= line.is_empty();
                            State::Trailer
                        }
                        _ => match usize::from_str_radix(std::str::from_utf8(&line)?.trim(), 16) {
                            Ok(0) => State::Trailer,
                            Ok(size) => State::Chunk(size),
                            Err(_) => bail!("a chunk without its size"),
                        },
                    };
                }
            }
        }
        Ok(self.is_over)
    }
}

/// Server-sent events as they come.
#[derive(Debug, Default)]
pub(super) struct Events {
    text: BytesMut,
    searched: usize,
}

impl Events {
    pub(super) fn add(&mut self, decoded: &mut BytesMut) {
        match self.text.is_empty() {
            true => self.text = decoded.split(),
            false => self.text.extend_from_slice(&decoded.split()),
        }
    }

    /// The data of the next event that has any.
    pub(super) fn next(&mut self) -> Option<BytesMut> {
        loop {
            let Some(at) = self.text[self.searched..].windows(2).position(|pair| pair == b"\n\n") else {
                self.searched = self.text.len().saturating_sub(1);
                return None;
            };
            let event = self.text.split_to(self.searched + at);
            self.text.advance(2);
            self.searched = 0;
            let mut data = BytesMut::new();
            for line in event[..].split(|byte| *byte == b'\n') {
                if let Some(line) = line.strip_prefix(b"data:") {
                    data.extend_from_slice(line.strip_prefix(b" ").unwrap_or(line));
                }
            }
            if !data.is_empty() {
                return Some(data);
            }
        }
    }
}
