//! An agent over a WebSocket asks about the editor, and the person adds files to its prompt.

use alongside_companion::DeskProfile;
use alongside_companion::desk::{
    ActiveFile, ContextReport, Desk, Diagnostic, Event, FileDiagnostics, Lines, OpenFile, Position, Refusal,
    Request,
};
use alongside_rig::wire::within;
use serde_json::{Value, json};

use crate::stage::Stage;
use crate::websocket::{Agent, texts};

/// Returns the JSON in the only text block of a result.
fn result(answer: &Value) -> Value {
    let [text] = texts(answer).try_into().unwrap();
    serde_json::from_str(text).unwrap()
}

async fn ask(agent: &mut Agent, tool: &str, arguments: &Value) -> Value {
    let id = agent.call(tool, arguments).await;
    result(&agent.answer(id).await)
}

/// Joins a desk that reports problems in files.
fn desk_with_diagnostics(stage: &Stage) -> Desk {
    stage.companion.join_as(DeskProfile { diagnoses: true, ..DeskProfile::default() }).1
}

/// Waits for the question for problems, and answers it.
async fn diagnose(desk: &mut Desk, files: Vec<FileDiagnostics>) {
    within("the question for problems", async {
        loop {
            if let Event::DiagnosticsWanted { number } = desk.next().await.unwrap() {
                desk.request(Request::Diagnostics { number, files }).await.unwrap();
                return;
            }
        }
    })
    .await;
}

fn problem(path: &str, message: &str) -> FileDiagnostics {
    let diagnostic = Diagnostic { message: message.into(), severity: Some(2), ..Diagnostic::default() };
    FileDiagnostics { path: path.into(), diagnostics: vec![diagnostic] }
}

/// Reports that the person has selected the second and third line of a file.
async fn select(stage: &Stage, file: &str) {
    let at = |line, character| Some(Position { line, character });
    let active = ActiveFile {
        path: file.into(),
        cursor: at(2, 5),
        anchor: at(1, 0),
        selected_text: Some("two\nthree".into()),
    };
    let open = vec![OpenFile { path: file.into(), dirty: true }];
    let report = ContextReport { active: Some(active), open_files: Some(open), trusted: None };
    stage.desk.request(Request::ChangeContext(report)).await.unwrap();
}

#[tokio::test]
async fn an_agent_gets_the_problems_of_files_that_it_may_know() {
    let stage = Stage::new().await;
    let (file, secret) = (stage.file("a.txt", "one\n"), stage.file(".env", "KEY=1\n"));
    let mut desk = desk_with_diagnostics(&stage);
    let mut agent = Agent::join(&stage).await;
    let id = agent.call("getDiagnostics", &json!({})).await;
    diagnose(&mut desk, vec![problem(&file, "unused"), problem(&secret, "secret")]).await;
    let place = json!({ "line": 0, "character": 0 });
    let diagnostics = json!([{
        "message": "unused", "severity": "Warning",
        "range": { "start": place, "end": place, "isEmpty": true },
    }]);
    let answer = agent.answer(id).await;
    assert_eq!(result(&answer), json!([{ "uri": format!("file://{file}"), "diagnostics": diagnostics }]));

    let id = agent.call("getDiagnostics", &json!({ "uri": format!("file://{secret}") })).await;
    diagnose(&mut desk, vec![problem(&secret, "secret")]).await;
    assert_eq!(result(&agent.answer(id).await)[0]["diagnostics"], json!([]));
}

#[tokio::test]
async fn a_silent_desk_delays_diagnostics_for_less_than_the_agent_waits() {
    let stage = Stage::new().await;
    let file = stage.file("a.txt", "one\n");
    let _silent = desk_with_diagnostics(&stage);
    let mut desk = desk_with_diagnostics(&stage);
    let mut agent = Agent::join(&stage).await;
    let id = agent.call("getDiagnostics", &json!({})).await;
    diagnose(&mut desk, vec![problem(&file, "unused")]).await;
    let start = std::time::Instant::now();
    assert_eq!(result(&agent.answer(id).await)[0]["diagnostics"][0]["message"], "unused");
    assert!(start.elapsed() < std::time::Duration::from_secs(1), "twice the agent's 500 ms");

    stage.desk.request(Request::PauseContext { paused: true }).await.unwrap();
    assert_eq!(ask(&mut agent, "getDiagnostics", &json!({})).await, json!([]));
}

