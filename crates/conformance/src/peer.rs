//! An agent, as the suite plays it: a session of its own, each request on a connection of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use alongside_contract::surrogates::replace_lone;
use serde_json::{Value, json};

use crate::bench::{Case, Checked, Log, Stop, skip};
use crate::clock::within;
use crate::listener::Listener;
use crate::sse::{Event, Item, Parser};
use crate::tally::{Tally, Where};
use crate::wire::{Connection, Head, Request};
use crate::{Pace, Target};

/// The version that agents propose.
pub(crate) const PROPOSED: &str = "2025-06-18";

/// Reads JSON as agents do: JavaScript reads a lone surrogate, which RFC 8259 allows and Rust strings cannot
/// hold.
pub(crate) fn parse(json: impl AsRef<[u8]>) -> Option<Value> {
    serde_json::from_slice(&replace_lone(json.as_ref())).ok()
}

/// A whole answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
    /// The events, if the body was a stream of them.
    pub(crate) events: Vec<Event>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.status
    }

    /// The messages in it.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.head.is_stream() {
            return self.events.iter().filter_map(|event| parse(event.data.as_ref()?)).collect();
        }
        match parse(&self.body) {
            Some(Value::Array(messages)) => messages,
            message => message.into_iter().collect(),
        }
    }

    /// The reply to the request with this id.
    pub(crate) fn reply(&self, id: &Value) -> Option<Value> {
        self.messages().into_iter().find(|message| message["id"] == *id && message.get("method").is_none())
    }
}

/// No answer, and why.
#[derive(Debug)]
pub(crate) struct NoAnswer(pub(crate) String);

impl From<NoAnswer> for Stop {
    fn from(none: NoAnswer) -> Self {
        Self::Fail(none.0)
    }
}

/// An agent.
#[derive(Clone)]
pub(crate) struct Peer {
    host: Arc<str>,
    port: u16,
    token: Option<Arc<str>>,
    pub(crate) session: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) log: Log,
    pub(crate) pace: Pace,
    /// Whether it answers the pings of the companion, as shipped agents do.
    pub(crate) answers_pings: bool,
    tally: Arc<Tally>,
    ids: Arc<AtomicI64>,
}

impl Peer {
    pub(crate) fn stranger(target: &Target, pace: Pace, tally: &Arc<Tally>, log: &Log) -> Self {
        Self {
            host: Arc::from(target.host.as_str()),
            port: target.record.port,
            token: target.record.auth_token.as_deref().map(Arc::from),
            session: None,
            version: None,
            log: log.clone(),
            pace,
            answers_pings: true,
            tally: Arc::clone(tally),
            ids: Arc::new(AtomicI64::new(1)),
        }
    }

    /// The same agent in another session.
    pub(crate) fn with_session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// The agent that this answer makes of it.
    pub(crate) fn after(&self, answer: &Answer) -> Self {
        let version = |message: &Value| message["result"]["protocolVersion"].as_str().map(str::to_owned);
        Self {
            session: answer.head.get("mcp-session-id").map(str::to_owned),
            version: answer.messages().iter().find_map(version),
            ..self.clone()
        }
    }

    /// A request as agents send it.
    pub(crate) fn request(&self, method: &'static str) -> Request {
        let mut headers = vec![("Host".into(), format!("{}:{}", self.host, self.port))];
        if let Some(token) = &self.token {
            headers.push(("Authorization".into(), format!("Bearer {token}")));
        }
        let accept =
            if method == "GET" { "text/event-stream" } else { "application/json, text/event-stream" };
        headers.push(("Accept".into(), accept.into()));
        if method == "POST" {
            headers.push(("Content-Type".into(), "application/json".into()));
        }
        let session = self.session.iter().map(|session| ("mcp-session-id".into(), session.clone()));
        let version = self.version.iter().map(|version| ("mcp-protocol-version".into(), version.clone()));
        headers.extend(session.chain(version));
        Request::new(method, headers)
    }

    /// A POST of a message.
    pub(crate) fn post(&self, message: &Value) -> Request {
        self.request("POST").body(message.to_string())
    }

