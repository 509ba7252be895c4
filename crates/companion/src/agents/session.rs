//! One connected agent: who it is, whether its stream is open, and when it counts as gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use alongside_contract::family::{self, Dialect, FAMILIES, Family};
use alongside_contract::mcp::Implementation;
use alongside_desk::Agent;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::context_frames::MessageForm;
use super::credential::Credential;
use super::in_flight::InFlight;
use super::last_texts::LastTexts;
use super::outbox::Outbox;
use super::outcome_messages::{OpenCall, Told};
use crate::persistence::journal::{KnownSession, Undecided, Unsettled};
use crate::reviews::outcome::Outcome;

/// A session ends this long after its last stream or request: agents never say goodbye.
pub(crate) const FREED_AFTER: Duration = Duration::from_secs(60);
/// The reviews of an agent close this long after its stream was lost: until then the agent may come back.
pub(crate) const VIEWS_CLOSE_AFTER: Duration = Duration::from_secs(10);
/// Desks do not list an agent this long after its stream was lost: most agents that leave say nothing, and
/// one that comes back opens its stream sooner.
pub(crate) const UNLISTED_AFTER: Duration = Duration::from_millis(1_500);
/// An outcome that was decided before a stream opened is not sent on it before this time has passed.
pub(crate) const RESEND_AFTER: Duration = Duration::from_millis(100);
/// The longest name or version of an agent that is kept, in bytes: every status repeats it.
const LONGEST_NAME: usize = 256;

/// The name that agents give themselves over stdio.
const OVER_STDIO: &str = "stdio-client";

/// The reason why an agent gets no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionRefusal {
    /// The system has no random bytes for its id.
    NoRandom,
    /// There are [as many](super::registry::MAX_SESSIONS) as there may be.
    Full,
}

#[derive(Debug)]
pub(super) struct Session {
    /// The secret id in the header.
    pub(super) id: String,
    /// The number by which desks know the agent.
    pub(super) number: u64,
    client: Implementation,
    /// The negotiated protocol version.
    version: String,
    /// Whether desks list the agent. After a crash, and after it has left, not until it is heard again.
    is_listed: bool,
    /// The session is of an earlier companion.
    was_adopted: bool,
    /// That companion was interrupted, and the agent has asked for nothing since. Its program opens the
    /// stream again and calls itself disconnected all the same, until `/ide enable` begins another session.
    is_interrupted: bool,
    /// The agent has sent a message since its session began.
    was_heard: bool,
    dialect: Dialect,
    /// The calls that stay open until their outcome, by the file of each.
    open_calls: BTreeMap<String, OpenCall>,
    /// The agent sent no token, so it is a release of mid 2025.
    tokenless: bool,
    /// Known by the token that the agent sends, or by the name that it gives itself.
    family: Option<&'static Family>,
    /// Milliseconds since the Unix epoch.
    since: u64,
    pub(super) outbox: Outbox,
    stream: Option<Stream>,
    pub(super) in_flight: InFlight,
    /// The time of the last stream or request.
    last_heard: Instant,
    /// The end of the last stream, while no other has opened.
    stream_lost: Option<Instant>,
    pub(super) ended: LastTexts,
}

/// An open GET.
#[derive(Debug)]
struct Stream {
    /// Never used again for another stream.
    number: u64,
    /// Holds one frame: a stream is fed as fast as it is read. Dropping the sender ends the stream properly.
    frames: mpsc::Sender<Bytes>,
    opened: Instant,
}

