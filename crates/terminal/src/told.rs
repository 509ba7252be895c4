//! What follows from what the companion tells. An arriving review never changes what is being read: it is
//! announced and listed. What is being read changes only when it has ended, and then the next one takes its
//! place.

use alongside_desk::{Changed, Closed, Closing, Event, Problem, Review, Status, harmless};

use crate::app::{App, Vacancy};
use crate::asked::News;
use crate::reading::Reading;
use crate::texts;
use crate::words;

impl App {
    /// Takes an event to heart.
    pub(crate) fn told(&mut self, event: Event) {
        self.due = true;
        match event {
            Event::Status(status) => self.status_changed(status),
            Event::Opened(review) => self.opened(review),
            Event::Changed(changed) => self.changed(changed),
            Event::Closed(closed) => self.closed(&closed),
            Event::FlushReview { id } => self.flush(id),
            Event::Problem(problem) => self.problem(&problem),
        }
    }

    /// Several problems often have one remedy, which is told once.
    fn problem(&mut self, problem: &Problem) {
        self.warn(format!("Problem: {}", harmless::name(&problem.what)));
        if problem.hint != self.last_hint {
            self.last_hint.clone_from(&problem.hint);
            if let Some(hint) = &problem.hint {
                self.warn(harmless::name(hint).into_owned());
            }
        }
    }

    /// Says what is new about the agents. One that does not listen yet is not there.
    fn status_changed(&mut self, status: Status) {
        let old = std::mem::replace(&mut self.status, status);
        let news = words::news(&mut self.met, &old.agents, &self.status.agents);
        if !self.is_new() {
            news.into_iter().for_each(|news| self.say(news));
        }
    }

    fn opened(&mut self, review: Review) {
        let (id, name) = (review.id, texts::file_name(&review.file, self.roots()));
        let agent = texts::agent_name(&review.agent);
        if let Some(known) = self.review_mut(id) {
            // Told anew: what is shown must be what there is.
            *known = Reading::new(review);
            return self.unasked();
        }
        let vacancy = self
            .vacancy
            .take_if(|vacancy| vacancy.agent == review.agent.number && vacancy.file == review.file);
        let index =
            vacancy.as_ref().map_or(self.reviews.len(), |vacancy| vacancy.index.min(self.reviews.len()));
        self.reviews.insert(index, Reading::new(review));
        if self.at.is_none() || vacancy.is_some_and(|vacancy| vacancy.read) {
            self.at = Some(id);
            self.unasked();
            return;
        }
        let n = self.reviews.len();
        if self.is_new() {
            return;
        }
        self.say_in_passing(format!(
            "{name}: {agent} proposes this too; it waits ({n} reviews, Tab goes on)."
        ));
    }

    fn changed(&mut self, changed: Changed) {
        let (id, revision) = (changed.id, changed.revision);
        let Some(reading) = self.review_mut(id) else { return };
        let old = (reading.review.current.clone(), reading.review.stale, reading.review.dirty);
        let states =
            |review: &Review| review.hunks.iter().map(|hunk| (hunk.original, hunk.state)).collect::<Vec<_>>();
        let old_states = states(&reading.review);
        if let Err(out_of_step) = reading.take(changed) {
            // What is shown is still a revision the companion had; a decision on it is refused as stale.
            return tracing::error!(review = id.0, %out_of_step);
        }
        let review = &reading.review;
        let news = News {
            id,
            revision,
            content: old.0 != review.current || old_states != states(review),
            stale: review.stale && !old.1,
            dirty: review.dirty && !old.2,
        };
        match &mut self.asked {
            Some(asked) if asked.id == id && asked.is_unanswered() => asked.unjudged.push(news),
            _ => self.news(news),
        }
        self.settle();
    }

    /// Says what changed and was not done at this desk; keys that were pressed before it was seen do not
    /// count.
    pub(crate) fn news(&mut self, news: News) {
        let sending = self.sending.is_some();
        let Some(reading) = self.review(news.id) else { return };
        let name = texts::file_name(&reading.review.file, self.roots());
        // What was saved in our editor is on its way to be confirmed as ours.
        let others = news.content && news.revision > reading.mine && !sending;
        if others {
            self.say(format!("{name}: changed at another desk; this is how it stands now."));
        }
        if news.stale {
            self.warn(format!("{name}: the file on disk has changed since this was proposed."));
        }
        if news.dirty {
            self.warn(format!("{name}: an editor now holds unsaved changes to the file."));
        }
        if self.at == Some(news.id) && (others || news.stale || news.dirty) {
            self.unasked();
        }
    }

    fn closed(&mut self, closed: &Closed) {
        let Some(index) = self.reviews.iter().position(|reading| reading.review.id == closed.id) else {
            return;
        };
        let review = self.reviews.remove(index).review;
        let listens =
            self.status.agents.iter().any(|known| known.number == review.agent.number && known.listening);
        let said = texts::closed(&review, closed, self.roots(), !listens);
        self.deciding.take_if(|id| *id == closed.id);
        if closed.closing == Closing::Accepted || closed.decided_here {
            self.say(said);
        } else {
            self.warn(said);
        }
        let read = self.at == Some(closed.id);
        if closed.closing == Closing::Replaced {
            self.vacancy = Some(Vacancy { index, agent: review.agent.number, file: review.file, read });
        }
        if read {
            self.at = None;
            // The new proposal of the same file is told next; anything else waits for it.
            if closed.closing != Closing::Replaced {
                self.read_next(index);
            }
            self.unasked();
        }
        self.settle();
    }

    /// Before a frame is drawn: a proposal that was to come anew and did not is no reason to show nothing.
    pub(crate) fn fill_vacancy(&mut self) {
        if self.at.is_none() && !self.reviews.is_empty() {
            let index = self.vacancy.as_ref().map_or(0, |vacancy| vacancy.index);
            self.read_next(index);
            self.unasked();
        }
    }

    /// Goes on to the review that now stands at `index`, or the one before.
    fn read_next(&mut self, index: usize) {
        let next = self.reviews.get(index).or(self.reviews.last());
        self.at = next.map(|reading| reading.review.id);
    }
}