    pub(crate) async fn dial(&self) -> Result<Connection, NoAnswer> {
        let dialled = within(self.pace.answer, Connection::dial(&self.host, self.port)).await;
        let failed = |why: String| {
            self.log.note(format!("← no connection: {why}"));
            NoAnswer(format!("there was no connection: {why}"))
        };
        match dialled {
            Some(Ok(connection)) => Ok(connection),
            Some(Err(error)) => Err(failed(error.to_string())),
            None => Err(failed(format!("none within {} s", self.pace.answer.as_secs_f32()))),
        }
    }

    /// Sends a request and reads the answer, whatever it is.
    pub(crate) async fn send(&self, request: &Request) -> Result<Answer, NoAnswer> {
        let mut connection = self.dial().await?;
        self.note(request);
        let id = serde_json::from_slice::<Value>(&request.body).ok().map(|message| message["id"].clone());
        let exchange = async {
            let sent = async {
                connection.send(&request.head(request.body.len())).await?;
                connection.send(&request.body).await
            };
            // Who refuses a request may hang up before all of it was sent: what it says counts.
            let unsent = sent.await.err();
            let answer = read(&mut connection, &self.tally, id.as_ref()).await;
            answer.map_err(|error| unsent.unwrap_or(error).to_string())
        };
        let exchanged = within(self.pace.answer + self.patience_for(request), exchange).await;
        let failed = |why: String| {
            self.log.note(format!("← no answer: {why}"));
            NoAnswer(format!("there was no answer: {why}"))
        };
        match exchanged {
            Some(Ok(answer)) => {
                let body = String::from_utf8_lossy(&answer.body);
                self.log.note(format!("← {} {}", answer.status(), body.trim_end().replace('\n', "⏎")));
                Ok(answer)
            }
            Some(Err(why)) => Err(failed(why)),
            None => Err(failed(format!("none within {} s", self.pace.answer.as_secs_f32()))),
        }
    }

    /// What is large takes longer: a second for each megabyte.
    fn patience_for(&self, request: &Request) -> std::time::Duration {
        std::time::Duration::from_millis(u64::try_from(request.body.len() / 1024).unwrap_or(0))
    }

    pub(crate) fn note(&self, request: &Request) {
        let differs = match request.differs.join(", ") {
            differs if differs.is_empty() => differs,
            differs => format!("[{differs}] "),
        };
        let shown = &request.body[..request.body.len().min(4000)];
        self.log.note(format!("→ {} {differs}{}", request.method, String::from_utf8_lossy(shown)));
    }

    pub(crate) fn next_id(&self) -> Value {
        self.ids.fetch_add(1, Ordering::Relaxed).into()
    }

