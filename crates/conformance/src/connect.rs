//! How a check connects as an agent, and whether that agent may expect an answer.

use serde_json::{Value, json};

use crate::case::Case;
use crate::check_ending::{Checked, skip};
use crate::lock::lock;
use crate::peer::{PROPOSED, Peer, initialize};
use crate::response::NoResponse;

impl Case<'_> {
    /// Somebody who knows the token and has no session.
    pub(crate) fn stranger(&self) -> Peer {
        Peer::stranger(self.fixture.target, self.timeouts(), &self.fixture.rules, &self.evidence)
    }

    /// Sends `initialize` and takes the session; the result with it.
    pub(crate) async fn introduce(&self) -> Checked<(Peer, Value)> {
        self.introduce_with(PROPOSED).await
    }

    /// The same with another version.
    pub(crate) async fn introduce_with(&self, version: &str) -> Checked<(Peer, Value)> {
        let peer = self.stranger();
        let answer = match self.begin(&peer, peer.post(&initialize(&0.into(), version))).await {
            Ok(answer) => answer,
            Err(NoResponse(why)) => return skip(format!("there is no session: {why}")),
        };
        let result = answer.reply(&0.into()).map(|mut reply| reply["result"].take());
        let Some(result) = result.filter(Value::is_object) else {
            return skip(format!("there is no session: initialize was answered {}", answer.status()));
        };
        let peer = peer.after(&answer);
        self.joins(&peer);
        Ok((peer, result))
    }

    /// Connects as agents do. That the answers are the right ones is judged elsewhere.
    pub(crate) async fn join(&self) -> Checked<Peer> {
        self.join_with(PROPOSED).await
    }

    /// The same with another version.
    pub(crate) async fn join_with(&self, version: &str) -> Checked<Peer> {
        let (peer, _) = self.introduce_with(version).await?;
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        match peer.send(&peer.post(&initialized)).await {
            Ok(_) => Ok(peer),
            Err(NoResponse(why)) => skip(format!("there is no session: {why}")),
        }
    }

    /// Remembers who joined last: some companions answer nobody else.
    pub(crate) fn joins(&self, peer: &Peer) {
        lock(&self.newest).clone_from(&peer.caller.session);
    }

    fn is_newest(&self, peer: &Peer) -> bool {
        *lock(&self.newest) == peer.caller.session
    }

    /// Goes on only where this agent may expect an answer to `openDiff`.
    pub(crate) fn may_open(&self, peer: &Peer) -> Checked {
        self.fixture.unanswered.why(self.is_newest(peer)).map_or(Ok(()), skip)
    }

    /// `openDiff` of this agent was not answered.
    pub(crate) fn hung(&self, peer: &Peer) {
        self.fixture.unanswered.count(self.is_newest(peer));
    }
}
