//! The connection of an agent: whether its stream is open, and when it counts as gone.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::in_flight::InFlight;

/// The time from the last stream or request to the end of a session: most agents leave without a message.
const SESSION_TIMEOUT: Duration = Duration::from_secs(60);
/// The time from the loss of an agent's stream to the end of its reviews. The agent may come back meanwhile.
const REVIEWS_TIMEOUT: Duration = Duration::from_secs(10);
/// The time from the loss of an agent's stream until desks no longer list the agent. Most agents leave
/// without a message, and an agent that comes back opens its stream sooner.
const LISTING_TIMEOUT: Duration = Duration::from_millis(1_500);
/// The delay of an outcome that was decided before its stream opened.
const RESEND_DELAY: Duration = Duration::from_millis(100);

/// The connection of an agent.
#[derive(Debug)]
pub(super) struct AgentConnection {
    phase: Phase,
    pub(super) in_flight: InFlight,
    /// The time of the last stream or request.
    pub(super) last_message_at: Instant,
}

/// The phase of a connection, as desks and deadlines need it.
#[derive(Debug)]
enum Phase {
    /// The agent has only asked for a session.
    New,
    /// The agent sends requests, and has no stream.
    Requesting,
    Listening(Stream),
    /// The stream of the agent ended at this time.
    Lost(Instant),
    /// The stream of the agent ended at this time, and desks no longer list the agent.
    Left(Instant),
    /// Desks do not list the agent until it sends something: it has left, or is known from before a crash.
    Silent,
}

/// The part that ends for an agent after a time without a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    Reviews,
    Session,
}

/// An open GET.
#[derive(Debug)]
pub(super) struct Stream {
    /// The number of the stream, which no other stream gets.
    pub(super) number: u64,
    /// The channel to the stream. Its capacity is one frame, so that a stream gets frames as fast as it is
    /// read. Dropping the sender ends the stream properly.
    pub(super) frames: mpsc::Sender<Bytes>,
    opened: Instant,
}

impl Stream {
    /// Returns the time from which older outcomes are sent on the stream.
    pub(super) fn resend_at(&self) -> Instant {
        self.opened + RESEND_DELAY
    }
}

impl AgentConnection {
    /// Creates the connection of an agent that asks for a session.
    pub(super) fn new() -> Self {
        Self { phase: Phase::New, in_flight: InFlight::default(), last_message_at: Instant::now() }
    }

    /// Creates the connection of an agent that was connected before a crash.
    pub(super) fn silent() -> Self {
        Self { phase: Phase::Silent, ..Self::new() }
    }

    pub(super) fn begin_request(&mut self) -> u64 {
        match self.phase {
            Phase::New | Phase::Silent => self.phase = Phase::Requesting,
            Phase::Left(lost) => self.phase = Phase::Lost(lost),
            Phase::Requesting | Phase::Listening(_) | Phase::Lost(_) => {}
        }
        self.record_message();
        self.in_flight.begin()
    }

    pub(super) fn record_message(&mut self) {
        self.last_message_at = Instant::now();
    }

    pub(super) fn open_stream(&mut self, number: u64) -> mpsc::Receiver<Bytes> {
        let (sender, frames) = mpsc::channel(1);
        self.record_message();
        self.phase = Phase::Listening(Stream { number, frames: sender, opened: self.last_message_at });
        frames
    }

    /// Ends the stream of this number. Returns false if another stream has replaced it.
    pub(super) fn end_stream(&mut self, number: u64) -> bool {
        let is_current = self.stream().is_some_and(|stream| stream.number == number);
        if is_current {
            self.record_message();
            self.phase = Phase::Lost(self.last_message_at);
        }
        is_current
    }

    pub(super) fn stream(&self) -> Option<&Stream> {
        match &self.phase {
            Phase::Listening(stream) => Some(stream),
            _ => None,
        }
    }

    /// Delays older outcomes from now on, as if the stream had just opened.
    pub(super) fn hold_back(&mut self, now: Instant) {
        if let Phase::Listening(stream) = &mut self.phase {
            stream.opened = now;
        }
    }

    /// Whether desks list the agent: it has sent something since the start of the companion, and has not
    /// left.
    pub(super) fn is_listed(&self) -> bool {
        !matches!(self.phase, Phase::Left(_) | Phase::Silent)
    }

    pub(super) fn is_unused(&self) -> bool {
        matches!(self.phase, Phase::New)
    }

    /// Whether the agent has probably left, or has only asked for a session, so that its session may make
    /// room.
    pub(super) fn is_dispensable(&self) -> bool {
        matches!(self.phase, Phase::New | Phase::Left(_))
    }

    /// Postpones the deadlines of the agent by the time for which the process was stopped.
    pub(super) fn shift_deadlines(&mut self, gap: Duration) {
        self.last_message_at += gap;
        if let Phase::Lost(lost) | Phase::Left(lost) = &mut self.phase {
            *lost += gap;
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        [self.unlisted_at(), self.session_ends_at(), self.reviews_end_at()].into_iter().flatten().min()
    }

    /// Returns the part that has ended for the agent by now.
    pub(super) fn on_deadline(&mut self, now: Instant) -> Option<Expiry> {
        let is_due = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        if is_due(self.unlisted_at())
            && let Phase::Lost(lost) = self.phase
        {
            self.phase = Phase::Left(lost);
        }
        if is_due(self.session_ends_at()) {
            return Some(Expiry::Session);
        }
        let expires = is_due(self.reviews_end_at());
        if expires {
            // No deadline after the loss of the stream is left.
            self.phase = if self.is_listed() { Phase::Requesting } else { Phase::Silent };
        }
        expires.then_some(Expiry::Reviews)
    }

    fn session_ends_at(&self) -> Option<Instant> {
        (self.stream().is_none() && self.in_flight.are_read())
            .then_some(self.last_message_at + SESSION_TIMEOUT)
    }

    fn unlisted_at(&self) -> Option<Instant> {
        let has_left = matches!(self.phase, Phase::Lost(_)) && self.in_flight.are_read();
        has_left.then_some(self.last_message_at + LISTING_TIMEOUT)
    }

    fn reviews_end_at(&self) -> Option<Instant> {
        match self.phase {
            Phase::Lost(lost) | Phase::Left(lost) => Some(lost + REVIEWS_TIMEOUT),
            _ => None,
        }
    }
}
