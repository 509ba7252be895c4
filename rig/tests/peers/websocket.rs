//! Agents over a WebSocket: which connections are accepted, and how each call ends.

use std::time::Duration;

use alongside_companion::desk::{Closing, Decision, Request};
use alongside_rig::wire::within;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::stage::Stage;

/// The header with the token.
const TOKEN_HEADER: &str = "x-claude-code-ide-authorization";

/// A connected agent.
pub(crate) struct Agent {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    calls: i64,
}

/// Opens a WebSocket with these headers, and returns it with the headers of the response.
async fn open(
    port: u16,
    headers: &[(&'static str, &str)],
) -> Result<(Agent, tungstenite::http::HeaderMap), tungstenite::Error> {
    let mut request = format!("ws://127.0.0.1:{port}/").into_client_request()?;
    for (name, value) in headers {
        request.headers_mut().append(*name, value.parse().unwrap());
    }
    let (socket, response) = within("the connection", connect_async(request)).await?;
    Ok((Agent { socket, calls: 0 }, response.headers().clone()))
}

impl Agent {
    /// Connects an agent and initializes its session.
    pub(crate) async fn join(stage: &Stage) -> Self {
        let (mut agent, _) = open(stage.port(), &[(TOKEN_HEADER, stage.companion.token())]).await.unwrap();
        let client = json!({ "name": "claude-code", "version": "2.1.332" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let id = agent.ask("initialize", &params).await;
        assert_eq!(agent.answer(id).await["result"]["protocolVersion"], "2025-11-25");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        agent
    }

    async fn send(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.calls += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params })).await;
        self.calls
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: &Value) -> i64 {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments })).await
    }

    async fn propose(&mut self, file: &str, text: &str) -> i64 {
        let tab = format!("tab of {file}");
        let arguments = json!({
            "old_file_path": file, "new_file_path": file, "new_file_contents": text, "tab_name": tab,
        });
        self.call("openDiff", &arguments).await
    }

    /// Waits for the next message, and returns it, or null at the end of the connection.
    async fn next(&mut self) -> Value {
        loop {
            match within("a message", self.socket.next()).await {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(text.as_str()).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return Value::Null,
            }
        }
    }

    /// Waits for the answer to a request, and returns it. Notifications that come before it are ignored, and
    /// pings are answered.
    pub(crate) async fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.next().await;
            assert!(!message.is_null(), "the connection has ended");
            if message["method"] == "ping" {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} })).await;
            } else if message["id"] == id {
                return message;
            }
            assert!(message["method"].is_string(), "another answer: {message}");
        }
    }

    /// Fails if an earlier request is answered. Lists the tools for that: after this answer, no answer to an
    /// earlier request can come.
    pub(crate) async fn assert_no_earlier_answer(&mut self) {
        let id = self.ask("tools/list", &json!({})).await;
        let tools = self.answer(id).await;
        assert_eq!(tools["result"]["tools"][0]["name"], "openDiff");
    }

    /// Waits for the first selection, which shows that the companion sends events to the agent.
    pub(crate) async fn wait_until_listening(&mut self) {
        self.selection().await;
    }

    /// Waits for the next file that the person adds to the agent's prompt, and returns it.
    pub(crate) async fn mention(&mut self) -> Value {
        loop {
            let message = self.next().await;
            if message["method"] == "at_mentioned" {
                return message["params"].clone();
            }
        }
    }

    /// Waits for the next selection, and returns it.
    pub(crate) async fn selection(&mut self) -> Value {
        loop {
            let message = self.next().await;
            if message["method"] == "selection_changed" {
                return message["params"].clone();
            }
        }
    }
}

