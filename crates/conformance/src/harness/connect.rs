//! Connects a check as an agent does, and knows whether that agent may expect an answer to `openDiff`.

use serde_json::{Value, json};

use crate::check_ending::{Checked, skip};
use crate::harness::case::Case;
use crate::http::peer::{PROPOSED, Peer, initialize};
use crate::http::response::NoResponse;
use crate::mutex::lock;

/// Returns an agent that has the token and no session.
pub(crate) fn stranger(case: &Case<'_>) -> Peer {
    Peer::stranger(case.fixture.target, case.timeouts(), &case.fixture.rules, &case.evidence)
}

/// Sends `initialize`. Returns the agent with its session, and the result.
pub(crate) async fn introduce(case: &Case<'_>) -> Checked<(Peer, Value)> {
    introduce_with(case, PROPOSED).await
}

/// The same with another version.
pub(crate) async fn introduce_with(case: &Case<'_>, version: &str) -> Checked<(Peer, Value)> {
    let peer = stranger(case);
    let answer = match case.begin(&peer, peer.post(&initialize(&0.into(), version))).await {
        Ok(answer) => answer,
        Err(NoResponse(why)) => return skip(format!("there is no session: {why}")),
    };
    let result = answer.reply(&0.into()).map(|mut reply| reply["result"].take());
    let Some(result) = result.filter(Value::is_object) else {
        return skip(format!("there is no session: initialize was answered with {}", answer.status()));
    };
    let peer = peer.after(&answer);
    joins(case, &peer);
    Ok((peer, result))
}

/// Connects as agents do. Other checks judge the answers.
pub(crate) async fn join(case: &Case<'_>) -> Checked<Peer> {
    join_with(case, PROPOSED).await
}

/// The same with another version.
pub(crate) async fn join_with(case: &Case<'_>, version: &str) -> Checked<Peer> {
    let (peer, _) = introduce_with(case, version).await?;
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    match peer.send(&peer.post(&initialized)).await {
        Ok(_) => Ok(peer),
        Err(NoResponse(why)) => skip(format!("there is no session: {why}")),
    }
}

/// Records the agent that joined last, because some companions answer no other agent.
pub(crate) fn joins(case: &Case<'_>, peer: &Peer) {
    lock(&case.newest).clone_from(&peer.caller.session);
}

fn is_newest(case: &Case<'_>, peer: &Peer) -> bool {
    *lock(&case.newest) == peer.caller.session
}

/// Skips the check unless this agent may expect an answer to `openDiff`.
pub(crate) fn may_open(case: &Case<'_>, peer: &Peer) -> Checked {
    case.fixture.unanswered.why(is_newest(case, peer)).map_or(Ok(()), skip)
}

/// Records that an `openDiff` of this agent was not answered.
pub(crate) fn hung(case: &Case<'_>, peer: &Peer) {
    case.fixture.unanswered.count(is_newest(case, peer));
}
