//! All connected agents, from the beginning of their sessions to the end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alongside_contract::context::IdeContext;
use alongside_contract::rpc::Id;
use alongside_desk::{Agent, Closing, Lines};
use alongside_platform::random;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::connection::Expiry;
use super::context_frames::{self, ContextFrames};
use super::identity::Identity;
use super::last_texts::LastText;
use super::outcome_messages::OpenCall;
use super::session::{Origin, Session, SessionRefusal};
use crate::persistence::journal::KnownSession;
use crate::persistence::recovery::Outdated;
use crate::reviews::outcome::Outcome;
use crate::reviews::proposal::NotOpened;

/// The largest number of sessions: far more than a person works with, and few enough for desks to show.
pub(crate) const MAX_SESSIONS: usize = 4096;

/// The sessions of all agents.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    sessions: BTreeMap<String, Session>,
    last_session: u64,
    last_stream: u64,
    /// The newest context: every stream begins with it.
    context: Arc<IdeContext>,
    /// The earliest time at which an agent may have a deadline; an agent may also have none then. The main
    /// loop needs a deadline after each event, and computing it from a thousand sessions would take too long.
    next_deadline: Option<Instant>,
    /// Whether streams are cut, not ended, when the loop ends.
    cut: Arc<AtomicBool>,
}

impl Agents {
    pub(crate) fn new(context: IdeContext) -> Self {
        Self { context: Arc::new(context), ..Self::default() }
    }

    /// Begins a session. Returns its id, and the session that has to end to make room: the oldest unused one,
    /// else the oldest one whose agent has left.
    pub(crate) fn begin_session(
        &mut self,
        identity: Identity,
    ) -> Result<(String, Option<String>), SessionRefusal> {
        let id = random::hex::<16>().map_err(|_| SessionRefusal::NoRandom)?;
        let mut evicted = None;
        if self.sessions.len() >= MAX_SESSIONS {
            let oldest = self
                .sessions
                .values()
                .filter(|session| session.connection.is_dispensable())
                .min_by_key(|session| (!session.connection.is_unused(), session.number));
            evicted = Some(oldest.ok_or(SessionRefusal::Full)?.id.clone());
        }
        self.last_session += 1;
        let (family, client) = (identity.family_id(), identity.client_name());
        tracing::info!(agent = self.last_session, family, client, "an agent connects");
        self.insert(Session::new(id.clone(), self.last_session, identity));
        Ok((id, evicted))
    }

    /// Returns the agent that desks show with the review of a hook: that of the session with this name, if
    /// exactly one session has the name; else an agent without a session.
    pub(crate) fn of_hook(&mut self, name: String) -> Agent {
        if let Some(agent) = self.only_agent_named(&name) {
            return Agent { by_hook: true, ..agent };
        }
        self.last_session += 1;
        let since = alongside_desk::now_ms();
        Agent { number: self.last_session, name, since, listening: true, by_hook: true, ..Agent::default() }
    }

    /// Whether the agent of a hook has a session that can get an outcome now. False if several sessions have
    /// this name, because it is unknown which session belongs to the hook.
    pub(crate) fn listens(&self, name: &str) -> bool {
        self.only_agent_named(name).is_some_and(|agent| agent.listening)
    }

    fn only_agent_named(&self, name: &str) -> Option<Agent> {
        let mut matching = self.list().into_iter().filter(|agent| agent.name == name);
        match (matching.next(), matching.next()) {
            (only, None) => only,
            _ => None,
        }
    }

    /// Continues a session from before a crash.
    pub(crate) fn adopt(&mut self, known: KnownSession, handed_over: bool) {
        self.last_session += 1;
        let origin = if handed_over { Origin::Earlier } else { Origin::Interrupted };
        let session = Session::from_journal(known, self.last_session, origin);
        self.insert(session);
    }

    fn insert(&mut self, session: Session) {
        self.next_deadline = earliest(self.next_deadline, session.deadline());
        self.sessions.insert(session.id.clone(), session);
    }

    fn change<T>(&mut self, session: &str, change: impl FnOnce(&mut Session) -> T) -> Option<T> {
        let session = self.sessions.get_mut(session)?;
        let result = change(session);
        self.next_deadline = earliest(self.next_deadline, session.deadline());
        Some(result)
    }

    fn change_all(&mut self, change: impl FnMut(&mut Session)) {
        self.sessions.values_mut().for_each(change);
        self.next_deadline = self.sessions.values().filter_map(Session::deadline).min();
    }

    /// Ends a session. Its reviews must have ended before.
    pub(crate) fn remove(&mut self, session: &str) -> bool {
        let removed = self.sessions.remove(session);
        removed.inspect(|removed| tracing::info!(agent = removed.number, "an agent is gone")).is_some()
    }

    pub(crate) fn is_known(&self, session: &str) -> bool {
        self.sessions.contains_key(session)
    }

