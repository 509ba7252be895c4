//! The agent library against the real companion: discovery, connection, bridge.

use std::collections::HashMap;

use alongside_agent::find::{self, Surroundings, Why};
use alongside_agent::{Endpoint, Error, Identity, Outcome, Session, bridge};
use alongside_companion::desk::{ActiveFile, ContextReport, Decision, Request, Review};
use alongside_contract::agent::FamilyAgent;
use alongside_contract::context::IdeContext;
use alongside_rig::wire::within;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::stage::Stage;

fn surroundings(stage: &Stage, cwd: &str) -> Surroundings {
    Surroundings {
        tmp: stage.temp.path().join("tmp"),
        home: stage.temp.path().join("home"),
        variables: HashMap::new(),
        cwd: stage.temp.path().join(cwd),
        pid: std::process::id(),
    }
}

async fn connect(stage: &Stage) -> Session {
    let identity = Identity::new("gemini-cli-mcp-client", "0.61.0");
    let session = Session::connect(Endpoint::local(stage.port()), Some(stage.companion.token()), identity);
    within("a session", session).await.unwrap()
}

/// Returns the agents in the companion's status.
async fn agents(stage: &Stage) -> Value {
    let endpoint = Endpoint::local(stage.port());
    let status = alongside_agent::get_status(&endpoint, stage.companion.token()).await.unwrap();
    status["agents"].clone()
}