impl Session {
    pub(super) fn new(
        id: String,
        number: u64,
        mut client: Implementation,
        version: String,
        credential: Credential,
        dialect: Dialect,
    ) -> Self {
        for said in [&mut client.name, &mut client.version].into_iter().chain(&mut client.title) {
            said.truncate(said.floor_char_boundary(LONGEST_NAME));
        }
        // Agents of the WebSocket dialect read one file, and tell their names.
        let named = || family::by_client_name(&client.name).filter(|named| named.dialect() == dialect);
        let family = match credential {
            Credential::Token(Some(family)) if dialect == Dialect::Http => Some(family),
            Credential::Token(family) => named().or(family),
            Credential::Nothing => named(),
        };
        Self {
            id,
            number,
            client,
            version,
            dialect,
            open_calls: BTreeMap::new(),
            tokenless: credential == Credential::Nothing,
            family,
            is_listed: true,
            was_adopted: false,
            is_interrupted: false,
            was_heard: false,
            since: alongside_desk::now_ms(),
            outbox: Outbox::new(dialect),
            stream: None,
            in_flight: InFlight::default(),
            last_heard: Instant::now(),
            stream_lost: None,
            ended: LastTexts::default(),
        }
    }

    /// A session of before a crash. Its agent counts as connected only when it is heard again. Its undecided
    /// proposals are rejected, which is the only way to free an agent that waits for a decision.
    pub(super) fn returning(known: KnownSession, number: u64, is_interrupted: bool) -> Self {
        let family = FAMILIES.iter().find(|family| Some(family.id) == known.family.as_deref());
        let credential = if known.tokenless { Credential::Nothing } else { Credential::Token(family) };
        let mut session = Self::new(known.id, number, known.client, known.version, credential, Dialect::Http);
        session.is_listed = false;
        (session.was_adopted, session.is_interrupted) = (true, is_interrupted);
        session.was_heard = true;
        for Undecided { file_path, text, .. } in known.undecided {
            session.push_outcome(&file_path, Outcome::Rejected);
            session.remember(&file_path, text);
        }
        for Unsettled { file_path, is_accepted, text } in known.unsettled {
            let outcome = if is_accepted { Outcome::Accepted(text.clone()) } else { Outcome::Rejected };
            session.push_outcome(&file_path, outcome);
            session.remember(&file_path, text);
        }
        session
    }

    /// The session as the recovery journal holds it, without what reviews know of it.
    pub(super) fn known(&self) -> KnownSession {
        let unsettled = self.outbox.unsettled().map(|(file_path, outcome)| Unsettled {
            file_path: file_path.to_owned(),
            is_accepted: matches!(outcome, Outcome::Accepted(_)),
            text: self.ended.get(file_path).unwrap_or_default(),
        });
        KnownSession {
            id: self.id.clone(),
            client: self.client.clone(),
            version: self.version.clone(),
            tokenless: self.tokenless,
            last_review: 0,
            family: self.family.map(|family| family.id.to_owned()),
            undecided: Vec::new(),
            unsettled: unsettled.collect(),
        }
    }

    /// Queues an outcome for the open stream, or for a later one.
    pub(super) fn push_outcome(&mut self, file_path: &str, outcome: Outcome) {
        let told = match self.dialect {
            Dialect::Http => Told::Notified { closes: self.hears_that_diffs_close() },
            Dialect::WebSocket => match self.open_calls.remove(file_path) {
                Some(call) => Told::Answered(call),
                None => return,
            },
        };
        self.outbox.push(file_path, outcome, told, self.stream_number());
    }

    /// Whether the journal holds the session: whether the agent continues it on another connection.
    pub(super) fn is_journaled(&self) -> bool {
        self.dialect == Dialect::Http
    }

    pub(super) fn message_form(&self) -> MessageForm {
        MessageForm::of(self.dialect, self.family)
    }

    /// The agent proposes for a file; `call` stays open until the outcome.
    pub(super) fn propose(&mut self, file_path: &str, call: Option<OpenCall>) {
        self.outbox.forget(file_path);
        self.ended.forget(file_path);
        self.mark_used();
        self.open_calls.extend(call.map(|call| (file_path.to_owned(), call)));
    }

    /// The person has answered in the agent's own prompt: an answer to the open call would be another one.
    pub(super) fn forget_call(&mut self, file_path: &str) {
        self.open_calls.remove(file_path);
    }

