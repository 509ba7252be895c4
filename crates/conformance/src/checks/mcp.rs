//! Checks of the Model Context Protocol: the start of a session, versions, and HTTP.

use serde_json::{Value, json};

use crate::check::Clause::{Advice, Mcp, Shipped, Spec};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip, unseen};
use crate::harness::case::Case;
use crate::harness::connect;
use crate::http::peer::{PROPOSED, initialize};
use crate::http::response::NoResponse;
use crate::http::response::Response;
use crate::time::clock::within;

/// The versions that released agents propose; each agent also knows the older ones.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// A version that every SDK knows and no agent proposes.
const OLDEST: &str = "2024-10-07";

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "protocol.initialize",
        title: "A session begins with initialize",
        clause: Spec(Must, "the server is a valid MCP server"),
        harm: "the agent cannot connect",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(begins(case)))
    },
    Check {
        id: "protocol.versions",
        title: "Every version that agents propose is answered with one they know",
        clause: Shipped {
            says: "agents propose what their SDK knows, and hang up when they are answered with a version \
                it does not know",
            breaks: "releases of Gemini CLI and Qwen Code with an SDK older than the companion's: they \
                propose 2025-06-18 or earlier",
        },
        harm: "the agent cannot connect",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(versions(case)))
    },
    Check {
        id: "protocol.unknown-version",
        title: "A version that it does not know is answered with one that it does",
        clause: Mcp(Must, "otherwise the server responds with another protocol version it supports"),
        harm: "a newer agent uses features that the companion does not have",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(unknown_version(case)))
    },
    Check {
        id: "protocol.version-header",
        title: "A request with a version header that it does not know is refused with 400",
        clause: Mcp(Must, "an invalid or unsupported MCP-Protocol-Version is answered 400 Bad Request"),
        harm: "agent and companion misunderstand each other instead of saying so",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(version_header(case)))
    },
    Check {
        id: "protocol.no-version-header",
        title: "A request without a version header is served",
        clause: Mcp(Should, "without the header the server assumes protocol version 2025-03-26"),
        harm: "agents with an early SDK, which sends none, cannot do anything",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(no_version_header(case)))
    },
    Check {
        id: "protocol.capabilities",
        title: "The companion offers tools",
        clause: Shipped {
            says: "capabilities.tools is an object, or agents do not ask for tools",
            breaks: "Gemini CLI and Qwen Code: every release with native diffing",
        },
        harm: "proposals are shown in the terminal only",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(capabilities(case)))
    },
    Check {
        id: "protocol.accepted",
        title: "A notification is answered with exactly 202",
        clause: Mcp(Must, "if the server accepts a notification, it returns 202 Accepted"),
        harm: "the agent says that it is connected and never opens its stream: no context, and no diff \
            ever ends",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(accepted(case)))
    },
    Check {
        id: "protocol.accepted-empty",
        title: "The answer to a notification has no body",
        clause: Mcp(Must, "202 Accepted comes with no body"),
        harm: "the connection is not used again, and some clients fail on it",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(accepted_empty(case)))
    },
    Check {
        id: "protocol.unknown-notification",
        title: "Notifications and replies that it does not know do no harm",
        clause: Mcp(Must, "a notification is never answered with a response, and an accepted one with 202"),
        harm: "an agent that tells of something new is cut off",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(unknown_notification(case)))
    },
    Check {
        id: "protocol.discover",
        title: "A client of a newer kind, which asks server/discover first, falls back to a session",
        clause: Shipped {
            says: "the newest SDKs ask server/discover before initialize, and begin a session when they \
                are refused with 400",
            breaks: "clients with version 2.4 of the TypeScript SDK: without a session no notification \
                reaches them",
        },
        harm: "the agent hears nothing: no context, and no diff ever ends",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(discover(case)))
    },
    Check {
        id: "protocol.answer-type",
        title: "Answers name their content type",
        clause: Mcp(Must, "a request is answered with Content-Type: application/json or text/event-stream"),
        harm: "the agent fails with “unexpected content type”",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(answer_type(case)))
    },
    Check {
        id: "protocol.batch",
        title: "All messages of a batch are answered, where the version has batches",
        clause: Mcp(Must, "implementations of 2025-03-26 support receiving JSON-RPC batches"),
        harm: "an agent with an early SDK waits for an answer that does not come",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(batch(case)))
    },
    Check {
        id: "protocol.slow-body",
        title: "A request whose body comes in pieces is served",
        clause: Advice("a body may come in pieces: large proposals do"),
        harm: "large proposals fail now and then",
        ..Check::of(Group::Protocol, When::AtOnce, |case| Box::pin(slow_body(case)))
    },
];

async fn begins(case: &Case<'_>) -> Checked {
    let peer = connect::stranger(case);
    let id = Value::from("hello");
    let answer = case.begin(&peer, peer.post(&initialize(&id, PROPOSED))).await?;
    ensure(answer.status() == 200, || format!("initialize was answered with {}", answer.status()))?;
    let Some(reply) = answer.reply(&id) else {
        return fail("the answer to initialize is not a reply to it");
    };
    let result = &reply["result"];
    let named = result["serverInfo"]["name"].is_string() && result["serverInfo"]["version"].is_string();
    ensure(result["protocolVersion"].is_string(), || "the result has no protocolVersion".into())?;
    ensure(result["capabilities"].is_object(), || "the result has no capabilities".into())?;
    ensure(named, || "the result has no serverInfo with name and version".into())
}

