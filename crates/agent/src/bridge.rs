//! MCP over stdio, bridged to a running companion, for agents that start a server instead of dialling one.
//!
//! Each line is a message. Lines are posted one after the other, so that a companion receives them in the
//! order in which they were written; messages that the companion sends by itself are written in between.

use std::time::Duration;

use alongside_contract::mcp::InitializeResult;
use alongside_contract::rpc::{self, Id, Message};
use alongside_contract::surrogates::replace_lone;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};

use crate::Error;
use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::stream::Messages;

/// The times to wait before the stream is opened again: longer after each failure.
const REOPEN: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(2)];

/// The JSON-RPC code of a server error, used if the companion does not answer.
const NO_ANSWER: i64 = -32000;

const WHAT: &str = "pass a message on";

/// Carries messages between `input` and `output` and the companion at `endpoint` until `input` ends, and then
/// ends the session. A message that cannot be posted is answered with a JSON-RPC error.
///
/// # Errors
/// If `input` or `output` fails, or the companion does not know the session any more. Only a new bridge can
/// start another session then. another.
pub async fn run(
    endpoint: Endpoint,
    token: Option<&str>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> Result<(), Error> {
    let client = Client::new(endpoint, token)?;
    let (lines, written) = mpsc::channel(16);
    let (initialized, hears) = watch::channel(None);
    let talk = async move {
        let mut talker = Poster { client, initialized, lines: lines.clone() };
        let end = tokio::select! {
            end = talker.read(input) => end,
            end = listen(hears, lines) => end,
        };
        // A companion that has ended does not know the session any more.
        let _ = talker.client.delete("end the session").await;
        end
    };
    tokio::try_join!(talk, write(written, output)).map(|_| ())
}

/// The direction from the agent to the companion.
struct Poster {
    client: Client,
    /// The receiver of the client, once the session is ready for its stream.
    initialized: watch::Sender<Option<Client>>,
    lines: mpsc::Sender<String>,
}

impl Poster {
    async fn read(&mut self, input: impl AsyncRead + Unpin) -> Result<(), Error> {
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).await? > 0 {
            let json = String::from_utf8_lossy(line.trim_ascii()).into_owned();
            line.clear();
            if !json.is_empty() {
                self.forward(json).await?;
            }
        }
        Ok(())
    }

    async fn forward(&mut self, json: String) -> Result<(), Error> {
        let request = LineRequest::in_line(&json);
        let method = request.method.as_deref();
        let response = match self.client.post(WHAT, json).await {
            Ok(response) => response,
            Err(error) => return self.reply_with_errors(&request.ids, NO_ANSWER, &error.to_string()).await,
        };
        let (status, is_success) = (response.head.status, response.head.is_success());
        if method == Some("initialize") && is_success {
            self.client.adopt_session(&response);
        }
        if response.head.is_event_stream() {
            let mut messages = Messages::of(response);
            while let Some(message) = messages.next().await {
                self.adopt(method, &message);
                write_line(&self.lines, message).await?;
            }
            return Ok(());
        }
        let body = match self.client.body(WHAT, response).await {
            Ok(body) => String::from_utf8_lossy(&body).into_owned(),
            Err(error) => return self.reply_with_errors(&request.ids, NO_ANSWER, &error.to_string()).await,
        };
        if !is_success && !answers(&body, &request.ids) {
            let code = if status == 404 { rpc::SESSION_NOT_FOUND } else { NO_ANSWER };
            return self
                .reply_with_errors(&request.ids, code, &format!("the companion answered {status}: {body}"))
                .await;
        }
        self.adopt(method, &body);
        if method == Some("notifications/initialized") && is_success {
            self.initialized.send_replace(Some(self.client.clone()));
        }
        if body.trim().is_empty() { Ok(()) } else { write_line(&self.lines, body).await }
    }

    /// Takes the version from the reply to `initialize`.
    fn adopt(&mut self, method: Option<&str>, message: &str) {
        if method == Some("initialize")
            && let Ok(Ok(Message::Reply { result: Ok(result), .. })) = Message::parse(message.as_bytes())
            && let Ok(server) = serde_json::from_str::<InitializeResult>(result.get())
        {
            self.client.adopt_version(&server.protocol_version);
        }
    }

    async fn reply_with_errors(&self, ids: &[Id], code: i64, why: &str) -> Result<(), Error> {
        tracing::warn!(why, "a message could not be passed on");
        for id in ids {
            write_line(&self.lines, rpc::error(Some(id), code, why)).await?;
        }
        Ok(())
    }
}