#[tokio::test]
async fn families_find_the_companion_from_its_workspace_only() {
    let stage = Stage::new().await;
    std::fs::create_dir_all(stage.path("deep/down")).unwrap();
    // OLA Code was started once: for an agent without a directory of its own, a companion creates none.
    let ola = stage.temp.path().join("home/.ola");
    assert!(!ola.exists());
    std::fs::create_dir(&ola).unwrap();
    let is_published = || ola.join("ide").join(format!("{}.lock", stage.port())).exists();
    within("the file of OLA Code", async {
        while !is_published() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    // LLxprt Code searches by process; the release matrix covers that.
    for command in ["gemini", "qwen", "ola"] {
        let agent = FamilyAgent::of_command(command).unwrap();
        let search = find::candidates(agent, &surroundings(&stage, "project/deep/down"));
        let found = search.found.first().unwrap_or_else(|| panic!("{command} finds nothing: {search:?}"));
        assert_eq!(found.record.port, stage.port(), "{command}");
        let endpoint = Endpoint::local(found.record.port);
        let identity = Identity::new(command, "1");
        let session = Session::connect(endpoint, found.record.auth_token.as_deref(), identity);
        let session = within("a session", session).await.unwrap();
        assert_eq!(agents(&stage).await[0]["name"], agent.display_name);
        session.end().await.unwrap();
        assert!(matches!(found.why, Why::Workspace | Why::EditorPid), "{command}: {:?}", found.why);
        let elsewhere = find::candidates(agent, &surroundings(&stage, "home"));
        assert!(elsewhere.found.is_empty(), "{command} finds a companion from outside its workspace");
    }
    let records = find::all_records(&surroundings(&stage, "home"));
    assert_eq!(records.len(), 1, "one companion, however many files: {records:?}");
}

#[tokio::test]
async fn an_agent_proposes_and_the_person_edits_and_accepts() {
    let mut stage = Stage::new().await;
    let session = connect(&stage).await;
    let tools: Vec<String> = session.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert!(tools.contains(&"openDiff".to_owned()) && tools.contains(&"closeDiff".to_owned()));
    let path = stage.path("a.txt");
    let pending = session.open_diff(&path, "proposed\n").await.unwrap();
    let review = stage.review().await;
    let revision = stage.edit(&review, "edited\n").await;
    stage.decide(&Review { revision, ..review }, Decision::Accept).await.unwrap();
    let outcome = within("the outcome", pending.outcome()).await;
    assert_eq!(outcome, Outcome::Accepted { content: "edited\n".into() });
    assert!(!std::path::Path::new(&path).exists(), "the agent writes, the companion never does");
}

#[tokio::test]
async fn agent_gets_rejection_and_context() {
    let mut stage = Stage::new().await;
    let session = connect(&stage).await;
    let pending = session.open_diff(&stage.path("a.txt"), "proposed\n").await.unwrap();
    stage.reject().await;
    assert_eq!(within("the outcome", pending.outcome()).await, Outcome::Rejected);
    let file = stage.file("open.txt", "x\n");
    let active = ActiveFile { path: file.clone(), ..ActiveFile::default() };
    let report = ContextReport { active: Some(active), ..ContextReport::default() };
    stage.desk.request(Request::ChangeContext(report)).await.unwrap();
    let mut context = session.context();
    let is_first =
        |context: &IdeContext| context.open_files().first().is_some_and(|first| first.path == file);
    let opened = context.wait_for(|context| context.as_ref().is_some_and(is_first));
    within("the open file", opened).await.unwrap();
}

#[tokio::test]
async fn close_after_answer_in_own_prompt_returns_text_again() {
    let mut stage = Stage::new().await;
    let session = connect(&stage).await;
    let path = stage.path("a.txt");
    let _pending = session.open_diff(&path, "proposed\n").await.unwrap();
    stage.review().await;
    for _ in 0..2 {
        assert_eq!(session.close_diff(&path, true).await.unwrap().as_deref(), Some("proposed\n"));
    }
    assert_eq!(session.close_diff(&stage.path("other"), true).await.unwrap(), None);
    let error = session.open_diff("relative", "x").await.unwrap_err();
    assert!(matches!(&error, Error::Tool { message, .. } if message.contains("absolute")), "{error}");
}

#[tokio::test]
async fn stopping_companion_rejects_the_diff_and_says_so() {
    let mut stage = Stage::new().await;
    let session = connect(&stage).await;
    let pending = session.open_diff(&stage.path("a.txt"), "proposed\n").await.unwrap();
    stage.review().await;
    within("the companion to stop", stage.companion.stop()).await;
    assert_eq!(within("the outcome", pending.outcome()).await, Outcome::Rejected);
}

#[tokio::test]
async fn an_agent_that_ends_its_session_is_gone_at_once() {
    let stage = Stage::new().await;
    let session = connect(&stage).await;
    assert_eq!(agents(&stage).await[0]["name"], "Gemini CLI");
    session.end().await.unwrap();
    assert_eq!(agents(&stage).await, json!([]));
}

/// A running bridge, with its input and the lines of its output.
struct RunningBridge {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
    input: tokio::io::WriteHalf<tokio::io::DuplexStream>,
    bridge: tokio::task::JoinHandle<Result<(), Error>>,
}

impl RunningBridge {
    fn start(stage: &Stage) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let (endpoint, token) = (Endpoint::local(stage.port()), stage.companion.token().to_owned());
        let bridge = tokio::spawn(async move { bridge::run(endpoint, Some(&token), input, output).await });
        let (read, input) = tokio::io::split(ours);
        Self { lines: BufReader::new(read).lines(), input, bridge }
    }

    async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Waits for a line that `fits`, and returns it. Fails if a line other than a context comes before it.
    async fn receive(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = within(what, self.lines.next_line()).await.unwrap().expect("the bridge is open");
            let message: Value = serde_json::from_str(&line).expect("a line is a message");
            if fits(&message) {
                return message;
            }
            assert_eq!(message["method"], "ide/contextUpdate", "waited for {what}");
        }
    }

    async fn initialize(&mut self) {
        let client = json!({ "name": "qwen-code-mcp-client", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        self.send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).await;
        let reply = self.receive("the reply to initialize", |message| message["id"] == 0).await;
        assert_eq!(reply["result"]["protocolVersion"], "2025-06-18");
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        self.receive("the context", |message| message["method"] == "ide/contextUpdate").await;
    }
}

#[tokio::test]
async fn stdio_agent_finishes_a_review_of_the_running_companion() {
    let mut stage = Stage::new().await;
    let mut agent = RunningBridge::start(&stage);
    agent.initialize().await;
    let path = stage.path("a.txt");
    let call = json!({ "name": "openDiff", "arguments": { "filePath": path, "newContent": "x\n" } });
    agent.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call })).await;
    let reply = agent.receive("the reply to openDiff", |message| message["id"] == 1).await;
    assert_eq!(reply["result"], json!({ "content": [] }));
    stage.accept().await;
    let outcome = agent.receive("the outcome", |message| message["method"] == "ide/diffAccepted").await;
    assert_eq!(outcome["params"], json!({ "filePath": path, "content": "x\n" }));
    let ping = agent.receive("the ping", |message| message["method"] == "ping").await;
    agent.send(json!({ "jsonrpc": "2.0", "id": ping["id"], "result": {} })).await;
    agent.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "nonsense/method" })).await;
    let reply = agent.receive("an error", |message| message["id"] == 2).await;
    assert_eq!(reply["error"]["code"], -32601);

    agent.input.shutdown().await.unwrap();
    within("the bridge to end", agent.bridge).await.unwrap().unwrap();
    assert_eq!(agents(&stage).await, json!([]), "the session ended with the bridge");
}

#[tokio::test]
async fn a_bridge_survives_junk_and_answers_what_fails() {
    let stage = Stage::new().await;
    let mut agent = RunningBridge::start(&stage);
    agent.initialize().await;
    agent.input.write_all(b"this is no JSON\n\n\r\n").await.unwrap();
    let error = agent.receive("a parse error", |message| message.get("error").is_some()).await;
    assert_eq!(error["error"]["code"], -32700);
    agent.send(json!({ "jsonrpc": "2.0", "id": "still", "method": "ping" })).await;
    agent.receive("a pong", |message| message["id"] == "still").await;
}

#[tokio::test]
async fn a_bridge_whose_companion_has_stopped_answers_with_errors() {
    let stage = Stage::new().await;
    let mut agent = RunningBridge::start(&stage);
    agent.initialize().await;
    let Stage { companion, temp: _temp, desk: _desk } = stage;
    within("the companion to stop", companion.stop()).await;
    agent.send(json!({ "jsonrpc": "2.0", "id": "q", "method": "ping" })).await;
    let error = agent.receive("an error", |message| message["id"] == "q").await;
    assert!(error["error"]["message"].as_str().unwrap().contains("127.0.0.1"), "{error}");
}
