//! A complete session with each SDK: connect, list the tools, propose, receive the outcome, close, end.

use alongside_rig::companion::CompanionProcess;
use alongside_rig::json_lines_process::{JsonLinesProcess, find};
use alongside_rig::{Rig, Sandbox, node_script};
use anyhow::Result;
use serde_json::{Value, json};

use crate::COMPANION;

async fn run_session(rig: Rig, sdk: &str) -> Result<()> {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file.txt", "old\n");
    let companion = CompanionProcess::start(COMPANION, &sandbox).await?;
    let mut command = sandbox.command(rig.node());
    let url = format!("http://127.0.0.1:{}/mcp", companion.port);
    command.arg(node_script("sdk-client.mjs")).arg(rig.sdk(sdk)).args([&url, &companion.token]);
    let client = JsonLinesProcess::spawn(&sandbox, &format!("sdk {sdk}"), &mut command).await?;

    let connected = client.ask(json!({ "cmd": "connect" })).answer().await?;
    assert_eq!(connected["server"]["name"], "alongside", "{connected}");
    assert_eq!(
        connected["session"], "string",
        "the client must use a session, for notifications need one: {connected}"
    );
    let tools = client.ask(json!({ "cmd": "listTools" })).answer().await?;
    assert_eq!(tools, json!(["openDiff", "closeDiff"]));
    client.ask(json!({ "cmd": "ping" })).answer().await?;
    companion.agents_listen(1).await?;

    let call = |name: &str, arguments: Value| {
        client.ask(json!({ "cmd": "callTool", "name": name, "arguments": arguments })).answer()
    };
    let opened = call("openDiff", json!({ "filePath": file, "newContent": "new\n" })).await?;
    assert_eq!(opened["content"], json!([]), "{opened}");
    companion.accept_with(&companion.review_of("new\n").await?, "newer\n").await?;
    assert_eq!(
        notification(&client, "ide/diffAccepted").await?,
        json!({ "filePath": file, "content": "newer\n" })
    );

    call("openDiff", json!({ "filePath": file, "newContent": "bad\n" })).await?;
    companion.reject(&companion.review_of("bad\n").await?).await?;
    assert_eq!(notification(&client, "ide/diffRejected").await?, json!({ "filePath": file }));

    call("openDiff", json!({ "filePath": file, "newContent": "third\n" })).await?;
    companion.edit(&companion.review_of("third\n").await?, "mine\n").await?;
    let closed = call("closeDiff", json!({ "filePath": file })).await?;
    let text = closed["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(serde_json::from_str::<Value>(text)?, json!({ "content": "mine\n" }), "{closed}");

    companion.focus(&file, None).await?;
    let is_first = |events: &[Value]| {
        let update = events.iter().rev().find(|event| event["method"] == "ide/contextUpdate")?;
        (update["params"]["workspaceState"]["openFiles"][0]["path"] == json!(file)).then_some(())
    };
    client.wait("a context with the file in front", is_first).await?;

    // This is checked before the session ends: a second after the end, an SDK tries to open the stream again,
    // and reports an error.
    let trouble = find(&client.history(), "trouble").cloned();
    assert_eq!(trouble, None, "the SDK found fault with a message");
    client.ask(json!({ "cmd": "terminate" })).answer().await?;
    companion.agents_listen(0).await
}

/// Waits for a notification of this method, and returns the parameters of the first one.
async fn notification(client: &JsonLinesProcess, method: &str) -> Result<Value> {
    let first = |events: &[Value]| {
        let event = events.iter().find(|event| event["method"] == method)?;
        Some(event["params"].clone())
    };
    client.wait(method, first).await
}

crate::tests_with_rig! { run_session:
    sdk_1_11_has_a_whole_session: "1.11",
    sdk_1_17_has_a_whole_session: "1.17",
    sdk_1_23_has_a_whole_session: "1.23",
    sdk_1_32_has_a_whole_session: "1.32",
    sdk_2_4_falls_back_to_a_session_and_has_a_whole_one: "2.4",
}
