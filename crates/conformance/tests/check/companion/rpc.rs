//! The content of a POST: one message or, in versions with batches, several.

use alongside_contract::surrogates::replace_lone;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::http::{Answer, Head};
use super::{Shared, random};
use crate::fault::Fault;

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

impl Shared {
    /// Answers the body of a POST whose head was accepted.
    pub(super) async fn post(&self, head: &Head, body: &[u8]) -> Answer {
        let readable = if self.has(Fault::LoneSurrogateRefused) { body.into() } else { replace_lone(body) };
        let message: Value = match serde_json::from_slice(&readable) {
            Ok(message) => message,
            Err(error) => {
                let answer = self.unwelcome(&Value::Null, -32700, &error.to_string());
                let status = if self.has(Fault::MalformedJsonIs500) { 500 } else { answer.status };
                return Answer { status, ..answer };
            }
        };
        let method = message["method"].as_str().unwrap_or_default();
        if message["jsonrpc"] != "2.0" && !message.is_array() && !self.has(Fault::AnyJsonIsAMessage) {
            return self.unwelcome(&Value::Null, -32600, "this is no message");
        }
        if method == "initialize" {
            return self.initialize(&message);
        }
        if method == "server/discover" {
            if !self.has(Fault::DiscoverAnswered) {
                return self.unwelcome(&message["id"], -32601, "there is no such method");
            }
            let versions = json!({ "supportedVersions": VERSIONS, "capabilities": { "tools": {} } });
            return Answer::json(200, &reply(&message["id"], versions));
        }
        if let Some(refusal) = self.refused_session(head) {
            return refusal;
        }
        let session = head.header("mcp-session-id").unwrap_or_default();
        match &message {
            Value::Array(messages) => self.batch(head, session, messages).await,
            message if message["id"].is_null() && !method.is_empty() => {
                let unknown = !["notifications/initialized", "notifications/cancelled"].contains(&method);
                match unknown && self.has(Fault::UnknownNotificationsRefused) {
                    true => self.unwelcome(&Value::Null, -32601, "there is no such method"),
                    false => self.accepted(),
                }
            }
            message if !method.is_empty() => {
                let reply = self.request(session, message).await;
                if self.has(Fault::RepliesGoToTheStreamToo) {
                    if let Some(session) = self.state().sessions.get(session) {
                        session.write(&reply);
                    }
                }
                let answer = self.framed(reply);
                if !self.has(Fault::RepliesCross) {
                    return answer;
                }
                self.crossing.exchange(message["id"].to_string(), answer).await
            }
            message if message["id"].is_string() || message["id"].is_number() => {
                self.settle(session, &message["id"]);
                self.accepted()
            }
            _ => self.unwelcome(&Value::Null, -32600, "this is no message"),
        }
    }

    /// Returns the answer to messages that are not requests.
    fn accepted(&self) -> Answer {
        match self.fault.single {
            Some(Fault::NotificationsAre200) => Answer::status(200),
            Some(Fault::NotificationsAre204) => Answer::status(204),
            Some(Fault::NotificationsHaveABody) => Answer::json(202, &json!({})),
            _ => Answer::status(202),
        }
    }

    /// Returns the answer to an invalid message.
    fn unwelcome(&self, id: &Value, code: i64, why: &str) -> Answer {
        let is_silent = self.has(Fault::RefusalsSayNothing);
        if is_silent { Answer::status(400) } else { Answer::json(400, &failure(id, code, why)) }
    }

    async fn batch(&self, head: &Head, session: &str, messages: &[Value]) -> Answer {
        let version = head.header("mcp-protocol-version").unwrap_or("2025-03-26");
        let has_batches = ["2024-11-05", "2025-03-26"].contains(&version) && !self.has(Fault::BatchRefused);
        let is_message = |message: &Value| message["jsonrpc"] == "2.0";
        if messages.is_empty() || !messages.iter().all(is_message) || !has_batches {
            return self.unwelcome(&Value::Null, -32600, "this version has no batches");
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
        let version = match self.fault.single {
            Some(Fault::OnlyTheNewestVersion) => VERSIONS[3],
            Some(Fault::OnlyTheOldestVersion) => VERSIONS[0],
            Some(Fault::VersionRepeatedUnknown) => asked,
            _ => VERSIONS.into_iter().find(|known| *known == asked).unwrap_or(VERSIONS[3]),
        };
        let capabilities = if self.has(Fault::ToolsNotOffered) { json!({}) } else { json!({ "tools": {} }) };
        let mut result = json!({ "protocolVersion": version, "capabilities": capabilities });
        if !self.has(Fault::ServerHasNoName) {
            result["serverInfo"] = json!({ "name": "reference", "version": "1" });
        }
        let mut state = self.state();
        state.opened += 1;
        if self.has(Fault::OneAgentOnly) && !state.sessions.is_empty() {
            return Answer::json(400, &failure(&message["id"], -32600, "Server already initialized"));
        }
        let id = match self.fault.single {
            Some(Fault::SessionIdsAreCounted) => state.opened.to_string(),
            // The end of the id is constant: an agent that makes up an id must not hit an existing one
            // because of it.
            _ => format!("{}0000", random()),
        };
        let number = state.opened;
        let session = state.sessions.entry(id.clone()).or_default();
        (session.number, session.used) = (number, Some(Instant::now()));
        self.framed(reply(&message["id"], result)).with("Mcp-Session-Id", id)
    }

    /// Returns a reply as the body of an answer.
    fn framed(&self, message: Value) -> Answer {
        let begin = match self.fault.single {
            Some(Fault::RepliesBeginWithAnEmptyEvent) => "data: \n\n",
            Some(Fault::RepliesHaveEventIds) => "id: 1\n",
            Some(Fault::AnswersHaveNoType) => {
                return Answer { status: 200, body: message.to_string(), ..Answer::default() };
            }
            _ => return Answer::json(200, &message),
        };
        let body = format!("{begin}event: message\ndata: {message}\n\n");
        Answer { status: 200, headers: vec![("Content-Type", "text/event-stream".into())], body }
    }

    async fn request(&self, session: &str, message: &Value) -> Value {
        let number = message["id"].as_str().and_then(|id| id.parse::<u64>().ok());
        let number = number.filter(|_| self.has(Fault::TextIdsBecomeNumbers));
        let id = &number.map_or_else(|| message["id"].clone(), |number| json!(number));
        match message["method"].as_str().unwrap_or_default() {
            "ping" if !self.has(Fault::PingUnknown) => reply(id, json!({})),
            "tools/list" => reply(id, json!({ "tools": self.tools() })),
            "tools/call" => match self.call(session, &message["params"]).await {
                Some(result) => reply(id, result),
                None if self.has(Fault::UnknownToolsAnswered) => reply(id, json!({ "content": [] })),
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
        let schema = |properties, required| match self.fault.single {
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
        match self.fault.single {
            Some(Fault::CloseDiffNotListed) => json!([open]),
            Some(Fault::OpenDiffNotListed) => json!([close]),
            _ => json!([open, close]),
        }
    }
}

/// Returns the answer to a request.
pub(super) fn reply(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Returns the answer to a request that fails.
pub(super) fn failure(id: &Value, code: i64, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}
