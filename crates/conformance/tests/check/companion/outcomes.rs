//! The messages for one agent: each outcome is kept until its receipt, and sent on the newest stream.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::diffs::Diff;
use super::{Shared, State};
use crate::fault::{Fault, Faults};

/// The time after a stream's beginning in which nothing is sent again, because the agent may be proposing
/// again.
pub(super) const HOLD: Duration = Duration::from_millis(100);

/// The time after which the session of a vanished agent is freed: a minute for a real companion, and much
/// later here than any other deadline.
const FREED_AFTER: Duration = Duration::from_secs(8);

/// An order to a stream.
#[derive(Debug)]
pub(super) enum Frame {
    /// A message.
    Message(Value),
    /// No message: reports that all earlier ones were written.
    Said(oneshot::Sender<()>),
    /// The end of the stream without a proper end.
    Cut,
}

/// One agent.
#[derive(Default)]
pub(super) struct Session {
    pub(super) stream: Option<Stream>,
    /// A stream that should have ended.
    pub(super) leaked: Option<Stream>,
    /// Whether a newer stream opened while the faulty companion still writes to an older one.
    pub(super) deaf: bool,
    /// Whether there was a stream before.
    pub(super) streamed: bool,
    /// Outcomes without a receipt, in the order of the decisions.
    pub(super) outcomes: Vec<Outcome>,
    /// Reviews that are open.
    pub(super) diffs: Vec<Diff>,
    /// Last texts of reviews that were closed, by path.
    pub(super) closed: BTreeMap<String, String>,
    /// The context that was last sent to this agent.
    pub(super) last_sent: Option<Value>,
    /// The number of the session among all sessions so far.
    pub(super) number: usize,
    /// The time of its last request, or of the end of its stream.
    pub(super) used: Option<Instant>,
    /// The number of POSTs of this agent that are still being read.
    reading: i32,
    /// The number of pings so far.
    pings: u64,
    /// All outcomes so far, for the faulty companion that sends them again.
    pub(super) history: Vec<Value>,
}

/// A stream to an agent. It ends properly when this is dropped.
pub(super) struct Stream {
    pub(super) number: u64,
    pub(super) since: Instant,
    pub(super) frames: UnboundedSender<Frame>,
}

/// The outcome of a review, until the agent has confirmed it.
pub(super) struct Outcome {
    pub(super) path: String,
    /// The last text of the review.
    pub(super) text: String,
    message: Value,
    /// The stream to which it was last written.
    sent_on: Option<u64>,
    /// The ping whose reply is the receipt.
    ping: Option<String>,
}

impl Outcome {
    pub(super) fn new(path: &str, text: &str, message: Value) -> Self {
        Self { path: path.into(), text: text.into(), message, sent_on: None, ping: None }
    }
}

impl Session {
    /// Writes the due messages. With `now`, no message is delayed.
    pub(super) fn flush(&mut self, fault: Faults, now: bool) {
        let Some(stream) = &self.stream else {
            let lost = match self.streamed {
                false => fault.has(Fault::OutcomesLostBeforeAStream),
                true => fault.has(Fault::OutcomesLostBetweenStreams),
            };
            if lost {
                self.outcomes.retain(|outcome| outcome.sent_on.is_some());
            }
            return;
        };
        self.streamed = true;
        if self.deaf {
            self.outcomes.clear();
        }
        if self.reading > 0 && !now {
            return;
        }
        let settled = stream.since.elapsed() >= HOLD || now;
        for outcome in &mut self.outcomes {
            let due = outcome.sent_on.is_none() || (outcome.sent_on != Some(stream.number) && settled);
            if !due {
                continue;
            }
            let mut message = outcome.message.clone();
            if fault.has(Fault::OutcomesHaveAnId) {
                message["id"] = json!(self.pings);
            }
            let _ = stream.frames.send(Frame::Message(message));
            if fault.has(Fault::OutcomesAreToldTwice) {
                let _ = stream.frames.send(Frame::Message(outcome.message.clone()));
            }
            self.history.push(outcome.message.clone());
            outcome.sent_on = Some(stream.number);
            self.pings += 1;
            let ping = format!("receipt-{}", self.pings);
            let _ =
                stream.frames.send(Frame::Message(json!({ "jsonrpc": "2.0", "id": ping, "method": "ping" })));
            outcome.ping = Some(ping);
        }
        if fault.has(Fault::OutcomesInFlightAreLost) {
            self.outcomes.retain(|outcome| outcome.sent_on.is_none());
        }
    }

