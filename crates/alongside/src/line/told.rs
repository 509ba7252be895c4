//! What happens at the line desk when the companion tells it something. An arriving review never changes what
//! is being read: it is announced in one line and waits its turn.

use alongside_desk::{Changed, Closed, Decision, Event, Problem, Refusal, Request, Review, ReviewId, Status};

use alongside_desk::harmless;
use alongside_terminal::words;

use super::{Due, LineDesk, Policy, Waiting};

impl LineDesk {
    /// Takes an event to heart.
    pub(super) async fn told(&mut self, event: Event) {
        match event {
            Event::Status(status) => self.status_changed(status),
            Event::Opened(review) => self.opened(review).await,
            Event::Changed(changed) => self.changed(changed),
            Event::Closed(closed) => self.closed(&closed),
            Event::FlushReview { id } => self.flush(id).await,
            Event::Problem(problem) => self.problem(&problem),
        }
    }

    /// Several problems often have one remedy, which is told once.
    fn problem(&mut self, problem: &Problem) {
        self.paper.say(&format!("Problem: {}", harmless::text(&problem.what)));
        if problem.hint != self.last_hint {
            self.last_hint.clone_from(&problem.hint);
            if let Some(hint) = &problem.hint {
                self.paper.say(&format!("  {}", harmless::text(hint)));
            }
        }
        self.ask_again();
    }

    fn status_changed(&mut self, status: Status) {
        let known = std::mem::replace(&mut self.status, status);
        let news = words::news(&mut self.met, &known.agents, &self.status.agents);
        for line in &news {
            self.paper.say(line);
        }
        if !news.is_empty() {
            self.ask_again();
        }
    }

    async fn opened(&mut self, review: Review) {
        let id = review.id;
        self.waiting.push(Waiting::new(review));
        match self.policy {
            Policy::AcceptAll => return self.decide_at_once(id, Decision::Accept).await,
            Policy::RejectAll => return self.decide_at_once(id, Decision::Reject).await,
            Policy::Ask => {}
        }
        if self.at.is_none() && self.confirm.is_none() {
            if self.answers.terminal && self.editing.is_none() {
                self.paper.break_line();
            }
            return self.begin(id);
        }
        if let Some(waiting) = self.waiting.last() {
            let name = words::file_name(&waiting.review.file, &self.roots);
            let agent = words::agent_name(&waiting.review.agent);
            let n = self.waiting.len();
            self.paper.say(&format!(
                "{name}: {agent} proposes this too; it comes later ({n} reviews wait, l lists them)."
            ));
            self.ask_again();
        }
    }

    fn changed(&mut self, changed: Changed) {
        let (id, read) = (changed.id, self.at == Some(changed.id));
        let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.review.id == id) else {
            return;
        };
        let old = waiting.review.clone();
        if let Err(out_of_step) = waiting.review.take(changed) {
            // What is shown is still a revision the companion had; a decision on it is refused as stale.
            return tracing::error!(review = id.0, %out_of_step);
        }
        let review = &waiting.review;
        waiting.place = words::same_place(&old.hunks, waiting.place, &review.hunks);
        if !read || review.revision <= waiting.mine && old.stale == review.stale && old.dirty == review.dirty
        {
            return;
        }
        let name = words::file_name(&review.file, &self.roots);
        let others =
            review.revision > waiting.mine && old.current != review.current || old.hunks != review.hunks;
        if review.stale && !old.stale {
            self.paper.say(&format!(
                "{name}: the file on disk has changed since this was proposed; accepting undoes that change."
            ));
        } else if review.dirty && !old.dirty {
            self.paper.say(&format!("{name}: an editor now holds unsaved changes to the file."));
        }
        if others && review.revision > waiting.mine {
            self.paper.say(&format!("{name}: changed at another desk; this is how it stands now."));
            self.confirm = None;
            self.due = self.due.max(Due::Review);
            self.question_changed();
        } else {
            self.ask_again();
        }
    }

    fn closed(&mut self, closed: &Closed) {
        let Some(index) = self.waiting.iter().position(|waiting| waiting.review.id == closed.id) else {
            return;
        };
        let waiting = self.waiting.remove(index);
        let agent = waiting.review.agent.number;
        let listens = self.status.agents.iter().any(|known| known.number == agent && known.listening);
        self.paper.say(&words::closed(&waiting.review, closed, &self.roots, !listens));
        self.deciding.take_if(|id| *id == closed.id);
        if self.at != Some(closed.id) {
            return self.ask_again();
        }
        self.at = None;
        self.confirm = None;
        // While an editor has the terminal nothing new begins; it is looked for when the editor ends.
        if self.editing.is_none() {
            self.next_review();
        }
    }

    /// The agent is about to take the text: what was saved in an open editor is sent before it does.
    async fn flush(&mut self, id: ReviewId) {
        if self.editing.as_ref().is_some_and(|editing| editing.id == id) {
            self.take_over_saved().await;
        }
        self.desk.send(Request::Flushed { id });
    }

    /// Decides without asking, as told when started.
    async fn decide_at_once(&mut self, id: ReviewId, mut decision: Decision) {
        self.at = Some(id);
        let Some(mut revision) = self.review(id).map(|review| review.revision) else {
            return;
        };
        // A review that keeps changing under our hands is somebody else's to decide.
        for _ in 0..5 {
            match self.desk.request(Request::DecideReview { id, revision, decision }).await {
                Ok(_) | Err(Refusal::NoSuchReview | Refusal::Stopped) => return,
                Err(Refusal::Stale { revision: now }) => revision = now,
                Err(refusal) => {
                    let name = self.review(id).map(|review| words::file_name(&review.file, &self.roots));
                    self.paper.say(&format!(
                        "{}: {}",
                        name.unwrap_or_default(),
                        harmless::text(&refusal.to_string())
                    ));
                    decision = Decision::Reject;
                }
            }
        }
    }
}

/// The edit that replaces the whole text.
pub(super) fn whole_text(id: ReviewId, revision: u64, text: String) -> Request {
    Request::EditReview { id, revision, changes: vec![alongside_desk::Change { range: None, text }] }
}