    /// Whether the agent may be a release that understands no rejection but `ide/diffClosed`: it sends no
    /// token, or is of a family that has such releases, or comes over stdio, to which agents turn that were
    /// refused without a token. Newer releases understand both.
    fn hears_that_diffs_close(&self) -> bool {
        let among_family = self.family.is_some_and(|family| family.behaviour.hears_that_diffs_close());
        self.tokenless || among_family || self.client.name == OVER_STDIO
    }

    /// The id of the agent's family, and the name that the agent gives itself: for the log.
    pub(super) fn described(&self) -> (Option<&'static str>, &str) {
        (self.family.map(|family| family.id), &self.client.name)
    }

    /// The agent as desks see it.
    pub(super) fn agent(&self) -> Agent {
        // The names that agents give themselves when they say neither who they are nor which version.
        let says_nothing = matches!(self.client.name.as_str(), "streamable-http-client" | OVER_STDIO);
        let name = match self.family {
            Some(family) => family.display_name,
            None if says_nothing || self.client.name.is_empty() => "an agent",
            None => &self.client.name,
        };
        let version = if says_nothing && self.client.version == "1.0.0" { "" } else { &self.client.version };
        Agent {
            number: self.number,
            name: name.to_owned(),
            version: version.to_owned(),
            since: self.since,
            listening: self.stream.is_some() && !self.is_interrupted,
            asks_itself: self.dialect == Dialect::WebSocket,
            takes_files: self.takes_mentions(),
            by_hook: false,
        }
    }

    /// Whether the session is of an earlier companion.
    pub(super) fn was_adopted(&self) -> bool {
        self.was_adopted
    }

    /// Whether the agent may call itself disconnected.
    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// Whether both are of one release, as far as agents tell.
    pub(super) fn is_same_release(&self, other: &Self) -> bool {
        self.client == other.client && self.described().0 == other.described().0
    }

    /// The agent proposes, or asks for a text: it uses this session.
    pub(super) fn mark_used(&mut self) {
        self.is_interrupted = false;
    }

    /// Whether desks list the agent: it was heard in this life of the companion, and did not leave.
    pub(super) fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Whether the agent has only asked for a session so far.
    pub(super) fn is_unused(&self) -> bool {
        !self.was_heard && self.stream.is_none()
    }

    /// Whether the agent has left, as far as anybody can tell, or has only asked for a session.
    pub(super) fn is_dispensable(&self) -> bool {
        self.is_unused() || (self.stream.is_none() && self.stream_lost.is_some() && !self.is_listed)
    }

    /// A request of the agent began. Returns its number.
    pub(super) fn begin_request(&mut self) -> u64 {
        self.is_listed = true;
        self.was_heard = true;
        self.mark_heard();
        self.in_flight.begin()
    }

    /// Whether the agent listens, and takes files for its prompt.
    pub(super) fn takes_mentions(&self) -> bool {
        self.dialect == Dialect::WebSocket && self.stream.is_some()
    }

    /// The time of the last stream or request.
    pub(super) fn last_heard(&self) -> Instant {
        self.last_heard
    }

    pub(super) fn mark_heard(&mut self) {
        self.last_heard = Instant::now();
    }

    /// Opens a stream, which ends the one before it. Returns the receiving end of its frames.
    pub(super) fn open_stream(&mut self, number: u64, context: Bytes) -> mpsc::Receiver<Bytes> {
        let (sender, frames) = mpsc::channel(1);
        let opened = Instant::now();
        self.stream = Some(Stream { number, frames: sender, opened });
        self.stream_lost = None;
        self.is_listed = true;
        self.was_heard = true;
        self.last_heard = opened;
        self.outbox.stream_opened();
        self.outbox.set_context(context);
        self.pump(opened);
        frames
    }

