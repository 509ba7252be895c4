//! An agent over HTTP, played by the suite: it has one session, and opens a connection for each request.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use alongside_agent::wire::{Caller, Connection, EventParser, Head, Item};
use serde_json::{Value, json};

use crate::check_ending::{Checked, skip};
use crate::discovery::target::Target;
use crate::evidence::Evidence;
use crate::http::request::Request;
use crate::http::response::{NoResponse, Response};
use crate::http::stream_rules::{Source, StreamRules};
use crate::time::clock::within;
use crate::time::timeouts::Timeouts;

/// The version that agents propose.
pub(crate) const PROPOSED: &str = "2025-06-18";

/// An agent.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) caller: Caller,
    pub(crate) evidence: Evidence,
    pub(crate) timeouts: Timeouts,
    /// Whether the agent answers the pings of the companion, as shipped agents do.
    pub(crate) answers_pings: bool,
    pub(crate) rules: Arc<StreamRules>,
    ids: Arc<AtomicI64>,
}

impl Peer {
    pub(crate) fn stranger(
        target: &Target,
        timeouts: Timeouts,
        rules: &Arc<StreamRules>,
        evidence: &Evidence,
    ) -> Self {
        Self {
            caller: Caller::new(target.endpoint(), target.record.auth_token.as_deref()),
            evidence: evidence.clone(),
            timeouts,
            answers_pings: true,
            rules: Arc::clone(rules),
            ids: Arc::new(AtomicI64::new(1)),
        }
    }

    /// Returns the same agent in another session.
    pub(crate) fn with_session(mut self, session: impl Into<String>) -> Self {
        self.caller.session = Some(session.into());
        self
    }

    /// Returns the agent with the session and the protocol version from the answer to `initialize`.
    pub(crate) fn after(&self, answer: &Response) -> Self {
        let version = |message: &Value| message["result"]["protocolVersion"].as_str().map(str::to_owned);
        let mut peer = self.clone();
        peer.caller.session = answer.head.get("mcp-session-id").map(str::to_owned);
        peer.caller.version = answer.messages().iter().find_map(version);
        peer
    }

    /// Returns the session id, if there is one.
    pub(crate) fn session(&self) -> Option<&str> {
        self.caller.session.as_deref()
    }

    /// Returns a request as agents send it.
    pub(crate) fn request(&self, method: &'static str) -> Request {
        Request { wire: self.caller.request(method), differences: Vec::new() }
    }

    /// Returns the POST of a message.
    pub(crate) fn post(&self, message: &Value) -> Request {
        self.request("POST").with_body(message.to_string())
    }

    pub(crate) async fn dial(&self) -> Result<Connection, NoResponse> {
        let dialled = within(self.timeouts.answer, Connection::dial(&self.caller.endpoint)).await;
        self.result_of("connection", dialled)
    }

    /// Returns the result of an exchange, or the reason why there is none: a timeout or an error.
    fn result_of<T>(&self, what: &str, result: Option<std::io::Result<T>>) -> Result<T, NoResponse> {
        let why = match result {
            Some(Ok(result)) => return Ok(result),
            Some(Err(error)) => error.to_string(),
            None => format!("none within {} s", self.timeouts.answer.as_secs_f32()),
        };
        self.evidence.note(format!("← no {what}: {why}"));
        Err(NoResponse(format!("there was no {what}: {why}")))
    }

    /// Sends a request and returns the response, whatever it is.
    pub(crate) async fn send(&self, request: &Request) -> Result<Response, NoResponse> {
        let mut connection = self.dial().await?;
        self.note(request);
        let body = &request.wire.body;
        let id = serde_json::from_slice::<Value>(body).ok().map(|message| message["id"].clone());
        let bytes = request.wire.bytes();
        let exchange = async {
            let head = connection.exchange(&bytes).await?;
            read(&mut connection, head, &self.rules, id.as_ref()).await
        };
        // A large request gets one more second for each megabyte.
        let extra = Duration::from_millis(u64::try_from(body.len() / 1024).unwrap_or(0));
        let answer = self.result_of("answer", within(self.timeouts.answer + extra, exchange).await)?;
        let body = String::from_utf8_lossy(&answer.body);
        self.evidence.note(format!("← {} {}", answer.status(), body.trim_end().replace('\n', "⏎")));
        Ok(answer)
    }

