//! One session: the agent, its connection, and the messages that the agent has still to get.

use std::collections::BTreeMap;
use std::sync::Arc;

use alongside_contract::family::{ContextForm, Outcomes, Transport};
use alongside_desk::Agent;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::connection::AgentConnection;
use super::identity::Identity;
use super::last_texts::LastTexts;
use super::outbox::Outbox;
use super::outcome_messages::{Delivery, OpenCall};
use crate::persistence::journal::{KnownSession, Undecided, Unsettled};
use crate::reviews::outcome::Outcome;

/// The reason why an agent gets no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionRefusal {
    /// The system has no random bytes for its id.
    NoRandom,
    /// There are [`MAX_SESSIONS`](super::registry::MAX_SESSIONS) sessions already.
    Full,
}

/// The session of one agent.
#[derive(Debug)]
pub(super) struct Session {
    /// The secret id in the header.
    pub(super) id: String,
    /// The number by which desks know the agent.
    pub(super) number: u64,
    pub(super) identity: Identity,
    pub(super) connection: AgentConnection,
    pub(super) origin: Origin,
    /// Milliseconds since the Unix epoch.
    since: u64,
    pub(super) outbox: Outbox,
    /// The calls that stay open until their outcome, by file.
    pub(super) open_calls: BTreeMap<String, OpenCall>,
    pub(super) last_texts: LastTexts,
}

/// The companion in which a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    This,
    /// An earlier companion, whose session the agent continues.
    Earlier,
    /// An earlier companion that was interrupted; the agent has asked for nothing since. Such an agent opens
    /// the stream again, but calls itself disconnected until `/ide enable` begins another session.
    Interrupted,
}

impl Session {
    pub(super) fn new(id: String, number: u64, identity: Identity) -> Self {
        Self {
            id,
            number,
            outbox: Outbox::new(identity.transport),
            identity,
            connection: AgentConnection::new(),
            origin: Origin::This,
            since: alongside_desk::now_ms(),
            open_calls: BTreeMap::new(),
            last_texts: LastTexts::default(),
        }
    }

    /// Creates a session from before a crash. Its agent counts as connected only once it sends something. Its
    /// undecided proposals are rejected, because only an outcome ends the agent's wait.
    pub(super) fn from_journal(known: KnownSession, number: u64, origin: Origin) -> Self {
        let identity = Identity::of_known(&known);
        let mut session =
            Self { connection: AgentConnection::silent(), origin, ..Self::new(known.id, number, identity) };
        for Undecided { file_path, text, .. } in known.undecided {
            session.push_outcome(&file_path, Outcome::Rejected);
            if let Some(text) = text {
                session.remember(&file_path, text);
            }
        }
        for Unsettled { file_path, is_accepted, text } in known.unsettled {
            let outcome = if is_accepted { Outcome::Accepted(text.clone()) } else { Outcome::Rejected };
            session.push_outcome(&file_path, outcome);
            session.remember(&file_path, text);
        }
        session
    }

    /// Returns the session for the recovery journal, without what reviews know of it.
    pub(super) fn known(&self) -> KnownSession {
        let unsettled = self.outbox.unsettled().map(|(file_path, outcome)| Unsettled {
            file_path: file_path.to_owned(),
            is_accepted: matches!(outcome, Outcome::Accepted(_)),
            text: self.last_texts.get(file_path).unwrap_or_default(),
        });
        KnownSession { id: self.id.clone(), unsettled: unsettled.collect(), ..self.identity.known() }
    }

    /// Whether the journal holds the session, because the agent may continue it on another connection.
    pub(super) fn is_journaled(&self) -> bool {
        self.identity.transport == Transport::Http
    }