    /// The stream of this number ended. False if another has taken its place.
    pub(super) fn end_stream(&mut self, number: u64) -> bool {
        let is_current = self.stream_number() == number;
        if is_current {
            self.stream = None;
            self.stream_lost = Some(Instant::now());
            self.mark_heard();
        }
        is_current
    }

    /// The number of the open stream; 0 if there is none.
    pub(super) fn stream_number(&self) -> u64 {
        self.stream.as_ref().map_or(0, |stream| stream.number)
    }

    /// Sends all that can be sent now. While a request is unread that is no outcome, not even a new one: the
    /// request may propose the file again, and the agent would take the outcome for the new proposal's.
    pub(super) fn pump(&mut self, now: Instant) {
        let Some(stream) = &self.stream else { return };
        let resend = stream.opened + RESEND_AFTER <= now;
        while let Ok(permit) = stream.frames.try_reserve() {
            let frame = match self.in_flight.are_read() {
                true => self.outbox.next_frame(stream.number, resend),
                false => self.outbox.next_context(),
            };
            match frame {
                Some(frame) => permit.send(frame),
                None => break,
            }
        }
    }

    /// Older outcomes wait from now on, as if the stream had just opened.
    pub(super) fn hold_back(&mut self, now: Instant) {
        if let Some(stream) =
            self.stream.as_mut().filter(|stream| self.outbox.holds_older_than(stream.number))
        {
            stream.opened = now;
        }
    }

    /// The process was stopped for this long: no deadline of the agent comes nearer by that.
    pub(super) fn shift_deadlines(&mut self, gap: Duration) {
        self.last_heard += gap;
        self.stream_lost = self.stream_lost.map(|lost| lost + gap);
    }

    /// When time runs out for the agent next, in any way.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let deadlines = [self.resend_at(), self.unlisted_at(), self.freed_at(), self.views_close_at()];
        deadlines.into_iter().flatten().min()
    }

    /// When an outcome that is held back may be sent.
    pub(super) fn resend_at(&self) -> Option<Instant> {
        let stream = self.stream.as_ref()?;
        // A full stream is fed when it drains, and a broken one never: its end is on its way to the loop.
        let is_free = stream.frames.capacity() > 0 && !stream.frames.is_closed();
        let can_send = self.in_flight.are_read() && is_free;
        let held = can_send && self.outbox.holds_older_than(stream.number);
        held.then_some(stream.opened + RESEND_AFTER)
    }

    /// When the agent counts as gone, unless it is heard before.
    pub(super) fn freed_at(&self) -> Option<Instant> {
        (self.stream.is_none() && self.in_flight.are_read()).then_some(self.last_heard + FREED_AFTER)
    }

    /// When desks cease to list the agent, unless it is heard before.
    pub(super) fn unlisted_at(&self) -> Option<Instant> {
        let has_left = self.stream_lost.is_some() && self.in_flight.are_read();
        (self.is_listed && has_left).then_some(self.last_heard + UNLISTED_AFTER)
    }

    pub(super) fn unlist(&mut self) {
        self.is_listed = false;
    }

    /// When the agent's reviews close, unless its stream returns.
    pub(super) fn views_close_at(&self) -> Option<Instant> {
        self.stream_lost.filter(|_| self.stream.is_none()).map(|lost| lost + VIEWS_CLOSE_AFTER)
    }

    /// The agent's reviews are closed: nothing more follows from the lost stream.
    pub(super) fn forget_lost_stream(&mut self) {
        self.stream_lost = None;
    }

    /// Whether every outcome has its receipt, or cannot be delivered.
    pub(super) fn is_settled(&self) -> bool {
        self.stream.is_none() || self.outbox.is_settled()
    }

    /// Remembers the last text of a review that ended, for `closeDiff`.
    pub(super) fn remember(&mut self, path: &str, text: Arc<str>) {
        self.ended.remember(path, text, |path| self.outbox.holds(path));
    }
}
