//! The transports of a desk's process: JSON lines or LSP's framing.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// `alongside review --json`: one message per line.
    Lines,
    /// `alongside lsp` for an editor with a plugin: LSP's framing.
    Lsp,
}

impl Transport {
    /// Encodes a message.
    pub(super) fn encode(self, mut message: Value) -> String {
        match self {
            Self::Lines => format!("{message}\n"),
            Self::Lsp => {
                message["jsonrpc"] = json!("2.0");
                let body = message.to_string();
                format!("Content-Length: {}\r\n\r\n{body}", body.len())
            }
        }
    }

    /// Reads the next message; `None` at the end of the input, or if the input is not a message.
    pub(super) async fn read(self, from: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Value> {
        let mut line = String::new();
        if self == Self::Lines {
            return (from.read_line(&mut line).await.ok()? > 0).then(|| serde_json::from_str(&line).ok())?;
        }
        let mut length = None;
        loop {
            line.clear();
            if from.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                header => {
                    length =
                        header.strip_prefix("Content-Length: ").map_or(length, |length| length.parse().ok());
                }
            }
        }
        let mut body = vec![0; length?];
        from.read_exact(&mut body).await.ok()?;
        serde_json::from_slice(&body).ok()
    }

    /// Returns the reply to `alongside/flushReview` of a desk without unsent text.
    pub(super) fn flush_answer(self, request: &Value) -> String {
        self.encode(match self {
            Self::Lines => json!({ "method": "alongside/didFlushReview", "params": request["params"] }),
            Self::Lsp => json!({ "id": request["id"], "result": null }),
        })
    }
}