async fn versions(case: &Case<'_>) -> Checked {
    for version in VERSIONS {
        let (_, result) = connect::introduce_with(case, version).await?;
        let answered = &result["protocolVersion"];
        // An agent that proposes a version knows the older ones.
        let older = VERSIONS.iter().chain([&OLDEST]).filter(|known| **known <= version);
        let known = older.into_iter().any(|known| answered == known);
        ensure(known, || format!("the agent proposed {version}, and {answered} was answered"))?;
    }
    Ok(())
}

async fn unknown_version(case: &Case<'_>) -> Checked {
    let unknown = "2099-12-31";
    let (_, result) = connect::introduce_with(case, unknown).await?;
    ensure(result["protocolVersion"] != unknown, || format!("the companion claims to speak {unknown}"))
}

async fn version_header(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let answer = peer.send(&peer.ping(1).with("mcp-protocol-version", "1999-12-31")).await?;
    ensure(answer.status() == 400, || format!("the unknown version was answered with {}", answer.status()))
}

async fn no_version_header(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    peer.ask("ping", json!({})).await?;
    let answer = peer.send(&peer.ping(2).without("mcp-protocol-version")).await?;
    ensure(answer.status() == 200, || {
        format!("the ping without the header was answered with {}", answer.status())
    })
}

async fn capabilities(case: &Case<'_>) -> Checked {
    let (_, result) = connect::introduce(case).await?;
    let tools = &result["capabilities"]["tools"];
    ensure(tools.is_object(), || format!("capabilities.tools is {tools}"))
}

/// Sends the notification that ends the initialization. Returns the response.
async fn initialized(case: &Case<'_>) -> Checked<Response> {
    let (peer, _) = connect::introduce(case).await?;
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    Ok(peer.send(&peer.post(&message)).await?)
}

async fn accepted(case: &Case<'_>) -> Checked {
    let status = initialized(case).await?.status();
    ensure(status == 202, || format!("notifications/initialized was answered with {status}"))
}

async fn accepted_empty(case: &Case<'_>) -> Checked {
    let answer = initialized(case).await?;
    ensure(answer.body.is_empty(), || format!("the answer came with a body of {} bytes", answer.body.len()))
}

async fn unknown_notification(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    peer.is_served().await?;
    for message in [
        json!({ "jsonrpc": "2.0", "method": "notifications/alongside-check" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 4711 } }),
        json!({ "jsonrpc": "2.0", "id": "nobody-asked", "result": {} }),
    ] {
        let status = peer.send(&peer.post(&message)).await?.status();
        // Another check judges the exact status.
        ensure((200..300).contains(&status), || format!("{message} was answered with {status}"))?;
    }
    peer.is_served().await.or_else(|_| fail("afterwards, the session does not answer"))
}

async fn discover(case: &Case<'_>) -> Checked {
    let peer = connect::stranger(case);
    let params = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params });
    let answer = peer.send(&peer.post(&message)).await?;
    ensure(answer.status() == 400, || format!("server/discover was answered with {}", answer.status()))
}

async fn answer_type(case: &Case<'_>) -> Checked {
    let peer = connect::join(case).await?;
    let message = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {} });
    let answer = peer.send(&peer.post(&message)).await?;
    if answer.status() != 200 {
        return skip(format!("tools/list was answered with {}", answer.status()));
    }
    let kind = answer.head.get("content-type").unwrap_or_default().to_ascii_lowercase();
    let known = kind.starts_with("application/json") || kind.starts_with("text/event-stream");
    ensure(known, || format!("Content-Type is {kind:?}"))
}

async fn batch(case: &Case<'_>) -> Checked {
    const VERSION: &str = "2025-03-26";
    let peer = connect::join_with(case, VERSION).await?;
    if peer.caller.version.as_deref() != Some(VERSION) {
        return unseen(format!("the companion does not speak {VERSION}, the version that has batches"));
    }
    peer.ask_as(&"alone".into(), "ping", json!({})).await?;
    let ping = |id: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let batch = json!([ping("first"), ping("second")]);
    let answer = peer.send(&peer.post(&batch)).await?;
    for id in ["first", "second"] {
        let answered = answer.reply(&id.into()).is_some();
        ensure(answered, || format!("the {id} of two requests has no reply; status {}", answer.status()))?;
    }
    Ok(())
}

async fn slow_body(case: &Case<'_>) -> Checked {
    const PIECES: usize = 8;
    let peer = connect::join(case).await?;
    let id = peer.next_id();
    let request = peer.post(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping", "params": {} }));
    peer.note(&request);
    peer.evidence.note("→ in pieces, 50 ms apart");
    let mut connection = peer.dial().await?;
    let body = &request.wire.body;
    let exchange = async {
        connection.send(&request.wire.head(body.len())).await?;
        // So many parts that a slow reader does not get all of them in one read.
        for piece in body.chunks(body.len().div_ceil(PIECES)) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            connection.send(piece).await?;
        }
        connection.head().await
    };
    match within(case.timeouts().answer, exchange).await {
        Some(Ok(head)) => {
            ensure(head.status == 200, || format!("the request in pieces was answered with {}", head.status))
        }
        Some(Err(error)) => Err(NoResponse(format!("there was no answer: {error}")).into()),
        None => fail("there was no answer"),
    }
}