/// Handles the direction from the companion to the agent: the stream, which is opened again as long as the
/// session lives.
async fn listen(
    mut hears: watch::Receiver<Option<Client>>,
    lines: mpsc::Sender<String>,
) -> Result<(), Error> {
    let Ok(client) = hears.wait_for(Option::is_some).await.map(|client| client.clone()) else {
        return std::future::pending().await;
    };
    let Some(client) = client else { return Ok(()) };
    let mut failures = 0;
    loop {
        match Messages::open(&client).await {
            Ok(mut messages) => {
                failures = 0;
                while let Some(message) = messages.next().await {
                    write_line(&lines, message).await?;
                }
            }
            Err(error) if error.status() == Some(404) => return Err(error),
            Err(error) => tracing::debug!(%error, "the stream does not open"),
        }
        failures = (failures + 1).min(REOPEN.len() - 1);
        tokio::time::sleep(REOPEN[failures]).await;
    }
}

async fn write(mut lines: mpsc::Receiver<String>, mut output: impl AsyncWrite + Unpin) -> Result<(), Error> {
    while let Some(line) = lines.recv().await {
        output.write_all(line.as_bytes()).await?;
        output.write_all(b"\n").await?;
        output.flush().await?;
    }
    Ok(())
}

/// Sends a message to the writer, as a single line: strings in JSON hold no bare newlines, so blanks may
/// replace them.
async fn write_line(lines: &mpsc::Sender<String>, message: String) -> Result<(), Error> {
    let message = message.trim();
    let line =
        if message.contains(['\n', '\r']) { message.replace(['\n', '\r'], " ") } else { message.to_owned() };
    lines.send(line).await.map_err(|_| Error::Stdio(std::io::ErrorKind::BrokenPipe.into()))
}

/// The requests in a line.
#[derive(Debug, Default)]
struct LineRequest {
    /// The method, if the line is a single message with a method.
    method: Option<String>,
    /// The ids of the requests that need a reply. A batch may have several.
    ids: Vec<Id>,
}

impl LineRequest {
    fn in_line(json: &str) -> Self {
        if let Ok(batch) = serde_json::from_str::<Vec<Box<serde_json::value::RawValue>>>(json) {
            let ids = batch.iter().flat_map(|message| Self::in_line(message.get()).ids).collect();
            return Self { method: None, ids };
        }
        match Message::parse(&replace_lone(json.as_bytes())) {
            Ok(Ok(Message::Request { id, method, .. })) => Self { method: Some(method), ids: vec![id] },
            Ok(Ok(Message::Notification { method, .. })) => Self { method: Some(method), ids: Vec::new() },
            _ => Self::default(),
        }
    }
}

/// Whether a body is a reply that the agent can match to its requests.
fn answers(body: &str, ids: &[Id]) -> bool {
    match Message::parse(body.as_bytes()) {
        Ok(Ok(Message::Reply { id: Some(id), .. })) => ids.contains(&id),
        Ok(Ok(Message::Reply { id: None, .. })) => ids.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_in_a_line_is_found() {
        let batch = r#"[
            {"jsonrpc":"2.0","id":1,"method":"a"},
            {"jsonrpc":"2.0","method":"n"},
            {"jsonrpc":"2.0","id":"x","method":"b"}
        ]"#;
        assert_eq!(LineRequest::in_line(batch).ids, [Id::Number(1), Id::Text("x".into())]);
        assert_eq!(
            LineRequest::in_line(r#"{"jsonrpc":"2.0","id":7,"method":"a"}"#).method.as_deref(),
            Some("a")
        );
        assert!(LineRequest::in_line("nonsense").ids.is_empty());
    }

    #[tokio::test]
    async fn a_message_of_several_lines_becomes_one_line() {
        let (sender, mut lines) = mpsc::channel(1);
        write_line(&sender, "{\n  \"a\": \"x\\ny\"\r\n}\n".into()).await.unwrap();
        assert_eq!(lines.recv().await.unwrap(), "{   \"a\": \"x\\ny\"  }");
    }
}