    /// Writes a message to the stream, if there is one.
    pub(super) fn write(&self, message: &Value) {
        if let Some(stream) = &self.stream {
            let _ = stream.frames.send(Frame::Message(message.clone()));
        }
    }

    /// Ends the stream, properly or not.
    fn end(&mut self, fault: Faults) {
        let Some(stream) = self.stream.take() else { return };
        if fault.has(Fault::AbruptEnd) {
            let _ = stream.frames.send(Frame::Cut);
        }
        self.stream = fault.has(Fault::StreamsOutliveTheStop).then_some(stream);
    }
}

/// Frees the sessions of vanished agents, until dropped.
pub(super) async fn free_sessions(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let is_gone = |session: &Session| {
            let is_idle = session.used.is_some_and(|used| used.elapsed() >= FREED_AFTER);
            is_idle && session.stream.is_none() && session.leaked.is_none() && session.reading <= 0
        };
        if !shared.has(Fault::SessionsAreNeverFreed) {
            shared.state().sessions.retain(|_, session| !is_gone(session));
        }
    }
}

impl Shared {
    /// Whether an agent waits in vain for answers, because another one joined after it.
    pub(super) fn is_unanswered(&self, session: &str) -> bool {
        let state = self.state();
        let number = state.sessions.get(session).map(|session| session.number);
        let newest = state.sessions.values().map(|session| session.number).max();
        self.has(Fault::OlderAgentsUnanswered) && number.is_some() && number < newest
    }

    /// Counts the POSTs of a session that are being read. After the last one, sends the delayed messages.
    pub(super) fn reads(&self, session: &str, more: i32) {
        if let Some(session) = self.state().sessions.get_mut(session) {
            session.reading += more;
            session.used = Some(Instant::now());
            session.flush(self.fault, false);
        }
    }

    /// Handles a reply to one of our pings: the agent has every message before the ping.
    pub(super) fn settle(&self, session: &str, id: &Value) {
        if self.has(Fault::ReceiptsIgnored) {
            return;
        }
        if let Some(session) = self.state().sessions.get_mut(session) {
            session.outcomes.retain(|outcome| outcome.ping.as_deref() != id.as_str());
        }
    }

    /// Sends an outcome to the agent that asked.
    pub(super) fn tell(&self, state: &mut State, session: &str, outcome: Outcome) {
        for (id, other) in &mut state.sessions {
            let told = id == session || self.has(Fault::OutcomesAreToldToEverybody);
            if told {
                let copy = Outcome::new(&outcome.path, &outcome.text, outcome.message.clone());
                other.outcomes.push(copy);
                other.flush(self.fault, false);
            }
        }
    }

    /// Returns the number of agents.
    pub(crate) fn agents(&self) -> usize {
        self.state().sessions.len()
    }

    /// Rejects every review that waits.
    pub(super) fn reject_all(&self) {
        let mut state = self.state();
        let waiting: Vec<_> = state.waiting();
        for (session, diff) in waiting {
            let told = super::diffs::rejected(self.fault, &diff.path);
            self.tell(&mut state, &session, Outcome::new(&diff.path, &diff.text, told));
        }
        state.sessions.values_mut().for_each(|session| session.flush(self.fault, true));
    }

    /// Waits until every stream has written its messages, or has ended.
    pub(super) async fn has_said_all(&self) {
        let said: Vec<_> = {
            let state = self.state();
            let streams = state.sessions.values().filter_map(|session| session.stream.as_ref());
            let asks = |stream: &Stream| {
                let (tell, said) = oneshot::channel();
                let _ = stream.frames.send(Frame::Said(tell));
                said
            };
            streams.map(asks).collect()
        };
        futures_util::future::join_all(said).await;
    }

    /// Ends every stream after its messages were written.
    pub(super) fn end_streams(&self) {
        self.state().sessions.values_mut().for_each(|session| session.end(self.fault));
    }
}