    /// A request of a method, answered.
    ///
    /// # Errors
    /// [`Stop::Skip`] without an answer that is a reply: other checks judge that.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Checked<Value> {
        let id = self.next_id();
        self.ask_as(&id, method, params).await
    }

    /// The same with this id.
    pub(crate) async fn ask_as(&self, id: &Value, method: &str, params: Value) -> Checked<Value> {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = match self.send(&self.post(&message)).await {
            Ok(answer) => answer,
            Err(NoAnswer(why)) => return skip(format!("{method} cannot be relied on: {why}")),
        };
        match answer.reply(id) {
            Some(reply) => Ok(reply),
            None => skip(format!("{method} was answered {} without a reply", answer.status())),
        }
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Checked<Value> {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Opens the stream.
    pub(crate) async fn listen(&self) -> Checked<Listener> {
        self.listen_with(self.request("GET")).await
    }

    /// Opens the stream with other headers.
    pub(crate) async fn listen_with(&self, request: Request) -> Checked<Listener> {
        match self.open(&request).await {
            Ok((head, connection)) if head.status == 200 => Ok(self.listens(connection)),
            Ok((head, _)) => skip(format!("the stream was refused with {}", head.status)),
            Err(NoAnswer(why)) => skip(format!("the stream does not open: {why}")),
        }
    }

    /// Listens on a stream that was opened.
    pub(crate) fn listens(&self, connection: Connection) -> Listener {
        Listener::over(connection, self.clone(), Arc::clone(&self.tally))
    }

    /// Sends a request and reads the head of the answer only.
    pub(crate) async fn open(&self, request: &Request) -> Result<(Head, Connection), NoAnswer> {
        let mut connection = self.dial().await?;
        self.note(request);
        let exchange = async {
            connection.send(&request.head(0)).await?;
            connection.head().await
        };
        let why = match within(self.pace.answer, exchange).await {
            Some(Ok(head)) => {
                self.log.note(format!("← {} {}", head.status, head.get("content-type").unwrap_or_default()));
                return Ok((head, connection));
            }
            Some(Err(error)) => error.to_string(),
            None => format!("none within {} s", self.pace.answer.as_secs_f32()),
        };
        self.log.note(format!("← no answer: {why}"));
        Err(NoAnswer(format!("there was no answer: {why}")))
    }

    /// Ends a diff that a check left open; nobody listens to what comes of it.
    pub(crate) async fn quietly_close(&self, path: &str) {
        let arguments = json!({ "filePath": path, "suppressNotification": true });
        let _ = self.silently().call("closeDiff", arguments).await;
    }

    /// Ends the session.
    pub(crate) async fn quietly_leave(&self) {
        let silent = self.silently();
        let _ = silent.send(&silent.request("DELETE")).await;
    }

    /// The same agent, whose doings are no evidence.
    fn silently(&self) -> Self {
        Self { log: self.log.apart(), tally: Arc::default(), ..self.clone() }
    }
}

impl Case<'_> {
    /// Somebody who knows the token and has no session.
    pub(crate) fn stranger(&self) -> Peer {
        Peer::stranger(self.bench.target, self.pace(), &self.bench.tally, &self.log)
    }

    /// Sends `initialize` and takes the session; the result with it.
    pub(crate) async fn introduce(&self) -> Checked<(Peer, Value)> {
        self.introduce_with(PROPOSED).await
    }

    /// The same with another version.
    pub(crate) async fn introduce_with(&self, version: &str) -> Checked<(Peer, Value)> {
        let peer = self.stranger();
        let answer = match self.begin(&peer, peer.post(&initialize(&0.into(), version))).await {
            Ok(answer) => answer,
            Err(NoAnswer(why)) => return skip(format!("there is no session: {why}")),
        };
        let result = answer.reply(&0.into()).map(|mut reply| reply["result"].take());
        let Some(result) = result.filter(Value::is_object) else {
            return skip(format!("there is no session: initialize was answered {}", answer.status()));
        };
        let peer = peer.after(&answer);
        self.joins(&peer);
        Ok((peer, result))
    }

    /// Connects as agents do. That the answers are the right ones is judged elsewhere.
    pub(crate) async fn join(&self) -> Checked<Peer> {
        self.join_with(PROPOSED).await
    }

    /// The same with another version.
    pub(crate) async fn join_with(&self, version: &str) -> Checked<Peer> {
        let (peer, _) = self.introduce_with(version).await?;
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        match peer.send(&peer.post(&initialized)).await {
            Ok(_) => Ok(peer),
            Err(NoAnswer(why)) => skip(format!("there is no session: {why}")),
        }
    }
}

/// The first message of an agent.
pub(crate) fn initialize(id: &Value, version: &str) -> Value {
    let client = json!({ "name": "alongside check", "version": env!("CARGO_PKG_VERSION") });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params })
}

/// Reads an answer: all of it, or a stream of events up to the reply that is waited for.
async fn read(connection: &mut Connection, tally: &Tally, id: Option<&Value>) -> std::io::Result<Answer> {
    let mut answer = Answer { head: connection.head().await?, ..Answer::default() };
    let mut parser = Parser::default();
    while let Some(piece) = connection.piece().await? {
        answer.body.extend_from_slice(&piece);
        if !answer.head.is_stream() {
            continue;
        }
        parser.feed(&piece);
        while let Some(item) = parser.next() {
            if let Item::Event(event) = item {
                tally.hears(Where::Answer, &event);
                answer.events.push(event);
            }
        }
        if id.is_some_and(|id| answer.reply(id).is_some()) {
            break;
        }
    }
    Ok(answer)
}
