//! A connection of a misbehaving peer. The test chooses every byte that is sent, and every wait has a
//! deadline.

use std::io;
use std::time::Duration;

use alongside_agent::Endpoint;
use alongside_agent::wire::{Connection, Head};
use bytes::BytesMut;

use super::deadline::within;

/// A connection to a companion.
#[derive(Debug)]
pub struct Raw(Connection);

/// A whole response.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status line and the headers.
    pub head: Head,
    /// The body.
    pub body: BytesMut,
}

/// The end of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The end that the head or the last chunk declares.
    Clean,
    /// The end of the connection, before the declared end.
    Abrupt,
}

impl Response {
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
        let endpoint = Endpoint::local(port);
        Self(within("a connection", Connection::dial(&endpoint)).await.expect("connect"))
    }

    /// Sends bytes.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).await.expect("send");
    }

    /// Sends bytes to a peer that may have closed the connection.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        within("the peer to take bytes", self.0.send(bytes.as_ref())).await
    }

    /// Reads the head of a response.
    pub async fn head(&mut self) -> Head {
        let head = within("the head of an answer", self.0.head()).await;
        let unread = || String::from_utf8_lossy(self.0.unread()).into_owned();
        head.unwrap_or_else(|error| panic!("no head of an answer ({error}): {:?}", unread()))
    }

    /// Reads the head of a response; `None` if the connection ends first.
    pub async fn try_head(&mut self) -> Option<Head> {
        self.0.head().await.ok()
    }

    /// Reads a whole response.
    pub async fn answer(&mut self) -> Response {
        let head = self.head().await;
        let body = within("the body of an answer", self.0.body(usize::MAX)).await;
        Response { head, body: body.expect("an answer up to its end") }
    }

    /// Reads the next part of a body. Cancel safe.
    pub async fn part(&mut self) -> Result<BytesMut, End> {
        match self.0.part().await {
            Ok(part) => part.ok_or(End::Clean),
            Err(_) => Err(End::Abrupt),
        }
    }

    /// Sends a piece repeatedly, at most `times` times, until a response begins or the peer closes the
    /// connection.
    pub async fn send_until_answered(&mut self, piece: impl AsRef<[u8]>, times: usize) {
        for _ in 0..times {
            if self.try_send(&piece).await.is_err() || self.await_answer().await {
                return;
            }
        }
    }

    /// Waits at most 1 ms for a response. Returns whether one has begun.
    async fn await_answer(&mut self) -> bool {
        if self.0.unread().is_empty() {
            let _ = tokio::time::timeout(Duration::from_millis(1), self.0.fill()).await;
        }
        !self.0.unread().is_empty()
    }

    /// Reads until the peer has closed the connection.
    pub async fn wait_for_close(&mut self) {
        // A reset counts as closed.
        within("the peer to hang up", async { while self.0.fill().await.is_ok_and(|read| read > 0) {} })
            .await;
    }

    /// Resets the connection, so that the peer gets an error instead of an end.
    pub fn reset(self) {
        self.0.reset();
    }
}
