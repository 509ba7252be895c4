//! The client with companions that are scripted byte by byte: what it sends, and how it handles unusual
//! answers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alongside_agent::{Endpoint, Error, Identity, Outcome, Session, StreamState, bridge, get_status};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(20);

/// A received request: head and body.
#[derive(Debug, Clone)]
struct Request {
    head: String,
    body: String,
}

impl Request {
    fn is(&self, start: &str) -> bool {
        self.head.starts_with(start)
    }

    fn asks(&self, method: &str) -> bool {
        self.body.contains(&format!("\"method\":\"{method}\""))
    }

    /// Returns the reply with this result.
    fn reply(&self, result: &Value) -> String {
        let request: Value = serde_json::from_str(&self.body).unwrap();
        json_body(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string())
    }
}

/// A companion that answers with the result of `script`. Each connection carries a single request.
struct Fake {
    port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Fake {
    fn start(script: impl Fn(&Request) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, script) = (Arc::clone(&seen), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &log, &*script));
            }
        });
        Self { port, seen }
    }

    async fn connect(&self) -> Result<Session, Error> {
        let connecting = Session::connect(self.endpoint(), Some("s3cret"), Identity::new("test", "1"));
        timeout(TIMEOUT, connecting).await.expect("connect returns")
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::local(self.port)
    }

    /// Waits until a request fits.
    async fn saw(&self, what: &str, fits: impl Fn(&Request) -> bool) -> Request {
        for _ in 0..400 {
            if let Some(request) = self.seen.lock().unwrap().iter().find(|request| fits(request)) {
                return request.clone();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("awaited {what}; saw {:#?}", self.seen.lock().unwrap());
    }

    fn count(&self, fits: impl Fn(&Request) -> bool) -> usize {
        self.seen.lock().unwrap().iter().filter(|request| fits(request)).count()
    }
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    script: &dyn Fn(&Request) -> String,
) -> Option<()> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let head_end = loop {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let length =
        head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    while bytes.len() < head_end + length.unwrap_or(0usize) {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    let request = Request { head, body: String::from_utf8_lossy(&bytes[head_end..]).into_owned() };
    log.lock().unwrap().push(request.clone());
    stream.write_all(script(&request).as_bytes()).ok()
}

fn json_body(body: &str) -> String {
    let head = "HTTP/1.1 200 OK\r\nmcp-session-id: s1\r\nconnection: close\r\ncontent-type: application/json";
    format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn status(code: &str) -> String {
    format!("HTTP/1.1 {code}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

/// Returns an event stream that ends with the connection.
fn events(events: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n{events}")
}

/// Returns an event with a notification, as a companion writes it.
fn notification(method: &str, params: &Value) -> String {
    format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

/// Answers `initialize` and `initialized` properly, and leaves other requests to `rest`.
fn proper(rest: impl Fn(&Request) -> String) -> impl Fn(&Request) -> String {
    move |request| {
        if request.asks("initialize") {
            json_body(INITIALIZED)
        } else if request.asks("notifications/initialized") {
            status("202 Accepted")
        } else {
            rest(request)
        }
    }
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{
    "protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}}"#;

#[tokio::test]
async fn requests_name_token_session_and_version() {
    let fake = Fake::start(proper(|_| status("405 Method Not Allowed")));
    let session = fake.connect().await.unwrap();
    let get = fake.saw("the GET", |request| request.is("GET")).await.head;
    assert!(get.contains("authorization: Bearer s3cret") && get.contains("mcp-session-id: s1"), "{get}");
    assert!(
        get.contains("mcp-protocol-version: 2025-06-18") && get.contains("accept: text/event-stream"),
        "{get}"
    );
    session.end().await.unwrap();
    fake.saw("the DELETE", |request| request.is("DELETE") && request.head.contains("mcp-session-id: s1"))
        .await;
}

#[tokio::test]
async fn initialized_answered_with_200_is_an_error() {
    let fake = Fake::start(|request| json_body(if request.asks("initialize") { INITIALIZED } else { "" }));
    let error = fake.connect().await.unwrap_err();
    assert!(matches!(&error, Error::OffContract { why, .. } if why.contains("202")), "{error}");
}

#[tokio::test]
async fn an_error_names_url_status_and_remedy_and_never_the_token() {
    let fake = Fake::start(|_| status("401 Unauthorized"));
    let error = fake.connect().await.unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(text.contains(&fake.endpoint().url()) && text.contains("401") && text.contains("discovery file"));
    assert!(!text.contains("s3cret"), "{text}");
    let gone = get_status(&Endpoint::local(1), "s3cret").await.unwrap_err();
    assert!(gone.to_string().contains("127.0.0.1:1/status"), "{gone}");
}

#[tokio::test]
async fn a_reply_may_come_as_a_stream_with_other_messages_before_it() {
    let fake = Fake::start(proper(|request| {
        if request.asks("tools/list") {
            let state = json!({ "workspaceState": { "openFiles": [{ "path": "/a", "timestamp": 1 }] } });
            let update = notification("ide/contextUpdate", &state);
            let reply = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"openDiff"}]}}"#;
            events(&format!(": a comment\n\ndata: \n\nevent: message\n{update}data: {reply}\n\n"))
        } else {
            status("405 Method Not Allowed")
        }
    }));
    let session = fake.connect().await.unwrap();
    let tools = session.list_tools().await.unwrap();
    assert_eq!(tools[0].name, "openDiff");
    assert_eq!(session.context().borrow().as_ref().unwrap().open_files()[0].path, "/a");
}

#[tokio::test]
async fn a_ping_of_the_companion_is_answered() {
    let fake = Fake::start(proper(|request| {
        if request.is("GET") {
            events("data: {\"jsonrpc\":\"2.0\",\"id\":\"p7\",\"method\":\"ping\"}\n\n")
        } else {
            status("202 Accepted")
        }
    }));
    let _session = fake.connect().await.unwrap();
    fake.saw("the answer", |request| request.body == r#"{"jsonrpc":"2.0","id":"p7","result":{}}"#).await;
}

#[tokio::test]
async fn a_lost_stream_loses_the_waiting_diffs() {
    let opened = Mutex::new(false);
    let fake = Fake::start(proper(move |request| {
        if request.asks("tools/call") {
            request.reply(&json!({ "content": [] }))
        } else if std::mem::replace(&mut *opened.lock().unwrap(), true) {
            status("503 Service Unavailable")
        } else {
            events(": hello\n\n")
        }
    }));
    let session = fake.connect().await.unwrap();
    let pending = session.open_diff("/p/a", "x").await.unwrap();
    assert_eq!(timeout(TIMEOUT, pending.outcome()).await.expect("an outcome"), Outcome::Lost);
    session.stream().wait_for(|state| *state == StreamState::Lost).await.unwrap();
    assert_eq!(fake.count(|request| request.is("GET")), 3, "the stream and two more tries");
    let late = session.open_diff("/p/b", "x").await.unwrap();
    assert_eq!(late.outcome().await, Outcome::Lost);
}

#[tokio::test]
async fn outcomes_reach_the_diff_of_their_path_only() {
    let calls = AtomicUsize::new(0);
    let fake = Fake::start(proper(move |request| {
        if request.asks("tools/call") {
            calls.fetch_add(1, Ordering::SeqCst);
            return request.reply(&json!({ "content": [] }));
        }
        while calls.load(Ordering::SeqCst) < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let accepted = |file: &str, content: &str| {
            notification("ide/diffAccepted", &json!({ "filePath": file, "content": content }))
        };
        let rejected = notification("ide/diffRejected", &json!({ "filePath": "/b" }));
        // A Rust string cannot hold half of a surrogate pair.
        let lone = accepted("/a", "yLONE").replace("LONE", "\\ud800");
        events(&[accepted("/c", ""), rejected, lone].concat())
    }));
    let session = fake.connect().await.unwrap();
    let a = session.open_diff("/a", "x").await.unwrap();
    let b = session.open_diff("/b", "x").await.unwrap();
    assert_eq!(
        timeout(TIMEOUT, a.outcome()).await.unwrap(),
        Outcome::Accepted { content: "y\u{fffd}".into() }
    );
    assert_eq!(timeout(TIMEOUT, b.outcome()).await.unwrap(), Outcome::Rejected);
}

#[tokio::test]
async fn close_diff_reads_json_in_text_and_refuses_plain_text() {
    let calls = AtomicUsize::new(0);
    let fake = Fake::start(proper(move |request| {
        if !request.asks("tools/call") {
            return status("405 Method Not Allowed");
        }
        let text = [r#"{"content":"mine"}"#, "{}", "mine"][calls.fetch_add(1, Ordering::SeqCst)];
        request.reply(&json!({ "content": [{ "type": "text", "text": text }] }))
    }));
    let session = fake.connect().await.unwrap();
    assert_eq!(session.close_diff("/a", true).await.unwrap().as_deref(), Some("mine"));
    assert_eq!(session.close_diff("/a", false).await.unwrap(), None);
    assert!(matches!(session.close_diff("/a", false).await, Err(Error::OffContract { .. })));
}

#[tokio::test]
async fn a_bridge_answers_requests_that_it_cannot_forward() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    // No program listens on port 1.
    let bridging = tokio::spawn(bridge::run(Endpoint::local(1), Some("s3cret"), input, output));
    let (replies, mut lines) = tokio::io::split(ours);
    lines.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"initialize\"}\n").await.unwrap();
    let mut reply = String::new();
    timeout(TIMEOUT, BufReader::new(replies).read_line(&mut reply)).await.expect("a reply").unwrap();
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(reply["id"], "q");
    assert!(reply["error"]["message"].as_str().unwrap().contains("127.0.0.1:1"), "{reply}");
    lines.shutdown().await.unwrap();
    timeout(TIMEOUT, bridging).await.expect("the bridge ends at the end of its input").unwrap().unwrap();
}

#[tokio::test]
async fn a_bridge_reopens_the_stream_and_ends_the_session() {
    let gets = Mutex::new(0);
    let fake = Fake::start(proper(move |request| {
        if !request.is("GET") {
            return status("200 OK");
        }
        let mut gets = gets.lock().unwrap();
        *gets += 1;
        events(&format!("data: {{\"jsonrpc\":\"2.0\",\ndata: \"method\":\"n{gets}\"}}\n\n"))
    }));
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    let bridging = tokio::spawn(bridge::run(fake.endpoint(), Some("s3cret"), input, output));
    let (replies, mut lines) = tokio::io::split(ours);
    let initialize = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n\n";
    let initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    lines.write_all(format!("{initialize}{initialized}").as_bytes()).await.unwrap();
    let mut replies = BufReader::new(replies).lines();
    for expected in ["\"id\":0", "\"method\":\"n1\"", "\"method\":\"n2\""] {
        let line = timeout(TIMEOUT, replies.next_line()).await.expect("a line").unwrap().unwrap();
        assert!(line.contains(expected), "awaited {expected}, got {line}");
    }
    lines.shutdown().await.unwrap();
    timeout(TIMEOUT, bridging).await.expect("the bridge ends at the end of its input").unwrap().unwrap();
    fake.saw("the DELETE", |request| request.is("DELETE")).await;
}
