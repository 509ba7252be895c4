//! The part of HTTP/1.1 that a companion needs, written by hand: many faults are a status, a header or a byte
//! that a library would not send.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The longest head that is read, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// The time in which the rest of a refused request is read and discarded, so that a reset does not destroy
/// the answer.
const LINGER: Duration = Duration::from_millis(300);

/// A request without its body.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

impl Head {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.filter(|line| !line.is_empty()).map(header).collect::<Option<_>>()?;
        Some(Self { method, path, headers })
    }

    /// Returns the first header with this name, which is given in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the length of the body.
    fn length(&self) -> usize {
        self.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0)
    }
}

/// An answer that is not a stream.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, headers: vec![("Content-Type", "application/json".into())], body: body.to_string() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A connection, with the bytes that were read in advance.
pub(crate) struct Wire {
    pub(crate) socket: TcpStream,
    ahead: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(socket: TcpStream) -> Self {
        Self { socket, ahead: Vec::new() }
    }

    /// Reads the next request; `None` when the connection has ended, or the bytes are no HTTP.
    pub(crate) async fn head(&mut self) -> io::Result<Option<Head>> {
        let end = loop {
            if let Some(at) = self.ahead.windows(4).position(|window| window == b"\r\n\r\n") {
                break at;
            }
            if self.ahead.len() > MAX_HEAD || self.more().await? == 0 {
                return Ok(None);
            }
        };
        let head = Head::parse(&String::from_utf8_lossy(&self.ahead[..end]));
        self.ahead.drain(..end + 4);
        Ok(head)
    }

    /// Reads the body of this request: `Err(limit)` if it is longer than `limit`.
    pub(crate) async fn body(&mut self, head: &Head, limit: usize) -> io::Result<Result<Vec<u8>, usize>> {
        if head.length() > limit {
            return Ok(Err(limit));
        }
        self.exactly(head.length()).await.map(Ok)
    }

    /// Reads only the part of the body that arrives at once. This is a fault, because the rest may be in
    /// flight.
    pub(crate) async fn body_at_once(&mut self, head: &Head) -> io::Result<Result<Vec<u8>, usize>> {
        let length = head.length();
        if self.ahead.len() < length {
            self.more_or_end().await?;
        }
        let rest = self.ahead.split_off(self.ahead.len().min(length));
        Ok(Ok(std::mem::replace(&mut self.ahead, rest)))
    }

    /// Whether the body is longer than is sent at once.
    pub(crate) fn is_long(head: &Head) -> bool {
        head.length() > 16 * 1024
    }

    async fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        self.ahead.reserve(length.saturating_sub(self.ahead.len()));
        while self.ahead.len() < length {
            self.more_or_end().await?;
        }
        let rest = self.ahead.split_off(length);
        Ok(std::mem::replace(&mut self.ahead, rest))
    }

    async fn more(&mut self) -> io::Result<usize> {
        self.ahead.reserve(64 * 1024);
        self.socket.read_buf(&mut self.ahead).await
    }

    async fn more_or_end(&mut self) -> io::Result<()> {
        match self.more().await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Sends an answer. With `last`, reads no further request from this connection.
    pub(crate) async fn answer(&mut self, answer: Answer, last: bool) -> io::Result<()> {
        let mut text = format!("HTTP/1.1 {} -\r\n", answer.status);
        for (name, value) in &answer.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if last {
            text.push_str("Connection: close\r\n");
        }
        if !matches!(answer.status, 101 | 204) {
            text.push_str(&format!("Content-Length: {}\r\n", answer.body.len()));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend(answer.body.into_bytes());
        self.socket.write_all(&bytes).await?;
        if last {
            self.socket.shutdown().await?;
            let mut sink = vec![0; 64 * 1024];
            let drained = async { while matches!(self.socket.read(&mut sink).await, Ok(1..)) {} };
            let _ = timeout(LINGER, drained).await;
        }
        Ok(())
    }
}