#[tokio::test]
async fn editor_tools_return_the_context_and_change_nothing() {
    let stage = Stage::new().await;
    let file = stage.file("a.txt", "one\ntwo\nthree\n");
    let mut agent = Agent::join(&stage).await;
    assert_eq!(ask(&mut agent, "getCurrentSelection", &json!({})).await["success"], false);
    select(&stage, &file).await;
    while agent.selection().await["text"] != "two\nthree" {}

    for tool in ["getCurrentSelection", "getLatestSelection"] {
        let selection = ask(&mut agent, tool, &json!({})).await;
        assert_eq!((&selection["text"], &selection["filePath"]), (&json!("two\nthree"), &json!(file)));
        assert_eq!(selection["selection"]["end"], json!({ "line": 2, "character": 5 }));
    }
    let tabs = ask(&mut agent, "getOpenEditors", &json!({})).await;
    let tab = &tabs["tabs"][0];
    assert_eq!(
        (&tab["label"], &tab["isActive"], &tab["isDirty"]),
        (&json!("a.txt"), &json!(true), &json!(true))
    );
    let folders = ask(&mut agent, "getWorkspaceFolders", &json!({})).await;
    assert_eq!(folders["folders"][0]["name"], "project");

    let of = |path: &str| json!({ "filePath": path });
    assert_eq!(ask(&mut agent, "checkDocumentDirty", &of(&file)).await["isDirty"], true);
    assert_eq!(ask(&mut agent, "checkDocumentDirty", &of("/not/open")).await["success"], false);
    assert_eq!(ask(&mut agent, "saveDocument", &of(&file)).await["success"], false);
    let id = agent.call("openFile", &of(&file)).await;
    assert_eq!(agent.answer(id).await["result"]["isError"], true);
}

#[tokio::test]
async fn a_person_adds_lines_to_the_prompt_of_the_agent_used_last() {
    let mut stage = Stage::new().await;
    let (file, secret) = (stage.file("a.txt", "one\ntwo\nthree\n"), stage.file(".env", "KEY=1\n"));
    let mention = |path: Option<&str>, lines| Request::MentionFile {
        path: path.map(str::to_owned),
        lines,
        agent: None,
    };
    let reason = |result: Result<_, Refusal>| result.unwrap_err().to_string();
    assert!(reason(stage.desk.request(mention(Some(&file), None)).await).contains("Claude Code"));

    let mut first = Agent::join(&stage).await;
    let mut second = Agent::join(&stage).await;
    first.wait_until_listening().await;
    second.wait_until_listening().await;
    // The answers show that the companion has read all earlier messages of both agents.
    for agent in [&mut first, &mut second] {
        let id = agent.call("closeAllDiffTabs", &json!({})).await;
        agent.answer(id).await;
    }
    assert!(reason(stage.desk.request(mention(None, None)).await).contains("no active file"));
    stage.desk.request(mention(Some(&file), Some(Lines { start: 1, end: 3 }))).await.unwrap();
    assert_eq!(second.mention().await, json!({ "filePath": file, "lineStart": 1, "lineEnd": 2 }));
    let notice = within("a notice", async {
        loop {
            if let Event::Notice { message } = stage.desk.next().await.unwrap() {
                return message;
            }
        }
    })
    .await;
    assert_eq!(notice, "a.txt, lines 2 to 3: added to your prompt in Claude Code.");

    let id = first.call("closeAllDiffTabs", &json!({})).await;
    first.answer(id).await;
    stage.desk.request(mention(Some(&file), None)).await.unwrap();
    assert_eq!(first.mention().await, json!({ "filePath": file }));

    select(&stage, &file).await;
    while first.selection().await["text"] != "two\nthree" {}
    stage.desk.request(mention(None, None)).await.unwrap();
    assert_eq!(first.mention().await, json!({ "filePath": file, "lineStart": 1, "lineEnd": 2 }));

    assert!(reason(stage.desk.request(mention(Some(&secret), None)).await).contains("privacy"));
    stage.desk.request(Request::PauseContext { paused: true }).await.unwrap();
    assert!(reason(stage.desk.request(mention(Some(&file), None)).await).contains("paused"));
}