    /// Queues an outcome for the open stream, or for a later one.
    pub(super) fn push_outcome(&mut self, file_path: &str, outcome: Outcome) {
        let delivery = match self.identity.dialect.outcomes {
            Outcomes::Notified => Delivery::Notified { closes: self.identity.hears_that_diffs_close() },
            Outcomes::Answered => match self.open_calls.remove(file_path) {
                Some(call) => Delivery::Answered(call),
                None => return,
            },
        };
        // No stream has the number 0.
        let stream = self.connection.stream().map_or(0, |stream| stream.number);
        self.outbox.push_outcome(file_path, outcome, delivery, stream);
    }

    /// Begins a proposal of the agent for a file. `call` stays open until the outcome.
    pub(super) fn propose(&mut self, file_path: &str, call: Option<OpenCall>) {
        self.outbox.forget(file_path);
        self.last_texts.forget(file_path);
        self.mark_used();
        self.open_calls.extend(call.map(|call| (file_path.to_owned(), call)));
    }

    /// Returns the agent as desks see it.
    pub(super) fn agent(&self) -> Agent {
        let (name, version) = self.identity.name_and_version();
        Agent {
            number: self.number,
            name,
            version,
            since: self.since,
            listening: self.connection.stream().is_some() && self.origin != Origin::Interrupted,
            asks_itself: self.identity.dialect.outcomes == Outcomes::Answered,
            takes_files: self.takes_mentions(),
            by_hook: false,
        }
    }

    /// Marks the session as used by its agent, which proposes or asks for a text.
    pub(super) fn mark_used(&mut self) {
        if self.origin == Origin::Interrupted {
            self.origin = Origin::Earlier;
        }
    }

    /// Whether the agent listens, and takes files for its prompt.
    pub(super) fn takes_mentions(&self) -> bool {
        self.identity.dialect.context != ContextForm::Update && self.connection.stream().is_some()
    }

    pub(super) fn open_stream(&mut self, number: u64, context: Bytes) -> mpsc::Receiver<Bytes> {
        let frames = self.connection.open_stream(number);
        self.outbox.forget_sent_context();
        self.outbox.set_context(context);
        self.pump(Instant::now());
        frames
    }

    /// Sends all frames that can be sent now. While a request is unread, no outcome is sent, not even a new
    /// one: the request may propose the file again, and the agent would take the outcome for that of the new
    /// proposal.
    pub(super) fn pump(&mut self, now: Instant) {
        let Some(stream) = self.connection.stream() else { return };
        let resend = stream.resend_at() <= now;
        while let Ok(permit) = stream.frames.try_reserve() {
            let frame = match self.connection.in_flight.are_read() {
                true => self.outbox.next_frame(stream.number, resend),
                false => self.outbox.next_context(),
            };
            match frame {
                Some(frame) => permit.send(frame),
                None => break,
            }
        }
    }

    fn has_older_outcome(&self) -> bool {
        self.connection.stream().is_some_and(|stream| self.outbox.has_older_than(stream.number))
    }

    /// Delays older outcomes from now on, as if the stream had just opened.
    pub(super) fn hold_back(&mut self, now: Instant) {
        if self.has_older_outcome() {
            self.connection.hold_back(now);
        }
    }

    /// Returns the next deadline of the agent.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.resend_at().into_iter().chain(self.connection.deadline()).min()
    }

    /// Returns the time from which a delayed outcome may be sent.
    pub(super) fn resend_at(&self) -> Option<Instant> {
        let stream = self.connection.stream()?;
        // A full stream gets frames once it drains. A broken stream gets none: the event of its end is under
        // way.
        let is_free = stream.frames.capacity() > 0 && !stream.frames.is_closed();
        let can_send = self.connection.in_flight.are_read() && is_free;
        (can_send && self.has_older_outcome()).then(|| stream.resend_at())
    }

    /// Whether every outcome has its receipt, or cannot be delivered.
    pub(super) fn is_settled(&self) -> bool {
        self.connection.stream().is_none() || self.outbox.is_settled()
    }

    pub(super) fn remember(&mut self, path: &str, text: Arc<str>) {
        self.last_texts.remember(path, text, |path| self.outbox.contains(path));
    }
}
