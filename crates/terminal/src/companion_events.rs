//! The desk follows the companion's events. A message announces each review that arrives, and the list has
//! it. It never changes the review on the screen: only when that one ends, the next one takes its place.

use alongside_desk::review_model::{Message, Question, ReviewNews, Subject};
use alongside_desk::{Changed, Closed, Closing, Event, Review, Status, messages};

use tokio::time::{Duration, Instant};

use crate::app::{App, Effect, Vacancy};
use crate::review_view::ReviewView;

/// A review is announced outside the screen at most this often.
const NOTIFY_INTERVAL: Duration = Duration::from_secs(1);

impl App {
    pub(crate) fn take_event(&mut self, event: Event) {
        self.due = true;
        match event {
            Event::Status(status) => self.status_changed(status),
            Event::Opened(review) => self.review_opened(review),
            Event::Changed(changed) => self.review_changed(changed),
            Event::Closed(closed) => self.review_closed(&closed),
            Event::FlushReview { id } => self.flush(id),
            Event::Problem(problem) => {
                let message = self.companion.take_problem(&problem);
                self.show([message]);
            }
            // Only an editor that knows problems in files is asked.
            Event::DiagnosticsWanted { .. } => {}
            Event::Notice { message } => self.show([Message::notice(message)]),
        }
    }

    fn status_changed(&mut self, status: Status) {
        let news = self.companion.take_status(status);
        // Before the first frame everything is new, and nothing is news.
        if !self.seen.is_blank() {
            self.show(news);
        }
        // Somebody else came who keeps the reviews: leaving is no question any more.
        if self.question == Some(Question::Leave)
            && let Some(stays) = self.companion.stays_open(self.reviews.len())
        {
            self.question = None;
            self.say(stays);
        }
    }

    fn review_opened(&mut self, review: Review) {
        let id = review.id;
        if let Some(known) = self.view_mut(id) {
            // The companion tells everything anew after an interruption.
            *known = ReviewView::new(review);
            return self.invalidate_keys();
        }
        self.notify(&review);
        let same =
            |vacancy: &mut Vacancy| vacancy.agent == review.agent.number && vacancy.file == review.file;
        let vacancy = self.vacancy.take_if(same);
        let end = self.reviews.len();
        let index = vacancy.as_ref().map_or(end, |vacancy| vacancy.index.min(end));
        let arrived = messages::arrived(&review, self.roots(), end + 1, "Tab: next");
        self.reviews.insert(index, ReviewView::new(review));
        if self.at.is_none() || vacancy.as_ref().is_some_and(|vacancy| vacancy.current) {
            self.at = Some(id);
            self.invalidate_keys();
            // The end of the review that it replaces has announced it. Other messages are about what was on
            // the screen before.
            if vacancy.is_none() && !self.seen.is_blank() {
                self.answer(Message::notice(arrived).about(Subject::Arrival(id)));
            }
        } else if !self.seen.is_blank() {
            self.show([Message::notice(arrived).about(Subject::Arrival(id))]);
        }
    }

    /// Announces a review to a person who looks elsewhere. Several that come together are announced once.
    fn notify(&mut self, review: &Review) {
        let looks_elsewhere = !self.is_focused && !self.pending.has_editor() && !self.seen.is_blank();
        let now = Instant::now();
        if looks_elsewhere && self.notified.is_none_or(|last| now >= last + NOTIFY_INTERVAL) {
            self.notified = Some(now);
            self.add_effect(Effect::Notify(review.file.clone()));
        }
    }

    fn review_changed(&mut self, changed: Changed) {
        let id = changed.id;
        let Some(view) = self.view_mut(id) else { return };
        match view.take(changed) {
            Ok(news) => {
                let (is_stale, is_dirty) = (view.review().stale, view.review().dirty);
                if !is_stale {
                    self.messages.end(Subject::Stale(id));
                }
                if !is_dirty {
                    self.messages.end(Subject::Dirty(id));
                }
                if let Some(news) = self.pending.judge(news) {
                    self.tell_news(news);
                }
                self.settle();
            }
            // The screen still shows a revision the companion had; it refuses a decision on it as stale.
            Err(out_of_step) => tracing::error!(review = id.0, %out_of_step),
        }
    }

    /// Tells the person about changes that were not made here. Keys pressed before they see it do not count.
    pub(crate) fn tell_news(&mut self, news: ReviewNews) {
        let Some(view) = self.view(news.id) else { return };
        // The reply that an upload is ours comes after its revision.
        let foreign = view.is_foreign(news) && !self.pending.is_uploading();
        let said = news.messages(&messages::file_name(&view.review().file, self.roots()), foreign);
        if self.at == Some(news.id) && !said.is_empty() {
            self.invalidate_keys();
        }
        self.show(said);
    }

    fn review_closed(&mut self, closed: &Closed) {
        let Some(index) = self.reviews.iter().position(|view| view.review().id == closed.id) else { return };
        let view = self.reviews.remove(index);
        let review = view.review();
        let message = self.companion.review_closed(review, closed, self.roots());
        self.messages.end_review(closed.id);
        // A person who decides needs no hint.
        self.is_new_to_demo &= !closed.decided_here;
        match self.acceptance_closed(closed) {
            true => {}
            false if closed.decided_here => self.answer(message),
            false => self.show([message]),
        }
        self.pending.end_decision(closed.id);
        let current = self.at == Some(closed.id);
        if closed.closing == Closing::Replaced {
            let (agent, file) = (review.agent.number, review.file.clone());
            self.vacancy = Some(Vacancy { index, agent, file, current });
        }
        if current {
            self.at = None;
            // A search is in the review that the person read.
            self.search.needle = None;
            // The new proposal of the same file is the next event; anything else waits for it.
            if closed.closing != Closing::Replaced {
                self.go_to_nearest(index);
            }
            self.invalidate_keys();
        }
        self.end_acceptances();
        self.settle();
    }

    /// Before a frame: a new proposal that did not come leaves no empty screen.
    pub(crate) fn fill_vacancy(&mut self) {
        if self.at.is_none() && !self.reviews.is_empty() {
            let index = self.vacancy.as_ref().map_or(0, |vacancy| vacancy.index);
            self.go_to_nearest(index);
            self.invalidate_keys();
        }
    }

    /// Goes to the review at `index`, or to the last one.
    fn go_to_nearest(&mut self, index: usize) {
        let next = self.reviews.get(index).or(self.reviews.last());
        self.at = next.map(|view| view.review().id);
    }
}