    pub(crate) fn record_message(&mut self, session: &str) {
        self.change(session, |session| session.connection.record_message());
    }

    /// Returns the request's number, if the session is known.
    pub(crate) fn begin_request(&mut self, session: &str) -> Option<u64> {
        self.change(session, |session| session.connection.begin_request())
    }

    pub(crate) fn end_request(&mut self, session: &str) {
        self.change(session, |session| {
            session.connection.in_flight.end();
            session.connection.record_message();
            session.pump(Instant::now());
        });
    }

    /// Opens a stream. The earlier stream of the session ends.
    pub(crate) fn open_stream(&mut self, session: &str) -> Option<(u64, mpsc::Receiver<Bytes>)> {
        let (number, context) = (self.last_stream + 1, self.context.clone());
        let frames = self.change(session, |session| {
            tracing::info!(agent = session.number, "an agent listens");
            session.open_stream(number, session.identity.frame_of(&mut ContextFrames::new(&context)))
        })?;
        self.last_stream = number;
        Some((number, frames))
    }

    pub(crate) fn end_stream(&mut self, session: &str, number: u64) {
        self.change(session, |session| {
            if session.connection.end_stream(number) {
                tracing::info!(agent = session.number, "an agent's stream ended");
            }
        });
    }

    pub(crate) fn pump(&mut self, session: &str) {
        self.change(session, |session| session.pump(Instant::now()));
    }

    /// Takes the receipt of an outcome. Returns false if no outcome waited for this receipt.
    pub(crate) fn settle(&mut self, session: &str, ping: &Id) -> bool {
        let settled = self.change(session, |session| {
            session.connection.record_message();
            let path = session.outbox.settle(ping)?;
            session.last_texts.forget(&path);
            tracing::info!(agent = session.number, file = path, "the agent has the outcome");
            Some(())
        });
        settled.flatten().is_some()
    }

    /// Records that a request proposes for a file. With that, the agent no longer needs the outcome of its
    /// last proposal for the file.
    pub(crate) fn propose(
        &mut self,
        session: &str,
        request: u64,
        file_path: &str,
        call: Option<OpenCall>,
    ) -> Result<Agent, NotOpened> {
        let proposed = self.change(session, |session| {
            if !session.connection.in_flight.propose(request, file_path) {
                return Err(NotOpened::Overtaken);
            }
            session.propose(file_path, call);
            Ok(session.agent())
        });
        proposed.unwrap_or(Err(NotOpened::UnknownSession))
    }

    /// Queues the outcome of a review with this last text for the one session that asked. With `hold`, the
    /// outcome waits for the journal.
    pub(crate) fn deliver(
        &mut self,
        session: &str,
        file_path: &str,
        text: &Arc<str>,
        closing: Closing,
        hold: bool,
    ) {
        self.change(session, |session| {
            if let Some(outcome) = Outcome::of(text, closing) {
                session.push_outcome(file_path, outcome);
                if hold && session.is_journaled() {
                    session.outbox.delay_newest();
                }
                session.pump(Instant::now());
            }
            if closing == Closing::AnsweredInAgent {
                // The person has decided in the agent. An answer to the open call would be a second decision.
                session.open_calls.remove(file_path);
            }
            if closing != Closing::Replaced {
                session.remember(file_path, text.clone());
            }
        });
    }

    /// Returns the answer to `closeDiff`: the last text of the file's review, if there was one. No
    /// notification may follow that answer, so an undelivered outcome about the file is dropped.
    pub(crate) fn close_diff(&mut self, session: &str, file_path: &str) -> LastText {
        let text = self.change(session, |session| {
            session.outbox.forget(file_path);
            session.mark_used();
            session.last_texts.get(file_path).map_or(LastText::NoReview, LastText::Text)
        });
        text.unwrap_or(LastText::UnknownSession)
    }

    /// Sends every agent this context, unless the agent has it already.
    pub(crate) fn set_context(&mut self, context: IdeContext) {
        self.context = Arc::new(context);
        let (context, now) = (self.context.clone(), Instant::now());
        let mut frames = ContextFrames::new(&context);
        self.change_all(|session| {
            session.outbox.set_context(session.identity.frame_of(&mut frames));
            session.pump(now);
        });
    }

    /// Returns the session that gets a mention: that of `agent`, or the session that takes mentions and sent
    /// the last message.
    pub(crate) fn session_for_mention(&self, agent: Option<u64>) -> Option<String> {
        let takes = self.sessions.values().filter(|session| {
            session.takes_mentions() && agent.is_none_or(|number| number == session.number)
        });
        takes.max_by_key(|session| session.connection.last_message_at).map(|session| session.id.clone())
    }

