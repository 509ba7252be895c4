//! HTTP/1.1 on one connection, byte by byte: headers that are left out or wrong, bodies that never end,
//! streams that are cut.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request to the endpoint, as shipped agents send it until told otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// In what it differs from what agents send, for the evidence.
    pub(crate) differs: Vec<String>,
}

impl Request {
    pub(crate) fn new(method: &'static str, headers: Vec<(String, String)>) -> Self {
        Self { method, headers, body: Vec::new(), differs: Vec::new() }
    }

    /// With another value of a header.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        self.headers.retain(|(header, _)| !header.eq_ignore_ascii_case(name));
        self.differs.push(format!("{name}: {value}"));
        self.headers.push((name.into(), value));
        self
    }

    /// Without a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(header, _)| !header.eq_ignore_ascii_case(name));
        self.differs.push(format!("no {name}"));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The head, which promises a body of this length.
    pub(crate) fn head(&self, length: usize) -> Vec<u8> {
        let mut head = format!("{} /mcp HTTP/1.1\r\n", self.method);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.method == "POST" {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }
}

/// Status line and headers of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// A header, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether the body is a stream of events.
    pub(crate) fn is_stream(&self) -> bool {
        let kind = self.get("content-type").unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
    }
}

/// What of a body is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// So many bytes.
    Length(usize),
    /// Chunks; so many bytes of the current one.
    Chunks(usize),
    /// Whatever comes until the connection ends.
    UntilClosed,
    /// Nothing.
    Nothing,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    tcp: TcpStream,
    buffer: Vec<u8>,
    rest: Rest,
}

impl Connection {
    pub(crate) async fn dial(host: &str, port: u16) -> io::Result<Self> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let tcp = TcpStream::connect((host, port)).await?;
        tcp.set_nodelay(true)?;
        Ok(Self { tcp, buffer: Vec::new(), rest: Rest::Nothing })
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tcp.write_all(bytes).await
    }

    /// Says that nothing more is sent, as whoever goes away does; what comes is still read.
    pub(crate) async fn hang_up(&mut self) -> io::Result<()> {
        self.tcp.shutdown().await
    }

    /// Reads the head of an answer.
    pub(crate) async fn head(&mut self) -> io::Result<Head> {
        loop {
            if let Some((head, length)) = parse(&self.buffer)? {
                self.buffer.drain(..length);
                // 100 Continue and the like come before the answer.
                if head.status >= 200 {
                    self.rest = rest_after(&head);
                    return Ok(head);
                }
                continue;
            }
            if self.fill().await? == 0 {
                return Err(io::Error::other("it hung up before it answered"));
            }
        }
    }

    /// The next part of the body; `None` at its proper end. Cancel safe.
    ///
    /// # Errors
    /// When the connection breaks before.
    pub(crate) async fn piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match self.rest {
                Rest::Nothing | Rest::Length(0) => return Ok(None),
                Rest::Chunks(0) => {
                    if let Some((line, size)) = chunk_size(&self.buffer)? {
                        self.buffer.drain(..line);
                        if size == 0 {
                            self.rest = Rest::Nothing;
                            return Ok(None);
                        }
                        // With the line end that follows the chunk.
                        self.rest = Rest::Chunks(size + 2);
                        continue;
                    }
                }
                Rest::Chunks(2) if self.buffer.len() >= 2 => {
                    self.buffer.drain(..2);
                    self.rest = Rest::Chunks(0);
                    continue;
                }
                Rest::Chunks(left) if left > 2 && !self.buffer.is_empty() => {
                    let length = self.buffer.len().min(left - 2);
                    self.rest = Rest::Chunks(left - length);
                    return Ok(Some(self.buffer.drain(..length).collect()));
                }
                Rest::Length(left) if !self.buffer.is_empty() => {
                    let length = self.buffer.len().min(left);
                    self.rest = Rest::Length(left - length);
                    return Ok(Some(self.buffer.drain(..length).collect()));
                }
                Rest::UntilClosed if !self.buffer.is_empty() => {
                    return Ok(Some(std::mem::take(&mut self.buffer)));
                }
                _ => {}
            }
            if self.fill().await? == 0 {
                return match self.rest {
                    Rest::UntilClosed => Ok(None),
                    _ => Err(io::Error::other("the connection broke off")),
                };
            }
        }
    }

    async fn fill(&mut self) -> io::Result<usize> {
        self.tcp.read_buf(&mut self.buffer).await
    }
}

fn parse(buffer: &[u8]) -> io::Result<Option<(Head, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut answer = httparse::Response::new(&mut headers);
    let garbled = |why: httparse::Error| io::Error::other(format!("its answer is no HTTP ({why})"));
    let httparse::Status::Complete(length) = answer.parse(buffer).map_err(garbled)? else {
        return Ok(None);
    };
    let headers = answer
        .headers
        .iter()
        .map(|header| (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    Ok(Some((Head { status: answer.code.unwrap_or_default(), headers }, length)))
}

fn rest_after(head: &Head) -> Rest {
    if head.get("transfer-encoding").is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked")) {
        return Rest::Chunks(0);
    }
    match head.get("content-length").and_then(|length| length.trim().parse().ok()) {
        Some(length) => Rest::Length(length),
        None if matches!(head.status, 204 | 304) => Rest::Nothing,
        None => Rest::UntilClosed,
    }
}

/// Length of the line that gives the next chunk's size, and that size.
fn chunk_size(buffer: &[u8]) -> io::Result<Option<(usize, usize)>> {
    match httparse::parse_chunk_size(buffer) {
        Ok(httparse::Status::Complete((line, size))) => {
            Ok(Some((line, usize::try_from(size).unwrap_or(usize::MAX / 2))))
        }
        Ok(httparse::Status::Partial) => Ok(None),
        Err(_) => Err(io::Error::other("its answer has a garbled chunk")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer that comes in these pieces.
    async fn read(pieces: &'static [&'static str]) -> (Head, Vec<u8>, io::Result<()>) {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = async {
            let (mut tcp, _) = listener.accept().await.unwrap();
            for piece in pieces {
                tcp.write_all(piece.as_bytes()).await.unwrap();
                tokio::task::yield_now().await;
            }
        };
        let client = async {
            let mut connection = Connection::dial("127.0.0.1", port).await.unwrap();
            let head = connection.head().await.unwrap();
            let mut body = Vec::new();
            loop {
                match connection.piece().await {
                    Ok(Some(piece)) => body.extend(piece),
                    Ok(None) => return (head, body, Ok(())),
                    Err(error) => return (head, body, Err(error)),
                }
            }
        };
        futures_util::future::join(server, client).await.1
    }

    #[tokio::test]
    async fn bodies_end_by_length_by_their_last_chunk_or_with_the_connection() {
        let (head, body, end) =
            read(&["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-", "Length: 4\r\n\r\nab", "cd"])
                .await;
        assert_eq!((head.status, body, end.is_ok()), (200, b"abcd".to_vec(), true));
        let (_, body, end) = read(&[
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r",
            "\nabc\r\n1\r\nd",
            "\r\n0\r\n\r\n",
        ])
        .await;
        assert_eq!((body, end.is_ok()), (b"abcd".to_vec(), true));
        let (_, body, end) = read(&["HTTP/1.1 200 OK\r\n\r\nab", "cd"]).await;
        assert_eq!((body, end.is_ok()), (b"abcd".to_vec(), true));
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_no_end() {
        let (_, body, end) =
            read(&["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"]).await;
        assert_eq!((body, end.is_err()), (b"abc".to_vec(), true));
        let (_, _, end) = read(&["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"]).await;
        assert!(end.is_err());
    }
}
