//! The line desk follows the companion's events. A review that arrives never changes the one that is read:
//! one line announces it, and it waits its turn.

use alongside_desk::review_model::{Message, OpenReview, Question};
use alongside_desk::{
    Changed, Closed, Decision, Event, Refusal, Request, Review, ReviewId, harmless, messages,
};

use super::desk::{Activity, Due, LineDesk};
use super::ending::Policy;

impl LineDesk {
    /// Takes an event of the companion.
    pub(super) async fn take_event(&mut self, event: Event) {
        match event {
            Event::Status(status) => {
                self.roots.clone_from(&status.roots);
                let news = self.companion.take_status(status);
                self.show(news);
                // Somebody else came who keeps the reviews: leaving is no question any more.
                if self.question == Some(Question::Leave)
                    && let Some(stays) = self.companion.stays_open(self.reviews.len())
                {
                    self.question = None;
                    self.prompt_changed();
                    self.show(vec![Message::notice(stays)]);
                }
            }
            Event::Opened(review) => self.review_opened(review).await,
            Event::Changed(changed) => self.review_changed(changed),
            Event::Closed(closed) => self.review_closed(&closed),
            Event::FlushReview { id } => self.flush(id).await,
            Event::Problem(problem) => {
                let message = self.companion.take_problem(&problem);
                self.show(vec![message]);
            }
            Event::DiagnosticsWanted { .. } => {}
            Event::Notice { message } => self.show(vec![Message::notice(message)]),
        }
    }

    /// Prints messages, and the prompt again.
    pub(super) fn show(&mut self, messages: Vec<Message>) {
        for message in &messages {
            self.printer.say(&message.text);
        }
        if !messages.is_empty() {
            self.prompt_again();
        }
    }

    async fn review_opened(&mut self, review: Review) {
        let id = review.id;
        let arrived = messages::arrived(&review, &self.roots, self.reviews.len() + 1, "l lists them");
        let mut open = OpenReview::new(review);
        if open.review().whole_file_only.is_some() {
            open.look_at(usize::MAX);
        }
        self.reviews.push(open);
        match self.policy {
            Policy::AcceptAll => self.decide_at_once(id, Decision::Accept).await,
            Policy::RejectAll => self.decide_at_once(id, Decision::Reject).await,
            Policy::Ask if self.has_prompt() => self.show(vec![Message::notice(arrived)]),
            Policy::Ask => {
                if self.input.terminal && !self.has_editor() {
                    self.printer.break_line();
                }
                self.begin(id);
            }
        }
    }

    fn review_changed(&mut self, changed: Changed) {
        let (id, from) = (changed.id, changed.from);
        let Some(open) = self.open_mut(id) else { return };
        let news = match open.take(changed) {
            Ok(news) => news,
            // The person still sees a revision the companion had; it refuses a decision on it as stale.
            Err(out_of_step) => return tracing::error!(review = id.0, %out_of_step),
        };
        let Some(open) = self.open(id) else { return };
        let foreign = open.is_foreign(news);
        let said = news.messages(&messages::file_name(&open.review().file, &self.roots), foreign);
        if let Some(printed) = self.printed.get_mut(&id) {
            if foreign {
                printed.forget_hunks();
            }
            // A change of the file alone is no other text than the one that was printed.
            if printed.revision == from && !news.content_changed {
                printed.revision = news.revision;
            }
        }
        if self.at != Some(id) {
            return;
        }
        self.show(said);
        // The list stays as it is: the changed review is not accepted with it.
        if foreign && self.accept_all.is_none() {
            self.question = None;
            self.due = self.due.max(Due::Review);
            self.prompt_changed();
        }
    }

    fn review_closed(&mut self, closed: &Closed) {
        let Some(index) = self.reviews.iter().position(|open| open.review().id == closed.id) else {
            return;
        };
        let open = self.reviews.remove(index);
        let message = self.companion.review_closed(open.review(), closed, &self.roots);
        self.printer.say(&message.text);
        self.printed.remove(&closed.id);
        if matches!(self.activity, Activity::Deciding(id) if id == closed.id) {
            self.activity = Activity::Listening;
        }
        self.acceptance_closed(closed);
        if self.at != Some(closed.id) {
            return self.prompt_again();
        }
        self.at = None;
        self.question = None;
        // The next review begins when the editor ends.
        if !self.has_editor() {
            self.next_review();
        }
    }

    /// The agent is about to take the review: the desk sends the saved text before it confirms.
    async fn flush(&mut self, id: ReviewId) {
        if matches!(&self.activity, Activity::Editor(editing) if editing.id == id) {
            self.upload_saved_text().await;
        }
        self.desk.send(Request::Flushed { id });
    }

    /// Decides without a question, by the desk's policy.
    async fn decide_at_once(&mut self, id: ReviewId, mut decision: Decision) {
        self.at = Some(id);
        let Some(review) = self.review(id) else { return };
        let (mut revision, name) = (review.revision, messages::file_name(&review.file, &self.roots));
        // A review that keeps changing meanwhile is somebody else's to decide.
        for _ in 0..5 {
            match self.desk.request(Request::DecideReview { id, revision, decision }).await {
                Ok(_) | Err(Refusal::NoSuchReview | Refusal::Stopped) => return,
                Err(Refusal::Stale { revision: now }) => revision = now,
                Err(refusal) => {
                    self.printer.say(&format!("{name}: {}", harmless::text(&refusal.to_string())));
                    decision = Decision::Reject;
                }
            }
        }
    }
}