/// Returns the texts of a result's blocks.
pub(crate) fn texts(answer: &Value) -> Vec<&str> {
    let content = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
    content.iter().map(|block| block["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_websocket_needs_the_token_and_comes_from_no_web_page() {
    let stage = Stage::with(|builder| builder.allow_tokenless_agents(true)).await;
    let token = stage.companion.token().to_owned();
    let status = |opened: Result<_, tungstenite::Error>| match opened {
        Err(tungstenite::Error::Http(response)) => response.status().as_u16(),
        Ok(_) => 101,
        Err(other) => panic!("{other}"),
    };
    for (headers, expected) in [
        (vec![(TOKEN_HEADER, &*token), ("sec-websocket-protocol", "mcp")], 101),
        (vec![(TOKEN_HEADER, "wrong")], 401),
        (vec![], 401),
        (vec![(TOKEN_HEADER, &*token), ("origin", "http://localhost:3000")], 403),
    ] {
        assert_eq!(status(open(stage.port(), &headers).await), expected, "{headers:?}");
    }
    let offered = [
        (TOKEN_HEADER, &*token),
        ("sec-websocket-protocol", "mcp"),
        ("sec-websocket-extensions", "permessage-deflate"),
    ];
    let (_, headers) = open(stage.port(), &offered).await.unwrap();
    assert_eq!(headers["sec-websocket-protocol"], "mcp");
    assert!(!headers.contains_key("sec-websocket-extensions"), "nothing is compressed");
}

#[tokio::test]
async fn a_call_stays_open_until_the_person_has_decided() {
    let mut stage = Stage::new().await;
    let file = stage.file("a.txt", "one\n");
    let mut agent = Agent::join(&stage).await;
    let call = agent.propose(&file, "ONE\n").await;
    let review = stage.review().await;
    assert_eq!((&*review.agent.name, review.agent.asks_itself), ("Claude Code", true));
    stage.edit(&review, "mine\n").await;
    let edited = alongside_companion::desk::Review { revision: 2, ..review };
    stage.decide(&edited, Decision::Accept).await.unwrap();
    assert_eq!(texts(&agent.answer(call).await), ["FILE_SAVED", "mine\n"]);

    let call = agent.propose(&file, "TWO\n").await;
    let review = stage.review().await;
    stage.decide(&review, Decision::Reject).await.unwrap();
    assert_eq!(texts(&agent.answer(call).await), ["DIFF_REJECTED", &format!("tab of {file}")]);
}

#[tokio::test]
async fn an_answer_in_the_agents_prompt_gets_no_other_one() {
    let mut stage = Stage::new().await;
    let files = ["a.txt", "b.txt"].map(|name| stage.file(name, "one\n"));
    let mut agent = Agent::join(&stage).await;
    agent.propose(&files[0], "ONE\n").await;
    let review = stage.review().await;
    for _ in 0..2 {
        let id = agent.call("close_tab", &json!({ "tab_name": format!("tab of {}", files[0]) })).await;
        assert_eq!(texts(&agent.answer(id).await), ["TAB_CLOSED"]);
    }
    assert_eq!(stage.next_closed().await.closing, Closing::AnsweredInAgent);
    assert!(stage.decide(&review, Decision::Accept).await.is_err());
    agent.assert_no_earlier_answer().await;

    for file in &files {
        agent.propose(file, "ONE\n").await;
        stage.review().await;
    }
    let id = agent.call("closeAllDiffTabs", &json!({})).await;
    assert_eq!(texts(&agent.answer(id).await), ["CLOSED_2_DIFF_TABS"]);
    agent.assert_no_earlier_answer().await;
}

/// The name of an earlier tab belongs to an earlier proposal.
#[tokio::test]
async fn closing_an_earlier_tab_of_a_file_leaves_the_newest_review() {
    let mut stage = Stage::new().await;
    let file = stage.file("a.txt", "one\n");
    let mut agent = Agent::join(&stage).await;
    let propose = |tab: &str, text: &str| {
        let mut call = json!({ "old_file_path": file, "new_file_path": file, "tab_name": tab });
        call["new_file_contents"] = text.into();
        call
    };
    agent.call("openDiff", &propose("first", "ONE\n")).await;
    stage.review().await;
    let call = agent.call("openDiff", &propose("second", "TWO\n")).await;
    let review = stage.review().await;
    let id = agent.call("close_tab", &json!({ "tab_name": "first" })).await;
    assert_eq!(texts(&agent.answer(id).await), ["TAB_CLOSED"]);
    stage.decide(&review, Decision::Accept).await.unwrap();
    assert_eq!(texts(&agent.answer(call).await), ["FILE_SAVED", "TWO\n"]);
}

#[tokio::test]
async fn one_tab_name_of_several_files_closes_all_of_them() {
    let mut stage = Stage::new().await;
    let files = ["a.txt", "b.txt", "c.txt"].map(|name| stage.file(name, "one\n"));
    let mut agent = Agent::join(&stage).await;
    for file in &files {
        let call = json!({
            "old_file_path": file, "new_file_path": file, "new_file_contents": "ONE\n", "tab_name": "same",
        });
        agent.call("openDiff", &call).await;
        stage.review().await;
    }
    let id = agent.call("close_tab", &json!({ "tab_name": "same" })).await;
    assert_eq!(texts(&agent.answer(id).await), ["TAB_CLOSED"]);
    for _ in &files {
        assert_eq!(stage.next_closed().await.closing, Closing::AnsweredInAgent);
    }
    let id = agent.call("closeAllDiffTabs", &json!({})).await;
    assert_eq!(texts(&agent.answer(id).await), ["CLOSED_0_DIFF_TABS"]);
}

/// A desk has 150 ms to send its unsent edits of all reviews together.
#[tokio::test]
async fn closing_many_tabs_waits_once_for_a_silent_desk() {
    const TABS: usize = 40;
    let mut stage = Stage::new().await;
    let mut agent = Agent::join(&stage).await;
    for number in 0..TABS {
        let file = stage.file(&format!("{number}.txt"), "one\n");
        agent.propose(&file, "ONE\n").await;
        stage.review().await;
    }
    let start = std::time::Instant::now();
    let id = agent.call("closeAllDiffTabs", &json!({})).await;
    assert_eq!(texts(&agent.answer(id).await), [format!("CLOSED_{TABS}_DIFF_TABS")]);
    // With 150 ms for each tab, closing would take 6 s.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test]
async fn ids_names_and_paths_have_a_limit() {
    let mut stage = Stage::new().await;
    let file = stage.file("a.txt", "one\n");
    let mut agent = Agent::join(&stage).await;
    let long = "x".repeat(1 << 20);
    agent.send(&json!({ "jsonrpc": "2.0", "id": long, "method": "ping" })).await;
    let refused = agent.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)));
    for (path, tab) in [(&file, &long), (&format!("/{long}"), &file)] {
        let call = json!({
            "old_file_path": path, "new_file_path": path, "new_file_contents": "ONE\n", "tab_name": tab,
        });
        let call = agent.call("openDiff", &call).await;
        let refused = agent.answer(call).await.to_string();
        assert!(refused.contains("longer than") && refused.len() < 1_000, "{refused}");
    }
    agent.propose(&file, "ONE\n").await;
    stage.review().await;
}

