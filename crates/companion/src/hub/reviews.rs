//! How reviews end, who hears of it, and where edits go that nobody took.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_contract::diff::{
    DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted, DiffClosed, DiffRejected,
};
use alongside_contract::rpc;
use alongside_desk::{self as desk, Closed, Closing, Decision, Refusal, ReviewId};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{DeskId, LastText, State};
use crate::drafts::NewDraft;
use crate::review::Pending;
use crate::scribe::Job;

/// How long `closeDiff` waits for desks to send what they have not sent.
const FLUSH_AT_MOST: Duration = Duration::from_millis(150);

/// A `closeDiff` that waits for desks.
pub(super) struct Flush {
    review: ReviewId,
    session: String,
    file_path: String,
    waiting: BTreeSet<DeskId>,
    pub(super) until: Instant,
    answer: oneshot::Sender<LastText>,
}

impl State {
    /// Takes a decision, if it was made on what the review is now.
    pub(super) fn decide(
        &mut self,
        desk: DeskId,
        id: ReviewId,
        revision: u64,
        decision: Decision,
    ) -> Result<u64, Refusal> {
        self.reviews.get(id)?.may_decide(revision, decision)?;
        let closing = match decision {
            Decision::Accept => Closing::Accepted,
            Decision::Reject => Closing::Rejected,
        };
        self.end_review_by(Some(desk), id, closing);
        Ok(revision)
    }

    /// Ends a review and tells everybody whose business it is: the session that asked, and every desk.
    pub(super) fn end_review(&mut self, id: ReviewId, closing: Closing) {
        self.end_review_by(None, id, closing);
    }

    fn end_review_by(&mut self, decided: Option<DeskId>, id: ReviewId, closing: Closing) {
        let Some(pending) = self.reviews.take(id) else {
            return;
        };
        let draft = self.keep_what_was_typed(&pending, closing);
        tracing::info!(review = id.0, ?closing, draft = draft.is_some(), "a review ended");
        let path = pending.file_path();
        if let Some(session) = self.sessions.get_mut(&pending.session) {
            let messages = outcome(&pending, closing, session.hears_that_diffs_close());
            if !messages.is_empty() {
                let stream = session.stream_number();
                session.outbox.push(path, messages, stream);
                if self.keeps_journal && self.stopping.is_none() {
                    session.outbox.hold_newest();
                }
                session.pump(Instant::now());
            }
            if closing != Closing::Replaced {
                session.remember(path, pending.current().clone());
            }
        }
        let closed = Closed { id, closing, decided_here: false, draft: None };
        self.tell_end(closed, decided, draft, pending.file_path());
        self.stale.session(&pending.session);
    }

    /// `closeDiff`: the review vanishes, and its last text is the answer, once desks have sent all of it.
    pub(super) fn close_diff(
        &mut self,
        session: String,
        file_path: String,
        answer: oneshot::Sender<LastText>,
    ) {
        if !self.sessions.contains_key(&session) {
            let _ = answer.send(None);
            return;
        }
        match self.reviews.find(&session, &file_path) {
            Some(review) => {
                self.tell_desks(&desk::Event::FlushReview { id: review });
                let asked = self.desks.iter().filter(|(_, desk)| !desk.observes);
                let waiting = asked.map(|(id, _)| *id).collect();
                let until = Instant::now() + FLUSH_AT_MOST;
                self.flushes.push(Flush { review, session, file_path, waiting, until, answer });
                self.finish_flushes(Instant::now());
            }
            None => self.answer_close(&session, &file_path, answer),
        }
    }

    /// A desk has nothing left to send.
    pub(super) fn flushed(&mut self, desk: DeskId, review: Option<ReviewId>) {
        for flush in &mut self.flushes {
            if review.is_none_or(|review| review == flush.review) {
                flush.waiting.remove(&desk);
            }
        }
        self.finish_flushes(Instant::now());
    }

    /// Answers the `closeDiff` calls that need not wait any longer.
    pub(super) fn finish_flushes(&mut self, now: Instant) {
        let is_done = |flush: &mut Flush| flush.waiting.is_empty() || flush.until <= now;
        let done: Vec<Flush> = self.flushes.extract_if(.., is_done).collect();
        for flush in done {
            self.end_review(flush.review, Closing::AnsweredInAgent);
            self.answer_close(&flush.session, &flush.file_path, flush.answer);
        }
    }

