//! An agent with a WebSocket, played by the suite: it keeps every message with its time, and answers pings.
//! Dropping the agent closes its diffs, then the WebSocket.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use alongside_contract::diff::OPEN_DIFF;
use alongside_contract::websocket::CLOSE_ALL_DIFF_TABS;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::check_ending::{Checked, skip};
use crate::cleanup::websocket_count::Connections;
use crate::evidence::Evidence;
use crate::http::json::parse;
use crate::time::clock::within;
use crate::time::timeouts::Timeouts;

/// The longest time for closing the diffs and the WebSocket.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// A message, or [`END`], and the time of its arrival.
pub(crate) type Received = (Instant, Value);

/// The end of the connection, in place of a message.
const END: Value = Value::Null;

/// An agent and its connection.
pub(crate) struct Agent {
    outgoing: UnboundedSender<String>,
    received: watch::Receiver<Vec<Received>>,
    ids: AtomicI64,
    evidence: Evidence,
    timeouts: Timeouts,
    /// When the agent sent `notifications/initialized`.
    pub(crate) initialized_at: Instant,
}

/// A call of `openDiff`.
pub(crate) struct Proposal {
    /// The id of the call.
    pub(crate) call: i64,
    pub(crate) path: String,
    /// The name by which the agent identifies the diff.
    pub(crate) tab: String,
}

impl Agent {
    /// Creates an agent on an opened WebSocket, and starts the task that runs its connection.
    pub(crate) fn new(
        socket: Socket,
        connections: &Connections,
        evidence: &Evidence,
        timeouts: Timeouts,
    ) -> Self {
        let (log, received) = watch::channel(Vec::new());
        let record =
            move |message: Value| log.send_modify(|received| received.push((Instant::now(), message)));
        let (outgoing, texts) = unbounded_channel();
        let (connected, task_evidence) = (connections.connect(), evidence.clone());
        tokio::spawn(async move {
            run_connection(socket, texts, record, task_evidence).await;
            drop(connected);
        });
        let (ids, evidence) = (AtomicI64::new(1), evidence.clone());
        Self { outgoing, received, ids, evidence, timeouts, initialized_at: Instant::now() }
    }

    /// Sends a text without a check of its content.
    pub(crate) fn send(&self, text: impl Into<String>) {
        let text = text.into();
        self.evidence.note(format!("→ {text}"));
        // Without a connection, every wait for a response fails.
        let _ = self.outgoing.send(text);
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request. Returns its id.
    pub(crate) fn send_request(&self, method: &str, params: &Value) -> i64 {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// Sends a call of a tool. Returns its id.
    pub(crate) fn send_tool_call(&self, tool: &str, arguments: &Value) -> i64 {
        self.send_request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Proposes a text for a file.
    pub(crate) fn propose(&self, path: String, text: &str) -> Proposal {
        let tab = format!("tab of {path}");
        let arguments = json!({
            "old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": tab,
        });
        Proposal { call: self.send_tool_call(OPEN_DIFF, &arguments), path, tab }
    }

    /// Waits for the response to a request.
    pub(crate) async fn wait_for_response(&self, id: i64, patience: Duration) -> Option<Value> {
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        self.wait(patience, |(_, message)| is_it(message).then(|| message.clone())).await
    }

    /// Sends a request, and waits for the response.
    ///
    /// # Errors
    /// [`NotPassed::Skip`](crate::check_ending::NotPassed::Skip) if no response comes: other checks judge
    /// that.
    pub(crate) async fn request(&self, method: &str, params: &Value) -> Checked<Value> {
        let response = self.wait_for_response(self.send_request(method, params), self.timeouts.answer).await;
        response.map_or_else(|| skip(format!("{method} was not answered")), Ok)
    }

    /// Calls a tool, and waits for the response.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub(crate) async fn call_tool(&self, tool: &str, arguments: &Value) -> Checked<Value> {
        let response =
            self.wait_for_response(self.send_tool_call(tool, arguments), self.timeouts.answer).await;
        response.map_or_else(|| skip(format!("{tool} was not answered")), Ok)
    }

    /// Returns the notifications so far.
    pub(crate) fn notifications(&self) -> Vec<Received> {
        let is_notification =
            |(_, message): &&Received| message["method"].is_string() && message["id"].is_null();
        self.received.borrow().iter().filter(is_notification).cloned().collect()
    }

    /// Waits for the first message for which `fits` returns a value. `None` if the time is up, or the
    /// connection has ended.
    pub(crate) async fn wait<T>(
        &self,
        patience: Duration,
        fits: impl Fn(&Received) -> Option<T>,
    ) -> Option<T> {
        within(patience, self.find(fits)).await.flatten()
    }

    async fn find<T>(&self, fits: impl Fn(&Received) -> Option<T>) -> Option<T> {
        let (mut found, mut from) = (None, 0);
        let is_there = |received: &Vec<Received>| {
            found = received[from..].iter().find_map(&fits);
            from = received.len();
            found.is_some()
        };
        self.received.clone().wait_for(is_there).await.ok()?;
        found
    }

    /// Waits for the end of the connection.
    pub(crate) async fn ended(&self) {
        self.find(|(_, message)| (*message == END).then_some(())).await;
    }
}

/// Sends and records messages until the agent is dropped or the connection ends.
async fn run_connection(
    mut socket: Socket,
    mut outgoing: UnboundedReceiver<String>,
    record: impl Fn(Value),
    evidence: Evidence,
) {
    loop {
        tokio::select! {
            text = outgoing.recv() => match text {
                Some(text) => {
                    if socket.send(Message::text(text)).await.is_err() {
                        break;
                    }
                }
                None => return close(socket).await,
            },
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    evidence.note(format!("← {}", text.as_str()));
                    let Some(message) = parse(text.as_str()).filter(Value::is_object) else { continue };
                    let ping = (message["method"] == "ping").then(|| message["id"].clone());
                    record(message);
                    if let Some(id) = ping {
                        let pong = json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string();
                        let _ = socket.send(Message::text(pong)).await;
                    }
                }
                // Pings are answered by the library.
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            },
        }
    }
    evidence.note("← the connection ended");
    record(END);
}

/// Closes the diffs that the agent left open, as agents do, and then the WebSocket.
async fn close(mut socket: Socket) {
    let params = json!({ "name": CLOSE_ALL_DIFF_TABS, "arguments": {} });
    let closes = json!({ "jsonrpc": "2.0", "id": "goodbye", "method": "tools/call", "params": params });
    let closing = async {
        if socket.send(Message::text(closes.to_string())).await.is_ok() && socket.close(None).await.is_ok() {
            while let Some(Ok(_)) = socket.next().await {}
        }
    };
    within(CLOSE_TIMEOUT, closing).await;
}

/// Returns the texts of an answer, in order.
pub(crate) fn texts(answer: &Value) -> Vec<&str> {
    let items = answer["result"]["content"].as_array().into_iter().flatten();
    items
        .map(|item| match (&item["type"], &item["text"]) {
            (Value::String(kind), Value::String(text)) if kind == "text" => text.as_str(),
            _ => "(no text)",
        })
        .collect()
}

/// Whether an agent reads this answer to `openDiff` as an acceptance.
pub(crate) fn is_accepting(answer: &Value) -> bool {
    matches!(texts(answer).first(), Some(&("FILE_SAVED" | "TAB_CLOSED")))
}
