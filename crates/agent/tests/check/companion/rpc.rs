//! What a POST says: one message or, where the version has them, several.

use alongside_contract::surrogates::replace_lone;
use serde_json::{Value, json};

use super::http::{Answer, Head};
use super::{Shared, random};
use crate::fault::Fault;

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

impl Shared {
    /// Answers the body of a POST whose head was good.
    pub(super) async fn post(&self, head: &Head, body: &[u8]) -> Answer {
        let readable = if self.has(Fault::LoneSurrogateRefused) { body.into() } else { replace_lone(body) };
        let message: Value = match serde_json::from_slice(&readable) {
            Ok(message) => message,
            Err(_) if self.has(Fault::MalformedJsonIs500) => return Answer::status(500),
            Err(error) => return Answer::json(400, &failure(&Value::Null, -32700, &error.to_string())),
        };
        let method = message["method"].as_str().unwrap_or_default();
        if method == "initialize" {
            return self.initialize(&message);
        }
        if method == "server/discover" {
            return match self.fault {
                Some(Fault::DiscoverAnswered) => {
                    let versions = json!({ "supportedVersions": VERSIONS, "capabilities": { "tools": {} } });
                    Answer::json(200, &reply(&message["id"], versions))
                }
                _ => Answer::json(400, &failure(&message["id"], -32601, "there is no such method")),
            };
        }
        if let Some(refusal) = self.refused_session(head) {
            return refusal;
        }
        let session = head.header("mcp-session-id").unwrap_or_default();
        match &message {
            Value::Array(messages) => self.batch(head, session, messages).await,
            message if message["id"].is_null() && !method.is_empty() => match self.fault {
                Some(Fault::NotificationsAre200) => Answer::status(200),
                Some(Fault::NotificationsAre204) => Answer::status(204),
                Some(Fault::NotificationsHaveABody) => Answer::json(202, &json!({})),
                _ => Answer::status(202),
            },
            message if !method.is_empty() => {
                let answer = self.framed(self.request(session, message).await);
                match self.fault {
                    Some(Fault::RepliesCross) => {
                        self.crossing.exchange(message["id"].to_string(), answer).await
                    }
                    _ => answer,
                }
            }
            message if message["id"].is_string() || message["id"].is_number() => {
                self.settle(session, &message["id"]);
                Answer::status(202)
            }
            _ => Answer::json(400, &failure(&Value::Null, -32600, "this is no message")),
        }
    }

    async fn batch(&self, head: &Head, session: &str, messages: &[Value]) -> Answer {
        let version = head.header("mcp-protocol-version").unwrap_or("2025-03-26");
        let has_batches = ["2024-11-05", "2025-03-26"].contains(&version) && !self.has(Fault::BatchRefused);
        if messages.is_empty() || !has_batches {
            return Answer::json(400, &failure(&Value::Null, -32600, "this version has no batches"));
        }
        let mut replies = Vec::new();
        for message in messages {
            match (message["id"].is_null(), message["method"].is_string()) {
                (false, true) => replies.push(self.request(session, message).await),
                (false, false) => self.settle(session, &message["id"]),
                _ => {}
            }
        }
        if replies.is_empty() { Answer::status(202) } else { Answer::json(200, &Value::Array(replies)) }
    }

    fn initialize(&self, message: &Value) -> Answer {
        let asked = message["params"]["protocolVersion"].as_str().unwrap_or_default();
        let version = match self.fault {
            Some(Fault::OnlyTheNewestVersion) => VERSIONS[3],
            Some(Fault::VersionRepeatedUnknown) => asked,
            _ => VERSIONS.into_iter().find(|known| *known == asked).unwrap_or(VERSIONS[3]),
        };
        let capabilities = match self.fault {
            Some(Fault::ToolsNotOffered) => json!({}),
            _ => json!({ "tools": {} }),
        };
        let server = json!({ "name": "reference", "version": "1" });
        let result =
            json!({ "protocolVersion": version, "capabilities": capabilities, "serverInfo": server });
        let mut state = self.state();
        state.opened += 1;
        let id = match self.fault {
            Some(Fault::SessionIdsAreCounted) => state.opened.to_string(),
            Some(Fault::OneSessionForAll) => self.token.chars().rev().collect(),
            _ => random(),
        };
        state.sessions.entry(id.clone()).or_default();
        self.framed(reply(&message["id"], result)).with("Mcp-Session-Id", id)
    }

    /// A reply as the body of an answer.
    fn framed(&self, message: Value) -> Answer {
        let begin = match self.fault {
            Some(Fault::RepliesBeginWithAnEmptyEvent) => "id: 1\ndata: \n\n",
            Some(Fault::RepliesHaveEventIds) => "id: 1\n",
            _ => return Answer::json(200, &message),
        };
        let body = format!("{begin}event: message\ndata: {message}\n\n");
        Answer { status: 200, headers: vec![("Content-Type", "text/event-stream".into())], body }
    }

    async fn request(&self, session: &str, message: &Value) -> Value {
        let text;
        let id = match self.fault {
            Some(Fault::RequestIdsBecomeText) => {
                text = json!(message["id"].to_string());
                &text
            }
            _ => &message["id"],
        };
        match message["method"].as_str().unwrap_or_default() {
            "ping" if !self.has(Fault::PingUnknown) => reply(id, json!({})),
            "tools/list" => reply(id, json!({ "tools": self.tools() })),
            "tools/call" => match self.call(session, &message["params"]).await {
                Some(result) => reply(id, result),
                None => failure(id, -32602, "there is no such tool"),
            },
            _ if self.has(Fault::UnknownMethodsAnswered) => reply(id, json!({})),
            _ => failure(id, -32601, "there is no such method"),
        }
    }

    fn tools(&self) -> Value {
        let text = json!({ "type": "string" });
        let open = json!({ "filePath": text, "newContent": text });
        let close = json!({ "filePath": text, "suppressNotification": { "type": "boolean" } });
        let schema = |properties, required| match self.fault {
            Some(Fault::ToolsWithoutArguments) => json!({ "type": "object" }),
            _ => json!({ "type": "object", "properties": properties, "required": required }),
        };
        let open = json!({
            "name": "openDiff",
            "description": "Opens a diff view for a file.",
            "inputSchema": schema(open, json!(["filePath", "newContent"])),
        });
        let close = json!({
            "name": "closeDiff",
            "description": "Closes a diff view and answers with its text.",
            "inputSchema": schema(close, json!(["filePath"])),
        });
        match self.fault {
            Some(Fault::CloseDiffNotListed) => json!([open]),
            Some(Fault::OpenDiffNotListed) => json!([close]),
            _ => json!([open, close]),
        }
    }
}

fn reply(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn failure(id: &Value, code: i64, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}