#[tokio::test]
async fn a_review_that_nobody_can_decide_is_an_error_and_no_rejection() {
    let mut stage = Stage::new().await;
    let file = stage.file("a.txt", "one\n");
    let mut agent = Agent::join(&stage).await;
    // A directory cannot be written as a file.
    let call = agent.propose(stage.temp.path().to_str().unwrap(), "x\n").await;
    assert!(agent.answer(call).await["error"]["message"].is_string());
    let call = agent.propose(&file, "ONE\n").await;
    stage.review().await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    let Stage { companion, .. } = stage;
    let (answer, ()) = tokio::join!(agent.answer(call), companion.stop());
    assert!(answer["error"]["message"].is_string(), "{answer}");
}

#[tokio::test]
async fn a_companion_that_stops_ends_every_connection() {
    let stage = Stage::new().await;
    // The first one has initialized its session, and the second one has sent nothing.
    let mut agents = [
        Agent::join(&stage).await,
        open(stage.port(), &[(TOKEN_HEADER, stage.companion.token())]).await.unwrap().0,
    ];
    let Stage { companion, .. } = stage;
    companion.stop().await;
    for agent in &mut agents {
        while !agent.next().await.is_null() {}
    }
}

#[tokio::test]
async fn the_reviews_of_a_broken_connection_close() {
    let mut stage = Stage::new().await;
    let file = stage.file("a.txt", "one\n");
    let mut agent = Agent::join(&stage).await;
    agent.propose(&file, "ONE\n").await;
    stage.review().await;
    drop(agent);
    assert_eq!(stage.next_closed().await.closing, Closing::AgentGone);
}

#[tokio::test]
async fn an_agent_gets_the_selection_and_an_empty_one_while_paused() {
    let stage = Stage::new().await;
    let file = stage.file("a.txt", "one\ntwo\nthree\n");
    let mut agent = Agent::join(&stage).await;
    let at = |line, character| alongside_companion::desk::Position { line, character };
    let active = alongside_companion::desk::ActiveFile {
        path: file.clone(),
        cursor: Some(at(1, 0)),
        anchor: Some(at(2, 5)),
        selected_text: Some("two\nthree".into()),
    };
    let report = alongside_companion::desk::ContextReport { active: Some(active), ..Default::default() };
    stage.desk.request(Request::ChangeContext(report)).await.unwrap();
    let selection = loop {
        let selection = agent.selection().await;
        if selection["text"] == "two\nthree" {
            break selection;
        }
    };
    assert_eq!((&selection["filePath"], &selection["selection"]["isEmpty"]), (&json!(file), &json!(false)));
    let range = json!([selection["selection"]["start"], selection["selection"]["end"]]);
    assert_eq!(range, json!([{"line": 1, "character": 0}, {"line": 2, "character": 5}]));
    assert_eq!(selection["fileUrl"], format!("file://{file}"));

    stage.desk.request(Request::PauseContext { paused: true }).await.unwrap();
    let selection = agent.selection().await;
    assert_eq!((&selection["filePath"], &selection["text"]), (&Value::Null, &Value::Null));
    assert_eq!(
        selection["selection"]["start"], selection["selection"]["end"],
        "without a range it would be ignored"
    );
}

#[tokio::test]
async fn bad_messages_get_an_error_and_the_connection_stays() {
    let stage = Stage::new().await;
    let mut agent = Agent::join(&stage).await;
    for bad in ["{", "[]", "7", r#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#] {
        agent.socket.send(Message::text(bad)).await.unwrap();
        let answer = agent.next().await;
        assert!(answer["error"]["code"].is_i64() && answer["id"].is_null(), "{bad}: {answer}");
    }
    for (method, params) in [
        ("initialize", json!({})),
        ("resources/list", json!({})),
        ("tools/call", json!({ "name": "rm", "arguments": {} })),
        ("tools/call", json!({ "name": "openDiff", "arguments": { "new_file_path": 7 } })),
        ("tools/call", json!({ "arguments": {} })),
    ] {
        let id = agent.ask(method, &params).await;
        assert!(agent.answer(id).await["error"]["message"].is_string(), "{method} {params}");
    }
    agent.socket.send(Message::binary(vec![0, 1])).await.unwrap();
    agent.assert_no_earlier_answer().await;
}
