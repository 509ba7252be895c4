//! The steps with which a check connects as Claude Code does, and proposes.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::check_ending::{Checked, skip};
use crate::claude::agent::{Agent, Proposal};
use crate::claude::handshake::{Handshake, Opened};
use crate::harness::case::Case;
use crate::http::peer::initialize;
use crate::http::response::NoResponse;

/// The version that the agent proposes.
pub(crate) const PROPOSED: &str = "2025-11-25";

/// Returns the request that opens a WebSocket, as agents send it.
pub(crate) fn handshake(case: &Case<'_>) -> Handshake {
    Handshake::of_agents(case.fixture.target)
}

/// Sends that request, and reads the head of the answer.
pub(crate) async fn opening(case: &Case<'_>, handshake: &Handshake) -> Result<Opened, NoResponse> {
    handshake.send(case.timeouts().answer, &case.evidence).await
}

/// Returns the agent at this end of an open WebSocket.
pub(crate) async fn agent(case: &Case<'_>, opened: Opened) -> Agent {
    let Opened { tcp, unread, .. } = opened;
    let socket = WebSocketStream::from_partially_read(tcp, unread, Role::Client, None).await;
    Agent::new(socket, &case.fixture.connections, &case.evidence, case.timeouts())
}

/// Opens a WebSocket and sends `initialize`. Returns the agent and the result.
pub(crate) async fn claude_greets(case: &Case<'_>) -> Checked<(Agent, Value)> {
    let opened = match opening(case, &handshake(case)).await {
        Ok(opened) if opened.head.status == 101 => opened,
        Ok(opened) => return skip(format!("the WebSocket was refused with {}", opened.head.status)),
        Err(NoResponse(why)) => return skip(format!("there is no WebSocket: {why}")),
    };
    let agent = agent(case, opened).await;
    let mut answer = agent.request("initialize", &initialize(&Value::Null, PROPOSED)["params"]).await?;
    match answer["result"].take() {
        result @ Value::Object(_) => Ok((agent, result)),
        _ => skip(format!("initialize was answered with {answer}")),
    }
}

/// Connects as the agent does. Other checks judge the answers.
pub(crate) async fn claude_joins(case: &Case<'_>) -> Checked<Agent> {
    let (mut agent, _) = claude_greets(case).await?;
    agent.initialized_at = std::time::Instant::now();
    agent.notify("notifications/initialized", &json!({}));
    agent.notify("ide_connected", &json!({ "pid": std::process::id() }));
    Ok(agent)
}

/// Opens a diff of a file with this name, and leaves it undecided.
pub(crate) async fn claude_proposes(
    case: &Case<'_>,
    agent: &Agent,
    name: &str,
    text: &str,
) -> Checked<Proposal> {
    let proposal = agent.propose(case.proposal(name), text);
    // The companion handles messages in order: the diff is open when the ping is answered.
    let _ = agent.request("ping", &json!({})).await;
    match agent.wait_for_response(proposal.call, Duration::ZERO).await {
        Some(answer) => skip(format!("openDiff was answered at once: {answer}")),
        None => Ok(proposal),
    }
}
