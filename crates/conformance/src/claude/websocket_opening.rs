//! Checks of the opening of the WebSocket: which requests are admitted, and which extensions are agreed.

use alongside_contract::websocket::{SUBPROTOCOL, TOKEN_HEADER};
use serde_json::Value;

use super::connecting::PROPOSED;
use super::handshake::{ACCEPT, Handshake};
use super::rule_source::{ANYBODY, measured};
use crate::check::Clause::{Advice, Mcp, Shipped};
use crate::check::Level::{Must, Should};
use crate::check::{Check, Clause, Group, When};
use crate::check_ending::{Checked, ensure, fail, skip, unseen};
use crate::checks::host_and_origin::loopback;
use crate::claude::connecting;
use crate::harness::case::Case;
use crate::http::peer::initialize;
use crate::http::response::NoResponse;

const READS_FILES: &str =
    "every program on the machine can read what the person has open, and put proposals before them";

const PROVES_ITSELF: Clause = Shipped {
    says: "the agent proves itself by the token, in X-Claude-Code-Ide-Authorization",
    breaks: ANYBODY,
};

pub(crate) static CHECKS: &[Check] = &[
    Check {
        id: "websocket.opens",
        title: "A WebSocket opens with the token of the lock",
        clause: measured("the agent opens ws://127.0.0.1:PORT, and checks the answer as RFC 6455 says"),
        harm: "the agent cannot connect",
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(opens(case)))
    },
    Check {
        id: "websocket.no-token",
        title: "A WebSocket without the token is refused",
        clause: PROVES_ITSELF,
        harm: READS_FILES,
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(no_token(case)))
    },
    Check {
        id: "websocket.wrong-token",
        title: "A WebSocket with a wrong token is refused",
        clause: PROVES_ITSELF,
        harm: READS_FILES,
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(wrong_token(case)))
    },
    Check {
        id: "websocket.origin",
        title: "A WebSocket of a web page is refused",
        clause: Mcp(
            Must,
            "servers validate the Origin header on all incoming connections to prevent DNS rebinding",
        ),
        harm: "a web page that the person visits can talk to their editor",
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(origin(case)))
    },
    Check {
        id: "websocket.subprotocol",
        title: "The subprotocol mcp is repeated",
        clause: measured("the agent offers the subprotocol mcp, and the companion repeats it"),
        harm: "a client that insists on its subprotocol cannot connect",
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(subprotocol(case)))
    },
    Check {
        id: "websocket.no-compression",
        title: "No compression is agreed to",
        clause: Advice("on one machine, compression costs time and saves nothing"),
        harm: "large proposals come late, and a companion that compresses wrongly loses the connection",
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(no_compression(case)))
    },
    Check {
        id: "websocket.loopback",
        title: "The companion listens on the loopback only",
        clause: Mcp(Should, "servers bind only to localhost (127.0.0.1), not to all network interfaces"),
        harm: "everybody in the same network can try to talk to the editor",
        ..Check::of(Group::WebSocket, When::InTurn, |case| Box::pin(loopback(case)))
    },
];

async fn opens(case: &Case<'_>) -> Checked {
    let head = connecting::opening(case, &connecting::handshake(case)).await?.head;
    ensure(head.status == 101, || {
        format!("the request for a WebSocket was answered with {} instead of 101", head.status)
    })?;
    let accept = head.get("sec-websocket-accept");
    ensure(accept == Some(ACCEPT), || format!("Sec-WebSocket-Accept is {accept:?} instead of {ACCEPT:?}"))
}

/// Skips the check unless a WebSocket opens with the token.
async fn welcomes_agents(case: &Case<'_>) -> Checked {
    if case.fixture.target.record.auth_token.is_none() {
        return unseen("its token is unknown");
    }
    connecting::claude_greets(case).await.map(drop)
}

/// Sends an opening that must be refused. Closing the connection counts as a refusal, also after the opening.
async fn refuses(case: &Case<'_>, handshake: Handshake, what: &str) -> Checked {
    let opened = match connecting::opening(case, &handshake).await {
        Ok(opened) if opened.head.status == 101 => opened,
        Ok(_) | Err(NoResponse(_)) => return Ok(()),
    };
    let agent = connecting::agent(case, opened).await;
    match agent.request("initialize", &initialize(&Value::Null, PROPOSED)["params"]).await {
        Ok(answer) if answer["result"].is_object() => fail(format!("a WebSocket {what} is served")),
        _ => Ok(()),
    }
}

async fn no_token(case: &Case<'_>) -> Checked {
    welcomes_agents(case).await?;
    refuses(case, connecting::handshake(case).without(TOKEN_HEADER), "without the token").await
}

async fn wrong_token(case: &Case<'_>) -> Checked {
    welcomes_agents(case).await?;
    let token = case.fixture.target.record.auth_token.as_deref().unwrap_or_default();
    let wrong: String = token.chars().map(|letter| if letter == 'x' { 'y' } else { 'x' }).collect();
    refuses(case, connecting::handshake(case).with(TOKEN_HEADER, wrong), "with a wrong token").await
}

async fn origin(case: &Case<'_>) -> Checked {
    welcomes_agents(case).await?;
    for page in ["https://evil.example", "http://localhost:3000", "null"] {
        refuses(case, connecting::handshake(case).with("Origin", page), &format!("of {page}")).await?;
    }
    Ok(())
}

/// Returns a header of the response to this opening.
async fn agreed(case: &Case<'_>, handshake: &Handshake, header: &str) -> Checked<Option<String>> {
    match connecting::opening(case, handshake).await {
        Ok(opened) if opened.head.status == 101 => {
            let agreed = opened.head.get(header).map(str::to_owned);
            case.evidence.note(format!("← {header}: {}", agreed.as_deref().unwrap_or("(none)")));
            Ok(agreed)
        }
        Ok(opened) => skip(format!("the WebSocket was refused with {}", opened.head.status)),
        Err(NoResponse(why)) => skip(why),
    }
}

async fn subprotocol(case: &Case<'_>) -> Checked {
    let agreed = agreed(case, &connecting::handshake(case), "Sec-WebSocket-Protocol").await?;
    ensure(agreed.as_deref() == Some(SUBPROTOCOL), || format!("the subprotocol is {agreed:?}"))
}

async fn no_compression(case: &Case<'_>) -> Checked {
    let header = "Sec-WebSocket-Extensions";
    let offer = connecting::handshake(case).with(header, "permessage-deflate; client_max_window_bits");
    let agreed = agreed(case, &offer, header).await?;
    ensure(agreed.is_none(), || format!("the companion agreed to {}", agreed.as_deref().unwrap_or_default()))
}
