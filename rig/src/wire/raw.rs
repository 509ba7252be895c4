//! One TCP connection and HTTP/1.1 on it, byte by byte.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::within;

/// A connection to a companion.
#[derive(Debug)]
pub struct Raw {
    tcp: TcpStream,
    buffer: Vec<u8>,
}

/// Status line and headers of an answer.
#[derive(Debug, Clone)]
pub struct Head {
    /// The status code.
    pub status: u16,
    headers: Vec<(String, String)>,
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status line and headers.
    pub head: Head,
    /// The body.
    pub body: Vec<u8>,
}

/// How a body that has no length ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With the last chunk of a chunked body.
    Clean,
    /// With the connection.
    Abrupt,
}

impl Head {
    /// A header by its lower-case name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

impl Answer {
    /// The status code.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.text()))
    }
}

impl Raw {
    /// Connects to 127.0.0.1.
    pub async fn dial(port: u16) -> Self {
        let tcp = within("a connection", TcpStream::connect(("127.0.0.1", port))).await.expect("connect");
        tcp.set_nodelay(true).expect("TCP_NODELAY");
        Self { tcp, buffer: Vec::new() }
    }

    /// Sends bytes.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).await.expect("send");
    }

    /// Sends bytes to a peer that may have hung up.
    ///
    /// # Errors
    /// When it has.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        within("the peer to take bytes", self.tcp.write_all(bytes.as_ref())).await
    }

    /// Reads the head of an answer.
    pub async fn head(&mut self) -> Head {
        let head = within("the head of an answer", self.try_head()).await;
        head.unwrap_or_else(|| panic!("the connection closed before an answer: {:?}", self.lossy()))
    }

    /// Reads the head of an answer; none if the connection ends before.
    pub async fn try_head(&mut self) -> Option<Head> {
        let end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at;
            }
            if self.fill().await == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        self.buffer.drain(..end + 4);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let split = |line: &str| line.split_once(':').map(|(n, v)| (n.to_lowercase(), v.trim().to_owned()));
        Some(Head { status: status.expect("a status line"), headers: lines.filter_map(split).collect() })
    }

    /// Reads a whole answer.
    pub async fn answer(&mut self) -> Answer {
        let head = self.head().await;
        let mut body = Vec::new();
        within("the body of an answer", async {
            if head.get("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
                loop {
                    match self.chunk().await {
                        Ok(chunk) => body.extend(chunk),
                        Err(End::Clean) => break,
                        Err(End::Abrupt) => panic!("the connection closed in the middle of an answer"),
                    }
                }
                return;
            }
            let length = head.get("content-length").map_or(0, |length| length.parse().expect("a length"));
            while self.buffer.len() < length {
                assert!(self.fill().await > 0, "the connection closed in the middle of an answer");
            }
            body.extend(self.buffer.drain(..length));
        })
        .await;
        Answer { head, body }
    }

    /// Reads the next chunk of a chunked body. Cancel safe.
    ///
    /// # Errors
    /// The end of the body.
    pub async fn chunk(&mut self) -> Result<Vec<u8>, End> {
        loop {
            if let Some((size_line, size)) = self.chunk_size() {
                let whole = size_line + size + 2;
                if self.buffer.len() >= whole {
                    let chunk = self.buffer[size_line..size_line + size].to_vec();
                    self.buffer.drain(..whole);
                    return if size == 0 { Err(End::Clean) } else { Ok(chunk) };
                }
            }
            if self.fill().await == 0 {
                return Err(End::Abrupt);
            }
        }
    }

    /// Length of the line that gives the next chunk's size, and that size.
    fn chunk_size(&self) -> Option<(usize, usize)> {
        let end = find(&self.buffer, b"\r\n")?;
        let line = std::str::from_utf8(&self.buffer[..end]).expect("a chunk size");
        Some((end + 2, usize::from_str_radix(line, 16).expect("a chunk size")))
    }

    /// Whether anything has come back yet; waits a moment for it.
    pub async fn has_answer(&mut self) -> bool {
        if self.buffer.is_empty() {
            let _ = tokio::time::timeout(std::time::Duration::from_millis(1), self.fill()).await;
        }
        !self.buffer.is_empty()
    }

    /// Waits until the peer has hung up, reading and dropping what comes before.
    pub async fn closed(&mut self) {
        within("the peer to hang up", async { while self.fill().await > 0 {} }).await;
    }

    /// Breaks the connection off, so that the peer gets an error instead of an end.
    pub fn reset(self) {
        let _ = self.tcp.set_zero_linger();
    }

    async fn fill(&mut self) -> usize {
        // Somebody who hangs up with an error has hung up.
        self.tcp.read_buf(&mut self.buffer).await.unwrap_or(0)
    }

    fn lossy(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
