//! Receipts gone wrong on the way: a proxy that does what a companion without proper receipts would bring
//! about, to see that the tests of chaos notice it.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A way in which receipts go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptFault {
    /// Every outcome that the companion writes counts as delivered: an outcome that a cut takes is lost.
    WrittenIsDelivered,
    /// The last outcome is sent again at once on every new stream: it crosses with the agent's next proposal.
    SentAgainBlindly,
}

/// The fault, and what it has to remember of the agent behind the proxy.
#[derive(Debug)]
pub(super) struct Tampering {
    fault: ReceiptFault,
    /// The headers by which the companion knows the agent, each with its line ending.
    identity: Mutex<String>,
    /// The chunks that carried the last outcome.
    last_outcome: Mutex<Vec<u8>>,
}

impl Tampering {
    pub(super) fn new(fault: ReceiptFault) -> Self {
        Self { fault, identity: Mutex::default(), last_outcome: Mutex::default() }
    }

    /// The agent sends the head of a request.
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

    /// The companion sends these bytes on a stream, to an agent that may never get them.
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

    /// The bytes to send after the beginning of a new stream.
    pub(super) fn replay(&self) -> Vec<u8> {
        lock(&self.last_outcome).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ids of the pings in a piece of a stream.
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