    /// Adds a file to the prompt of an agent. Returns the agent's name for people; `None` if the agent
    /// has left.
    pub(crate) fn mention(&mut self, session: &str, path: &str, lines: Option<Lines>) -> Option<String> {
        let mentioned = self.change(session, |session| {
            session.takes_mentions().then(|| {
                let (form, transport) = (session.identity.dialect.context, session.identity.transport);
                session.outbox.push_mention(context_frames::mention(path, lines, form, transport));
                session.pump(Instant::now());
                session.agent().name
            })
        });
        mentioned.flatten()
    }

    /// Returns the next time at which an agent may have a deadline.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.next_deadline
    }

    /// Sends the outcomes whose delay is over. Returns the sessions whose deadline has come.
    pub(crate) fn on_deadline(&mut self, now: Instant) -> Vec<(String, Expiry)> {
        let mut expired = Vec::new();
        self.next_deadline = None;
        for session in self.sessions.values_mut() {
            if session.resend_at().is_some_and(|at| at <= now) {
                session.pump(now);
            }
            let expiry = session.connection.on_deadline(now);
            if expiry != Some(Expiry::Session) {
                self.next_deadline = earliest(self.next_deadline, session.deadline());
            }
            expired.extend(expiry.map(|expiry| (session.id.clone(), expiry)));
        }
        expired
    }

    /// Delays older outcomes until the requests that wait in our sockets have been read.
    pub(crate) fn hold_back(&mut self, now: Instant) {
        self.change_all(|session| session.hold_back(now));
    }

    pub(crate) fn shift_deadlines(&mut self, gap: Duration) {
        self.change_all(|session| session.connection.shift_deadlines(gap));
    }

    /// Releases all outcomes when the companion stops: they then wait neither for unread requests nor for the
    /// journal.
    pub(crate) fn release_outcomes(&mut self) {
        self.change_all(|session| {
            session.connection.in_flight.give_up();
            session.outbox.mark_recording();
            session.outbox.mark_recorded();
            session.pump(Instant::now());
        });
    }

    /// Whether every agent that listens has confirmed every outcome.
    pub(crate) fn are_settled(&self) -> bool {
        self.sessions.values().all(Session::is_settled)
    }

    /// Returns the flag that says whether streams are cut instead of ended.
    pub(crate) fn cut_flag(&self) -> Arc<AtomicBool> {
        self.cut.clone()
    }

    /// Sets whether streams are cut instead of ended when the sessions are dropped.
    pub(crate) fn cut_streams(&self, cut: bool) {
        self.cut.store(cut, Ordering::Release);
    }

    /// Returns the connected agents as desks see them, in the order of their sessions.
    pub(crate) fn list(&self) -> Vec<Agent> {
        let listed = self.sessions.values().filter(|session| session.connection.is_listed());
        let mut listed: Vec<&Session> = listed.collect();
        listed.sort_by_key(|session| session.number);
        let mut new: Vec<&Session> =
            listed.iter().copied().filter(|session| session.origin == Origin::This).collect();
        // An agent whose session was interrupted begins another session, and the old one stays for its
        // outcomes. Each new session hides one old session of the same release.
        listed.retain(|old| {
            let is_of_same_release = |new: &&Session| new.identity.is_same_release(&old.identity);
            let successor =
                new.iter().position(|new| old.origin == Origin::Interrupted && is_of_same_release(new));
            successor.map(|index| new.swap_remove(index)).is_none()
        });
        listed.into_iter().map(Session::agent).collect()
    }

    fn outdated_ids(&self, outdated: Outdated) -> Vec<String> {
        match outdated.all {
            true => self.sessions.keys().cloned().collect(),
            false => outdated.sessions.into_iter().collect(),
        }
    }

    /// Returns the sessions for the journal, without undecided proposals, and the ids of the sessions that
    /// the journal does not hold: they have ended, or end with their connection. Outcomes wait until the
    /// journal has their session.
    pub(crate) fn begin_recording(&mut self, outdated: Outdated) -> (Vec<KnownSession>, Vec<String>) {
        let (mut known, mut ended_ids) = (Vec::new(), Vec::new());
        for id in self.outdated_ids(outdated) {
            let recorded = self.change(&id, |session| {
                session.outbox.mark_recording();
                session.is_journaled().then(|| session.known())
            });
            match recorded.flatten() {
                Some(session) => known.push(session),
                None => ended_ids.push(id),
            }
        }
        (known, ended_ids)
    }

    /// Releases the outcomes that waited for the journal, which holds these sessions now, or cannot be
    /// written.
    pub(crate) fn mark_recorded(&mut self, written: Outdated) {
        for id in self.outdated_ids(written) {
            self.change(&id, |session| {
                session.outbox.mark_recorded();
                session.pump(Instant::now());
            });
        }
    }
}

fn earliest(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.into_iter().chain(other).min()
}

/// Returns the names of the agents of these sessions, each once, as desks show them.
pub(crate) fn names(sessions: &[KnownSession]) -> Vec<String> {
    let mut names: Vec<_> =
        sessions.iter().map(|known| Identity::of_known(known).name_and_version().0).collect();
    names.sort();
    names.dedup();
    names
}