    pub(crate) fn note(&self, request: &Request) {
        let differs = match request.differences.join(", ") {
            differs if differs.is_empty() => differs,
            differs => format!("[{differs}] "),
        };
        let body = &request.wire.body;
        let shown = String::from_utf8_lossy(&body[..body.len().min(4000)]);
        self.evidence.note(format!("→ {} {differs}{shown}", request.wire.method()));
    }

    /// Returns the POST of a ping.
    pub(crate) fn ping(&self, id: u8) -> Request {
        self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))
    }

    /// Pings the session, and waits for the reply.
    ///
    /// # Errors
    /// [`NotPassed::Skip`] without a reply.
    pub(crate) async fn is_served(&self) -> Checked {
        match self.ask("ping", json!({})).await {
            Ok(_) => Ok(()),
            Err(_) => skip("the session is not served any more"),
        }
    }

    pub(crate) fn next_id(&self) -> Value {
        self.ids.fetch_add(1, Ordering::Relaxed).into()
    }

    /// Sends a request of a method and returns the result.
    ///
    /// # Errors
    /// [`NotPassed::Skip`] without an answer that is a reply: other checks judge that.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Checked<Value> {
        let id = self.next_id();
        self.ask_as(&id, method, params).await
    }

    /// Sends a request with this id, and reads its reply.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(crate) async fn ask_as(&self, id: &Value, method: &str, params: Value) -> Checked<Value> {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = match self.send(&self.post(&message)).await {
            Ok(answer) => answer,
            Err(NoResponse(why)) => return skip(format!("{method} cannot be relied on: {why}")),
        };
        match answer.reply(id) {
            Some(reply) => Ok(reply),
            None => skip(format!("{method} was answered with {} without a reply", answer.status())),
        }
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Checked<Value> {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Sends a request and reads the head of the answer only.
    pub(crate) async fn open(&self, request: &Request) -> Result<(Head, Connection), NoResponse> {
        let mut connection = self.dial().await?;
        self.note(request);
        let exchange = async {
            connection.send(&request.wire.head(0)).await?;
            connection.head().await
        };
        let head = self.result_of("answer", within(self.timeouts.answer, exchange).await)?;
        let kind = head.get("content-type").unwrap_or_default();
        self.evidence.note(format!("← {} {kind}", head.status));
        Ok((head, connection))
    }

    /// Closes a diff that a check left open, and ignores the answer.
    pub(crate) async fn quietly_close(&self, path: &str) {
        let arguments = json!({ "filePath": path, "suppressNotification": true });
        let _ = self.silently().call("closeDiff", arguments).await;
    }

    /// Ends the session.
    pub(crate) async fn quietly_leave(&self) {
        let silent = self.silently();
        let _ = silent.send(&silent.request("DELETE")).await;
    }

    /// Returns the same agent without evidence of its requests.
    fn silently(&self) -> Self {
        Self { evidence: self.evidence.apart(), rules: Arc::default(), ..self.clone() }
    }
}

/// Returns the first message of an agent.
pub(crate) fn initialize(id: &Value, version: &str) -> Value {
    let client = json!({ "name": "alongside check", "version": env!("CARGO_PKG_VERSION") });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params })
}

/// Reads a response: all of it, or a stream of events up to the awaited reply.
async fn read(
    connection: &mut Connection,
    head: Head,
    rules: &StreamRules,
    id: Option<&Value>,
) -> std::io::Result<Response> {
    let mut answer = Response { head, ..Response::default() };
    let mut events = EventParser::default();
    while let Some(part) = connection.part().await? {
        answer.body.extend_from_slice(&part);
        if !answer.head.is_event_stream() {
            continue;
        }
        events.feed(part);
        for item in &mut events {
            if let Item::Event(event) = item {
                rules.examine(Source::Response, &event);
                answer.events.push(event);
            }
        }
        if id.is_some_and(|id| answer.reply(id).is_some()) {
            break;
        }
    }
    Ok(answer)
}
