//! Falsified receipts: the proxy has the effect of a companion without proper receipts, so that a test can
//! show that chaos detects such a companion.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A way in which receipts are falsified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptFault {
    /// Every outcome that the companion writes counts as delivered, so that an outcome that a cut drops is
    /// lost.
    WrittenIsDelivered,
    /// Every new stream begins with the last outcome, which crosses with the agent's next proposal.
    SentAgainBlindly,
}

/// The fault, with the state of the agent that it needs.
#[derive(Debug)]
pub(super) struct Tampering {
    fault: ReceiptFault,
    /// The headers that identify the agent to the companion, each with its line ending.
    identity: Mutex<String>,
    /// The chunks of the last outcome.
    last_outcome: Mutex<Vec<u8>>,
}

impl Tampering {
    pub(super) fn new(fault: ReceiptFault) -> Self {
        Self { fault, identity: Mutex::default(), last_outcome: Mutex::default() }
    }

    /// Keeps the identity of the agent from the head of a request.
    pub(super) fn see_request(&self, head: &[u8]) {
        let head = String::from_utf8_lossy(head);
        let is_identity = |line: &&str| {
            let name = line.split(':').next().unwrap_or_default();
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("mcp-session-id")
        };
        let identity: Vec<_> = head.lines().filter(is_identity).collect();
        if identity.len() == 2 {
            *lock(&self.identity) = format!("{}\r\n", identity.join("\r\n"));
        }
    }

    /// Handles bytes that the companion sends on a stream, and that the agent may never get.
    pub(super) fn see_stream(self: &Arc<Self>, bytes: &[u8], companion: u16) {
        let text = String::from_utf8_lossy(bytes);
        match self.fault {
            ReceiptFault::WrittenIsDelivered => {
                for ping in pings(&text) {
                    let (identity, body) = (lock(&self.identity).clone(), receipt(&ping));
                    // A companion that is gone gets no receipt.
                    tokio::spawn(async move { drop(post(companion, &identity, &body).await) });
                }
            }
            ReceiptFault::SentAgainBlindly if text.contains("ide/diff") => {
                *lock(&self.last_outcome) = bytes.to_vec();
            }
            ReceiptFault::SentAgainBlindly => {}
        }
    }

    /// Returns the bytes to send at the beginning of a new stream.
    pub(super) fn replay(&self) -> Vec<u8> {
        lock(&self.last_outcome).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the ids of the pings in a piece of a stream.
fn pings(text: &str) -> Vec<String> {
    let messages = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let messages = messages.filter_map(|json| serde_json::from_str::<serde_json::Value>(json).ok());
    messages.filter(|message| message["method"] == "ping").map(|message| message["id"].to_string()).collect()
}

fn receipt(ping: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{ping},"result":{{}}}}"#)
}

async fn post(companion: u16, identity: &str, body: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", companion)).await?;
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{companion}\r\n{identity}Content-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    stream.read_to_end(&mut Vec::new()).await.map(drop)
}
