//! Checks of JSON-RPC and of the tools: requests are answered, and wrong ones are refused as clients expect.

use serde_json::{Value, json};

use crate::check::Clause::{Advice, Mcp, Spec};
use crate::check::Level::Must;
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip};
use crate::harness::case::Case;
use crate::harness::connect;

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "protocol.tools",
        title: "tools/list names openDiff and closeDiff",
        clause: Spec(Must, "the extension registers an openDiff and a closeDiff tool on its MCP server"),
        harm: "the agent turns diffing off: proposals are shown in the terminal only",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(tools(case)))
    },
    Check {
        id: "protocol.schemas",
        title: "The tools say which arguments they take",
        clause: Mcp(Must, "inputSchema is a valid JSON Schema object"),
        harm: "clients that check arguments refuse to call the tools",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(schemas(case)))
    },
    Check {
        id: "protocol.ping",
        title: "A ping is answered",
        clause: Mcp(Must, "the receiver of a ping responds promptly with an empty response"),
        harm: "clients that ping take the companion for dead",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(ping(case)))
    },
    Check {
        id: "protocol.ids",
        title: "Replies repeat the id of the request exactly",
        clause: Mcp(Must, "responses include the same ID as the request they correspond to"),
        harm: "the agent waits for an answer that came with another id",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(ids(case)))
    },
    Check {
        id: "protocol.unknown-method",
        title: "An unknown method is answered with the error -32601",
        clause: Mcp(Must, "an unknown method is answered with the JSON-RPC error -32601, method not found"),
        harm: "the agent waits, or reports work as done that was not",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(unknown_method(case)))
    },
    Check {
        id: "protocol.unknown-tool",
        title: "An unknown tool is answered with an error",
        clause: Mcp(Must, "unknown tools are errors, and servers validate all tool inputs"),
        harm: "the agent reports work as done that was not",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(unknown_tool(case)))
    },
    Check {
        id: "protocol.malformed",
        title: "A body that is not JSON is refused with 400, and nothing else happens",
        clause: Mcp(
            Must,
            "a body that cannot be accepted is answered with an HTTP error status, such as 400",
        ),
        harm: "one broken message ends the companion for all agents",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(malformed(case)))
    },
    Check {
        id: "protocol.no-message",
        title: "JSON that is not a JSON-RPC message is refused",
        clause: Mcp(
            Must,
            "messages are JSON-RPC 2.0; a body that cannot be accepted is answered with an HTTP error status",
        ),
        harm: "a faulty client does not learn of its fault",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(no_message(case)))
    },
    Check {
        id: "protocol.error-body",
        title: "A refusal says why, in JSON-RPC",
        clause: Advice("the body of a refusal is a JSON-RPC error, -32700 for a body that is not JSON"),
        harm: "the agent's log says that something failed, but not why",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(error_body(case)))
    },
];

async fn listed_tools(case: &Case<'_>) -> Checked<Vec<Value>> {
    let peer = connect::join(case).await?;
    let reply = peer.ask("tools/list", json!({})).await?;
    match reply["result"]["tools"].as_array() {
        Some(tools) => Ok(tools.clone()),
        None => fail(format!("the result of tools/list has no list of tools: {reply}")),
    }
}

async fn tools(case: &Case<'_>) -> Checked {
    let tools = listed_tools(case).await?;
    for name in ["openDiff", "closeDiff"] {
        let is_listed = tools.iter().any(|tool| tool["name"] == name);
        ensure(is_listed, || format!("{name} is not among the tools"))?;
    }
    Ok(())
}

async fn schemas(case: &Case<'_>) -> Checked {
    let tools = listed_tools(case).await?;
    let needed: [(&str, &[&str]); 2] =
        [("openDiff", &["filePath", "newContent"]), ("closeDiff", &["filePath"])];
    let mut has_tool = false;
    for (name, arguments) in needed {
        let Some(tool) = tools.iter().find(|tool| tool["name"] == name) else {
            continue;
        };
        has_tool = true;
        let schema = &tool["inputSchema"];
        ensure(schema["type"] == "object", || {
            format!("inputSchema of {name} is not the schema of an object: {schema}")
        })?;
        for argument in arguments {
            let has_argument = schema["properties"].get(argument).is_some();
            ensure(has_argument, || format!("inputSchema of {name} does not know {argument}"))?;
        }
    }
    if has_tool { Ok(()) } else { skip("the companion has neither tool") }
}

async fn ping(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let reply = peer.ask("ping", json!({})).await?;
    ensure(reply["result"].is_object(), || format!("the ping was answered with {reply}"))
}

async fn ids(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    for id in [json!(0), json!(9_007_199_254_740_991_u64), json!("a string é"), json!("12")] {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {} });
        let answer = peer.send(&peer.post(&message)).await?;
        let ids: Vec<Value> = answer.messages().iter().map(|message| message["id"].clone()).collect();
        ensure(ids.contains(&id), || format!("the request with the id {id} was answered with {ids:?}"))?;
    }
    Ok(())
}

async fn unknown_method(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let reply = peer.ask("alongside/check-unknown", json!({})).await?;
    let code = &reply["error"]["code"];
    ensure(*code == -32601, || format!("the unknown method was answered with {reply}"))
}

async fn unknown_tool(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let reply = peer.call("alongsideCheckUnknown", json!({})).await?;
    let is_error = reply["error"].is_object() || reply["result"]["isError"] == true;
    ensure(is_error, || format!("the call of an unknown tool was answered with {reply}"))
}

async fn malformed(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    peer.is_served().await?;
    for body in ["{\"jsonrpc\": \"2.0\", \"id\": 1,", "not JSON at all", ""] {
        let answer = peer.send(&peer.request("POST").with_body(body)).await?;
        ensure(answer.status() == 400, || format!("{body:?} was answered with {}", answer.status()))?;
    }
    peer.is_served().await.or_else(|_| fail("afterwards, the session does not answer"))
}

async fn no_message(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    for body in ["{}", "7", "{\"id\":1,\"method\":\"ping\"}"] {
        let answer = peer.send(&peer.request("POST").with_body(body)).await?;
        // Some companions report the error in a reply.
        let is_error = answer.messages().iter().any(|message| message["error"].is_object());
        let is_refused = (400..500).contains(&answer.status()) || is_error;
        ensure(is_refused, || format!("{body} was answered with {}", answer.status()))?;
    }
    Ok(())
}

async fn error_body(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let answer = peer.send(&peer.request("POST").with_body("{\"jsonrpc\":")).await?;
    if answer.status() < 400 {
        return skip(format!("invalid JSON was answered with {}", answer.status()));
    }
    let codes: Vec<Value> =
        answer.messages().iter().map(|message| message["error"]["code"].clone()).collect();
    ensure(codes == [json!(-32700)], || format!("the error codes of the answer are {codes:?}"))
}
