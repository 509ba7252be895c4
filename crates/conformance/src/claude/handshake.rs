//! The opening of a WebSocket, written by hand: a library refuses openings that a check must examine.

use std::io;
use std::time::Duration;

use alongside_agent::wire::Head;
use alongside_contract::websocket::{SUBPROTOCOL, TOKEN_HEADER};
use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::discovery::target::Target;
use crate::evidence::Evidence;
use crate::http::response::NoResponse;
use crate::time::clock::within;

/// The key of the example in RFC 6455.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
/// The value of `Sec-WebSocket-Accept` that answers that key.
pub(crate) const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// The request that opens a WebSocket, as agents send it until a check changes it.
#[derive(Clone)]
pub(crate) struct Handshake {
    host: String,
    port: u16,
    headers: Vec<(&'static str, String)>,
    differences: Vec<String>,
}

/// The response, and the connection after it.
pub(crate) struct Opened {
    pub(crate) head: Head,
    pub(crate) tcp: TcpStream,
    /// The bytes after the head.
    pub(crate) unread: Vec<u8>,
}

impl Handshake {
    /// Returns the request as agents send it, without the offer of compression, which this suite does not
    /// implement.
    pub(crate) fn of_agents(target: &Target) -> Self {
        let (host, port) = (target.host.clone(), target.record.port);
        let mut headers = vec![
            ("Host", format!("{host}:{port}")),
            ("Upgrade", "websocket".to_owned()),
            ("Connection", "Upgrade".to_owned()),
            ("Sec-WebSocket-Version", "13".to_owned()),
            ("Sec-WebSocket-Key", KEY.to_owned()),
            ("Sec-WebSocket-Protocol", SUBPROTOCOL.to_owned()),
        ];
        // Other characters would end the header.
        let token = target.record.auth_token.clone();
        let token = token.filter(|token| token.bytes().all(|byte| byte.is_ascii_graphic()));
        headers.extend(token.map(|token| (TOKEN_HEADER, token)));
        Self { host, port, headers, differences: Vec::new() }
    }

    /// Sets another value of a header.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        self.headers.retain(|(known, _)| *known != name);
        self.differences.push(format!("{name}: {value}"));
        self.headers.push((name, value));
        self
    }

    /// Leaves a header out.
    pub(crate) fn without(mut self, name: &'static str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.differences.push(format!("no {name}"));
        self
    }

    /// Sends the request, and reads the head of the response.
    pub(crate) async fn send(&self, patience: Duration, evidence: &Evidence) -> Result<Opened, NoResponse> {
        let differs = match self.differences.join(", ") {
            differs if differs.is_empty() => differs,
            differs => format!(" [{differs}]"),
        };
        evidence.note(format!("→ GET / to open a WebSocket{differs}"));
        let why = match within(patience, self.exchange()).await {
            Some(Ok(opened)) => {
                evidence.note(format!("← {}", opened.head.status));
                return Ok(opened);
            }
            Some(Err(error)) => error.to_string(),
            None => format!("none within {} s", patience.as_secs_f32()),
        };
        evidence.note(format!("← no answer: {why}"));
        Err(NoResponse(format!("there was no answer: {why}")))
    }

    async fn exchange(&self) -> io::Result<Opened> {
        let mut request = String::from("GET / HTTP/1.1\r\n");
        for (name, value) in &self.headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        let mut tcp = TcpStream::connect((self.host.trim_matches(['[', ']']), self.port)).await?;
        tcp.set_nodelay(true)?;
        tcp.write_all(request.as_bytes()).await?;
        let mut read = BytesMut::new();
        loop {
            if let Some((head, length)) = Head::parse(&read)? {
                let unread = read.get(length..).unwrap_or_default().to_vec();
                return Ok(Opened { head, tcp, unread });
            }
            if tcp.read_buf(&mut read).await? == 0 {
                return Err(io::Error::other("the connection closed before a response"));
            }
        }
    }
}
