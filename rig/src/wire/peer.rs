//! An agent of the tests, with a session. Each of its requests has a connection of its own.

use alongside_agent::Endpoint;
use alongside_agent::wire::Caller;
use serde_json::{Value, json};

use super::{INITIALIZED, Raw, Response, Stream, VERSION, initialize};

/// A session with a companion.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The port of the companion, or of a proxy in front of the companion.
    pub port: u16,
    /// The bearer token.
    pub token: String,
    /// The session id; `None` before `initialize`.
    pub session: Option<String>,
    /// The version header; `None` leaves it out.
    pub version: Option<String>,
}

impl Peer {
    /// Creates a peer that knows the token and has no session.
    pub fn stranger(port: u16, token: &str) -> Self {
        Self { port, token: token.to_owned(), session: None, version: None }
    }

    /// Begins a session as agents do.
    pub async fn join(port: u16, token: &str) -> Self {
        Self::join_with(port, token, "gemini-cli-mcp-client", VERSION).await
    }

    /// Begins a session under another name or with another version.
    pub async fn join_with(port: u16, token: &str, name: &str, version: &str) -> Self {
        let mut peer = Self::stranger(port, token);
        let answer = peer.initialize(name, version).await;
        assert_eq!(answer.status(), 200, "{}", answer.text());
        peer.session = Some(answer.head.get("mcp-session-id").expect("a session id").to_owned());
        peer.version =
            Some(answer.json()["result"]["protocolVersion"].as_str().expect("a version").to_owned());
        let answer = peer.post(INITIALIZED).await;
        assert_eq!(answer.status(), 202, "agents open no stream after anything but 202");
        peer
    }

    /// POSTs `initialize`, and does not keep the session of the response.
    pub async fn initialize(&self, name: &str, version: &str) -> Response {
        self.post(initialize(name, "1.2.3", version)).await
    }

    /// Returns the head of a request up to its last header. Further headers may follow, and an empty line
    /// must.
    pub fn head(&self, method: &'static str) -> String {
        self.caller().bare_request(method).open_head()
    }

    /// Returns the complete head of a POST.
    pub fn post_head(&self, length: usize) -> String {
        String::from_utf8(self.caller().request("POST").head(length)).expect("headers are text")
    }

    fn caller(&self) -> Caller {
        let caller = Caller::new(Endpoint::local(self.port), Some(&self.token));
        Caller { session: self.session.clone(), version: self.version.clone(), ..caller }
    }

    /// POSTs a body.
    pub async fn post(&self, body: impl AsRef<[u8]>) -> Response {
        let mut raw = Raw::dial(self.port).await;
        raw.send(self.post_head(body.as_ref().len())).await;
        raw.send(body).await;
        raw.answer().await
    }

    /// POSTs a request and returns the whole reply.
    pub async fn request(&self, id: u64, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = self.post(message.to_string()).await;
        assert_eq!(answer.status(), 200, "{}", answer.text());
        assert_eq!(answer.head.get("content-type"), Some("application/json"));
        let reply = answer.json();
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Calls a tool and returns its result.
    pub async fn call(&self, id: u64, tool: &str, arguments: Value) -> Value {
        let reply = self.request(id, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(reply["result"].is_object(), "no result: {reply}");
        reply["result"].clone()
    }

    /// Opens a diff, which must succeed.
    pub async fn open_diff(&self, id: u64, path: &str, text: &str) {
        let result = self.call(id, "openDiff", json!({ "filePath": path, "newContent": text })).await;
        assert_eq!(result, json!({ "content": [] }));
    }

    /// Closes a diff, and returns the JSON in the text block.
    pub async fn close_diff(&self, id: u64, path: &str) -> Value {
        let result =
            self.call(id, "closeDiff", json!({ "filePath": path, "suppressNotification": true })).await;
        assert_eq!(result.get("isError"), None, "{result}");
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
        assert_eq!(result["content"][0]["type"], "text");
        serde_json::from_str(result["content"][0]["text"].as_str().expect("text"))
            .expect("JSON in the text block")
    }

    /// Opens the stream.
    pub async fn listen(&self) -> Stream {
        Stream::over(self.get().await).await
    }

    /// Sends a GET, and does not read the response.
    pub async fn get(&self) -> Raw {
        let mut raw = Raw::dial(self.port).await;
        raw.send(self.caller().request("GET").bytes()).await;
        raw
    }

    /// Sends the DELETE that ends the session.
    pub async fn delete(&self) -> Response {
        let mut raw = Raw::dial(self.port).await;
        raw.send(format!("{}\r\n", self.head("DELETE"))).await;
        raw.answer().await
    }

    /// Answers a ping.
    pub async fn pong(&self, ping: &Value) {
        assert_eq!(ping["method"], "ping", "{ping}");
        let answer = self.post(json!({ "jsonrpc": "2.0", "id": ping["id"], "result": {} }).to_string()).await;
        assert_eq!(answer.status(), 202, "{}", answer.text());
    }

    /// Waits for the ping after an outcome, and answers it: the receipt.
    pub async fn acknowledge(&self, stream: &mut Stream) {
        self.pong(&stream.wait_for("ping").await).await;
    }
}

/// Returns the body of an `openDiff`.
pub fn open_diff_call(id: u64, path: &str, text: &str) -> String {
    let params = json!({ "name": "openDiff", "arguments": { "filePath": path, "newContent": text } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}
