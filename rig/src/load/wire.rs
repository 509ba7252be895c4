//! As little HTTP as an agent needs: a thousand of these must cost less than the companion they are held
//! against.

use alongside_contract::mcp::{SESSION_HEADER, VERSION_HEADER};
use anyhow::{Context as _, Result, bail, ensure};
use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::wire::VERSION;

/// Where the companion is, and what lets one in.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) port: u16,
    pub(super) token: String,
}

impl Address {
    /// Connects. With `room`, the system keeps about so many unread bytes for us and no more.
    async fn dial(&self, room: Option<u32>) -> Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        if let Some(room) = room {
            socket.set_recv_buffer_size(room)?;
        }
        let stream = socket.connect(([127, 0, 0, 1], self.port).into()).await.context("cannot connect")?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// The head of a request, but for the empty line.
    fn head(&self, method: &str, session: &str) -> String {
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n",
            self.port, self.token
        );
        if !session.is_empty() {
            head.push_str(&format!("{SESSION_HEADER}: {session}\r\n{VERSION_HEADER}: {VERSION}\r\n"));
        }
        head
    }
}

/// What a request was answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The session it names.
    pub(super) session: Option<String>,
    pub(super) body: Vec<u8>,
}

/// A connection for one request after the other.
#[derive(Debug)]
pub(super) struct Line {
    address: Address,
    tcp: TcpStream,
    unread: BytesMut,
}

impl Line {
    pub(super) async fn open(address: &Address) -> Result<Self> {
        Ok(Self { address: address.clone(), tcp: address.dial(None).await?, unread: BytesMut::new() })
    }

    pub(super) async fn post(&mut self, session: &str, body: &str) -> Result<Answer> {
        let head = self.address.head("POST", session);
        let head = format!(
            "{head}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.ask(&[head.as_bytes(), body.as_bytes()].concat()).await
    }

    pub(super) async fn delete(&mut self, session: &str) -> Result<Answer> {
        let head = self.address.head("DELETE", session);
        self.ask(format!("{head}\r\n").as_bytes()).await
    }

    async fn ask(&mut self, request: &[u8]) -> Result<Answer> {
        self.tcp.write_all(request).await.context("the connection broke while a request was sent")?;
        let head = read_head(&mut self.tcp, &mut self.unread).await?;
        let length: usize = head.field("content-length").map_or(Ok(0), str::parse)?;
        while self.unread.len() < length {
            read(&mut self.tcp, &mut self.unread).await?;
        }
        let body = self.unread.split_to(length).to_vec();
        Ok(Answer { status: head.status()?, session: head.field(SESSION_HEADER).map(str::to_owned), body })
    }
}

/// A stream of events.
#[derive(Debug)]
pub(super) struct Listening {
    tcp: TcpStream,
    unread: BytesMut,
    /// What of the last chunks is no whole event yet.
    events: BytesMut,
    searched: usize,
}

impl Listening {
    /// Sends a GET. With `room`, so many bytes may wait for us unread.
    pub(super) async fn open(address: &Address, session: &str, room: Option<u32>) -> Result<Self> {
        let mut tcp = address.dial(room).await?;
        let head = format!("{}Accept: text/event-stream\r\n\r\n", address.head("GET", session));
        tcp.write_all(head.as_bytes()).await?;
        let mut unread = BytesMut::new();
        let head = read_head(&mut tcp, &mut unread).await?;
        ensure!(head.status()? == 200, "a stream is answered {}", head.status()?);
        Ok(Self { tcp, unread, events: BytesMut::new(), searched: 0 })
    }

    /// Reads some bytes and does nothing with them; false at the end.
    pub(super) async fn sip(&mut self, bytes: &mut [u8]) -> Result<bool> {
        Ok(self.tcp.read(bytes).await? > 0)
    }

    /// The data of the next event, or nothing for a comment.
    pub(super) async fn next(&mut self) -> Result<Option<BytesMut>> {
        loop {
            if let Some(at) = self.events[self.searched..].windows(2).position(|pair| pair == b"\n\n") {
                let mut event = self.events.split_to(self.searched + at);
                self.events.advance(2);
                self.searched = 0;
                if event.starts_with(b":") {
                    return Ok(None);
                }
                let start = b"event: message\ndata: ";
                ensure!(
                    event.starts_with(start),
                    "an event begins {:?}",
                    String::from_utf8_lossy(&event[..event.len().min(40)])
                );
                event.advance(start.len());
                return Ok(Some(event));
            }
            self.searched = self.events.len().saturating_sub(1);
            self.chunk().await?;
        }
    }

    /// Takes nothing from what is unread before the whole chunk is there, so that it can be given up at any
    /// time.
    async fn chunk(&mut self) -> Result<()> {
        let (start, size) = loop {
            if let Some(end) = self.unread.windows(2).take(20).position(|pair| pair == b"\r\n") {
                let size = std::str::from_utf8(&self.unread[..end])?;
                let size = usize::from_str_radix(size, 16).context("a chunk without its size")?;
                ensure!(size > 0, "the stream was ended");
                if self.unread.len() >= end + 2 + size + 2 {
                    break (end + 2, size);
                }
                self.unread.reserve(size.saturating_sub(self.unread.len()) + 4);
            }
            read(&mut self.tcp, &mut self.unread).await?;
        };
        self.unread.advance(start);
        let chunk = self.unread.split_to(size);
        self.unread.advance(2);
        if self.events.is_empty() {
            self.events = chunk;
        } else {
            self.events.extend_from_slice(&chunk);
        }
        Ok(())
    }
}

struct Head(String);

impl Head {
    fn status(&self) -> Result<u16> {
        self.0.split(' ').nth(1).and_then(|status| status.parse().ok()).context("an answer without a status")
    }

    fn field(&self, name: &str) -> Option<&str> {
        let fields = self.0.lines().skip(1).filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

async fn read_head(tcp: &mut TcpStream, unread: &mut BytesMut) -> Result<Head> {
    loop {
        if let Some(end) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = unread.split_to(end + 4);
            return Ok(Head(String::from_utf8_lossy(&head).into_owned()));
        }
        read(tcp, unread).await?;
    }
}

async fn read(tcp: &mut TcpStream, unread: &mut BytesMut) -> Result<()> {
    if tcp.read_buf(unread).await? == 0 {
        bail!("the companion has hung up");
    }
    Ok(())
}