    /// No notification follows a `closeDiff`: whatever was undelivered about this file is in the answer.
    fn answer_close(&mut self, session: &str, file_path: &str, answer: oneshot::Sender<LastText>) {
        let known = self.sessions.get_mut(session);
        let text = known.map(|known| {
            known.outbox.forget(file_path);
            known.remembered(file_path)
        });
        self.stale.session(session);
        let _ = answer.send(text);
    }

    /// An open review was edited: its draft follows.
    pub(super) fn follow_with_draft(&mut self, id: ReviewId) {
        let Ok(pending) = self.reviews.get(id) else { return };
        let job = if pending.has_edits() {
            let why = "its review is still open, or was interrupted";
            self.last_draft += 1;
            Job::SaveDraft(new_draft(self.started, self.last_draft, pending, why), None)
        } else {
            let draft = draft_id(self.started, id);
            self.telling.forget(&draft);
            Job::DeleteDraft(draft)
        };
        self.scribe.send(job);
    }

    /// What becomes of the draft of a review that ends. Returns what is written of it, unless it was
    /// accepted: then it goes when the agent has written it.
    fn keep_what_was_typed(&mut self, pending: &Pending, closing: Closing) -> Option<(String, u64)> {
        let id = draft_id(self.started, pending.id);
        if !pending.has_edits() {
            self.telling.forget(&id);
            self.scribe.send(Job::DeleteDraft(id));
            return None;
        }
        let why = match closing {
            Closing::Accepted => "it was accepted, and the file does not hold it",
            Closing::Rejected => "it was rejected",
            Closing::AnsweredInAgent => "it was answered in the agent",
            Closing::Replaced => "the agent proposed the file anew",
            Closing::AgentGone => "the agent went away",
            Closing::Stopped => "the companion was stopped",
            Closing::EditorGone => "the editor went away",
            Closing::Interrupted => "the companion was interrupted",
        };
        self.last_draft += 1;
        let mut draft = new_draft(self.started, self.last_draft, pending, why);
        if closing == Closing::Accepted {
            draft.awaited = true;
            self.scribe.send(Job::SaveDraft(draft, None));
            return None;
        }
        let written = self.wait_for_draft(&id, self.last_draft);
        self.scribe.send(Job::SaveDraft(draft, Some(written)));
        Some((id, self.last_draft))
    }

    pub(super) fn tell_changed(&mut self, id: ReviewId) {
        if let Ok(pending) = self.reviews.get(id) {
            let changed = pending.changed_since_told();
            self.tell_desks(&desk::Event::Changed(changed));
        }
    }
}

/// The notifications that tell an outcome; none where the agent knows it already, or has moved on.
fn outcome(pending: &Pending, closing: Closing, closes: bool) -> Vec<String> {
    let file_path = pending.file_path().to_owned();
    match closing {
        Closing::Accepted => {
            let content = pending.current().to_string();
            vec![rpc::notification(DIFF_ACCEPTED, &DiffAccepted { file_path, content })]
        }
        Closing::AnsweredInAgent | Closing::Replaced => Vec::new(),
        Closing::Rejected
        | Closing::AgentGone
        | Closing::Stopped
        | Closing::EditorGone
        | Closing::Interrupted => refused(file_path, closes),
    }
}

/// The notifications that tell that nothing came of a proposal; `closes` for a session that is to hear that
/// the diff closes.
pub(super) fn refused(file_path: String, closes: bool) -> Vec<String> {
    let mut messages = vec![rpc::notification(DIFF_REJECTED, &DiffRejected { file_path: file_path.clone() })];
    if closes {
        // Agents of mid 2025 know no other.
        messages.push(rpc::notification(DIFF_CLOSED, &DiffClosed { file_path, content: None }));
    }
    messages
}

pub(super) fn draft_id(started: u64, review: ReviewId) -> String {
    format!("{started}-{review}")
}

fn new_draft(started: u64, number: u64, pending: &Pending, why: &str) -> NewDraft {
    NewDraft {
        id: draft_id(started, pending.id),
        number,
        file: pending.file_path().to_owned(),
        agent: pending.agent.name.clone(),
        why: why.to_owned(),
        awaited: false,
        text: pending.current().clone(),
    }
}
