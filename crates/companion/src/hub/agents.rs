//! Agents come, listen, call, and go.

use alongside_contract::mcp::{CallToolResult, Implementation};
use alongside_contract::rpc::Id;
use alongside_desk as desk;
use alongside_platform::random;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{State, Unwelcome};
use crate::mcp::gate::Proof;
use crate::mcp::stream::Open;
use crate::review::Proposal;
use crate::review::target::BadTarget;
use crate::session::{MOST, Session, Stream};

impl State {
    /// A new session. Where there are too many, the oldest of those that have only asked for one gives way.
    pub(super) fn welcome(
        &mut self,
        client: Implementation,
        version: String,
        proof: Proof,
    ) -> Result<String, Unwelcome> {
        let id = random::hex::<16>().map_err(|_| Unwelcome::NoRandom)?;
        if self.sessions.len() >= MOST {
            let unheard = self.sessions.values().filter(|one| !one.was_heard && one.stream.is_none());
            let oldest = unheard.min_by_key(|one| one.number).map(|one| one.id.clone());
            self.free(&oldest.ok_or(Unwelcome::Full)?);
        }
        self.last_session += 1;
        let mut session = Session::new(id.clone(), self.last_session, client, version, proof);
        session.outbox.receipts = self.receipts;
        let family = session.family.map(|family| family.id);
        tracing::info!(agent = session.number, family, client = session.client.name, "an agent connects");
        self.sessions.insert(id.clone(), session);
        self.stale.session(&id);
        Ok(id)
    }

    /// Ends a session. What its agent left open closes; edits go to drafts.
    pub(super) fn free(&mut self, session: &str) -> bool {
        for id in self.reviews.of(session) {
            self.end_review(id, desk::Closing::AgentGone);
        }
        self.stale.session(session);
        let freed = self.sessions.remove(session);
        if let Some(freed) = &freed {
            tracing::info!(agent = freed.number, "an agent is gone");
        }
        freed.is_some()
    }

    pub(super) fn post_started(&mut self, session: &str) -> Option<u64> {
        let session = self.sessions.get_mut(session)?;
        session.is_back = true;
        session.was_heard = true;
        session.last_heard = Instant::now();
        Some(session.posts.begin())
    }

    pub(super) fn post_read(&mut self, session: &str) {
        if let Some(session) = self.sessions.get_mut(session) {
            session.posts.end();
            session.last_heard = Instant::now();
            session.pump(Instant::now());
        }
    }

    /// The newest stream wins: the one before it ends.
    pub(super) fn open_stream(&mut self, session: &str) -> Option<Open> {
        let session = self.sessions.get_mut(session)?;
        self.last_stream += 1;
        let (sender, frames) = mpsc::channel(1);
        let (number, now) = (self.last_stream, Instant::now());
        tracing::info!(agent = session.number, "an agent listens");
        session.stream = Some(Stream { number, frames: sender, opened: now });
        session.stream_lost = None;
        session.is_back = true;
        session.was_heard = true;
        session.last_heard = now;
        session.outbox.stream_opened();
        session.outbox.set_context(self.context.clone());
        session.pump(now);
        let (events, cut) = (self.events.clone(), self.cut.clone());
        Some(Open { session: session.id.clone(), number, frames, events, cut })
    }

    pub(super) fn stream_ended(&mut self, session: &str, number: u64) {
        let Some(session) = self.sessions.get_mut(session) else {
            return;
        };
        if session.stream_number() == number {
            tracing::info!(agent = session.number, "an agent's stream ended");
            session.stream = None;
            session.stream_lost = Some(Instant::now());
            session.last_heard = Instant::now();
        }
    }

    pub(super) fn pump(&mut self, session: &str) {
        if let Some(session) = self.sessions.get_mut(session) {
            session.pump(Instant::now());
        }
    }

    /// The agent has what was decided.
    pub(super) fn receipt(&mut self, session: &str, ping: &Id) {
        let Some(known) = self.sessions.get_mut(session) else {
            return;
        };
        known.last_heard = Instant::now();
        if let Some(path) = known.outbox.settle(ping) {
            known.forget(&path);
            tracing::info!(agent = known.number, file = path, "the agent has the outcome");
            self.scribe.look_after_drafts();
            self.stale.session(session);
        }
    }

    /// `openDiff`: answered at once. `None` for an unknown session.
    pub(super) fn open_diff(
        &mut self,
        session: &str,
        post: u64,
        file_path: &str,
        proposal: Result<Proposal, BadTarget>,
    ) -> Option<CallToolResult> {
        let known = self.sessions.get_mut(session)?;
        if !known.posts.propose(post, file_path) {
            let why = "a later request has proposed for this file already";
            return Some(CallToolResult::error(why.to_owned()));
        }
        // By asking anew the agent says that it is done with the last one.
        known.outbox.forget(file_path);
        known.forget(file_path);
        let agent = known.agent();
        if let Some(replaced) = self.reviews.find(session, file_path) {
            self.end_review(replaced, desk::Closing::Replaced);
        }
        let proposal = match proposal {
            Ok(proposal) => proposal,
            Err(bad) => return Some(CallToolResult::error(bad.to_string())),
        };
        let dirty = self.files.is_dirty(file_path, proposal.real_path());
        let opened = self.reviews.open(session, agent, proposal, dirty, &self.real_roots);
        let (id, review) = (opened.id, opened.review());
        tracing::info!(review = id.0, agent = review.agent.number, file = file_path, "a proposal");
        self.tell_desks(&desk::Event::Opened(review));
        self.stale.session(session);
        if self.stopping.is_some() {
            self.end_review(id, desk::Closing::Stopped);
        }
        Some(CallToolResult::default())
    }

    /// Sends what was held back, closes the views of agents that stay away, frees those that are gone.
    pub(super) fn look_after_sessions(&mut self, now: Instant) {
        let is_due = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        let mut gone = Vec::new();
        let mut away = Vec::new();
        for session in self.sessions.values_mut() {
            if is_due(session.resend_at()) {
                session.pump(now);
            }
            if is_due(session.freed_at()) {
                gone.push(session.id.clone());
            } else if is_due(session.views_close_at()) {
                session.stream_lost = None;
                away.push(session.id.clone());
            }
        }
        for id in away.iter().flat_map(|session| self.reviews.of(session)).collect::<Vec<_>>() {
            self.end_review(id, desk::Closing::AgentGone);
        }
        for session in gone {
            self.free(&session);
        }
    }
}
