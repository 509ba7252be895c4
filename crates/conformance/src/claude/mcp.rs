//! Checks of the Model Context Protocol over the WebSocket, and of the tools that need no person.

use std::time::{Duration, Instant};

use alongside_contract::diff::OPEN_DIFF;
use alongside_contract::websocket::{CLOSE_ALL_DIFF_TABS, CLOSE_TAB};
use serde_json::{Value, json};

use super::agent::texts;
use super::connecting::PROPOSED;
use super::rule_source::measured;
use crate::check::Clause::{Advice, Mcp};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail};
use crate::claude::connecting;
use crate::harness::case::Case;
use crate::time::clock::{Measuring, lateness};

/// The versions of the protocol.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", PROPOSED];
/// The tool that returns the diagnostics of one file or of all files.
const GET_DIAGNOSTICS: &str = "getDiagnostics";
/// The time that an agent waits for diagnostics.
const DIAGNOSTICS_PATIENCE: Duration = Duration::from_millis(500);

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "claude-protocol.initialize",
        title: "initialize is answered with a version of the protocol that there is",
        clause: Mcp(Must, "the server answers with the requested version, or with another one it supports"),
        harm: "the agent disconnects",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(initialize(case)))
    },
    Check {
        id: "claude-protocol.tools",
        title: "The tools that the agent calls are listed",
        clause: measured("the agent calls openDiff, close_tab, closeAllDiffTabs and getDiagnostics"),
        harm: "the agent does without the editor: it asks in its own prompt, and knows no diagnostics",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(tools(case)))
    },
    Check {
        id: "claude-protocol.ping",
        title: "ping is answered",
        clause: Mcp(Must, "the receiver of a ping responds promptly with an empty response"),
        harm: "the agent takes the connection for dead",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(ping(case)))
    },
    Check {
        id: "claude-protocol.unknown-method",
        title: "An unknown method is an error",
        clause: Mcp(Must, "JSON-RPC: a request of a method that does not exist is answered with an error"),
        harm: "the agent takes a feature for there that is not",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(unknown_method(case)))
    },
    Check {
        id: "claude-protocol.unknown-tool",
        title: "An unknown tool is an error",
        clause: Mcp(Must, "servers answer the call of an unknown tool with an error"),
        harm: "the agent takes for done that nobody has done",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(unknown_tool(case)))
    },
    Check {
        id: "claude-protocol.malformed",
        title: "Malformed JSON ends no other connection",
        clause: Advice("several agents run in one project, each with a connection of its own"),
        harm: "one agent that errs disconnects all others",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(malformed(case)))
    },
    Check {
        id: "claude-protocol.diagnostics",
        title: "getDiagnostics is answered within 500 ms, with a list in one text item",
        clause: measured("the text is a JSON array of {uri, diagnostics}; later answers are not waited for"),
        harm: "the agent does not learn that its change broke the build",
        ..Check::of(Group::ClaudeProtocol, When::InTurn, |case| Box::pin(diagnostics(case)))
    },
];

async fn initialize(case: &Case<'_>) -> Checked {
    let (_, result) = connecting::claude_greets(case).await?;
    let version = &result["protocolVersion"];
    let is_known = version.as_str().is_some_and(|version| VERSIONS.contains(&version));
    ensure(is_known, || format!("protocolVersion is {version}"))
}

async fn tools(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let answer = agent.request("tools/list", &json!({})).await?;
    let listed: Vec<&str> = answer["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let missing = [OPEN_DIFF, CLOSE_TAB, CLOSE_ALL_DIFF_TABS, GET_DIAGNOSTICS];
    let missing: Vec<&str> = missing.into_iter().filter(|tool| !listed.contains(tool)).collect();
    ensure(missing.is_empty(), || format!("not listed: {}", missing.join(", ")))
}

async fn ping(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let ping = agent.send_request("ping", &json!({}));
    match agent.wait_for_response(ping, case.timeouts().answer).await {
        Some(answer) => {
            ensure(answer["result"].is_object(), || format!("the ping was answered with {answer}"))
        }
        None => fail("the ping was not answered"),
    }
}

async fn unknown_method(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let answer = agent.request("alongside/noSuchMethod", &json!({})).await?;
    ensure(answer["error"].is_object(), || format!("the unknown method was answered with {answer}"))
}

async fn unknown_tool(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let answer = agent.call_tool("alongsideNoSuchTool", &json!({})).await?;
    // MCP lets a server say it in either way.
    let is_error = answer["error"].is_object() || answer["result"]["isError"] == true;
    ensure(is_error, || format!("the call of an unknown tool was answered with {answer}"))
}

async fn malformed(case: &Case<'_>) -> Checked {
    let (erring, other) = (connecting::claude_joins(case).await?, connecting::claude_joins(case).await?);
    other.request("ping", &json!({})).await?;
    erring.send(r#"{"jsonrpc":"2.0","id":7,"method""#);
    case.quiet().await;
    match other.request("ping", &json!({})).await {
        Ok(_) => Ok(()),
        Err(_) => fail("afterwards, another agent was not answered any more"),
    }
}

async fn diagnostics(case: &Case<'_>) -> Checked {
    let agent = connecting::claude_joins(case).await?;
    let mut measuring = Measuring::default();
    loop {
        let begun = Instant::now();
        let call = agent.send_tool_call(GET_DIAGNOSTICS, &json!({}));
        let (answer, late) = lateness(agent.wait_for_response(call, case.timeouts().answer)).await;
        let took = begun.elapsed();
        let Some(answer) = answer else { return fail("getDiagnostics was not answered") };
        is_list(&answer)?;
        if took > DIAGNOSTICS_PATIENCE && !measuring.counts(late)? {
            continue;
        }
        return ensure(took <= DIAGNOSTICS_PATIENCE, || {
            format!("the answer came {} ms later", took.as_millis())
        });
    }
}

/// Checks that this is an answer to `getDiagnostics`.
fn is_list(answer: &Value) -> Checked {
    let texts = texts(answer);
    let [text] = texts.as_slice() else { return fail(format!("getDiagnostics was answered with {answer}")) };
    let list: Option<Vec<Value>> = serde_json::from_str(text).ok();
    let is_file = |file: &Value| file["uri"].is_string() && file["diagnostics"].is_array();
    ensure(list.is_some_and(|list| list.iter().all(is_file)), || format!("the text is {text}"))
}
