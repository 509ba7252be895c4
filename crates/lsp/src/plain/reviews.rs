//! What follows from what the companion says. A review that comes never changes what is being read or typed:
//! it is announced, marked and offered. When it is over, everything that showed it goes away.

use std::path::Path;

use alongside_desk::{
    Changed, Closed, Closing, Event, Problem, Request, Review, ReviewId, harmless, messages,
};

use super::documents::Key;
use super::proposal::{Proposal, What};
use super::showing::{REJECT, WAIT};
use super::{Ended, Plain, Question, texts};
use crate::io::{Asked, Io};
use crate::session::stopped;
use crate::uri;

impl Plain {
    pub(crate) fn told(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Status(status) => (self.host, self.paused) = (status.pid, status.paused),
            Event::Opened(review) => self.opened(io, review),
            Event::Changed(changed) => self.changed(io, changed),
            Event::Closed(closed) => self.closed(io, &closed),
            Event::FlushReview { id } => match self.reviews.get_mut(&id) {
                Some(proposal) => {
                    proposal.flushing = true;
                    self.go_on(io, id);
                }
                None => io.request(Asked::Nobody, Request::Flushed { id }),
            },
            Event::Problem(problem) => self.problem(io, &problem),
        }
    }

    pub(super) fn problem(&self, io: &Io, problem: &Problem) {
        self.say(io, true, &harmless::name(&problem.what));
        if let Some(hint) = &problem.hint {
            self.say(io, true, &harmless::text(hint));
        }
    }

    /// The companion has stopped; it has said what became of its reviews, mostly.
    pub(crate) fn gone(&mut self, io: &mut Io) {
        let left: Vec<ReviewId> = self.reviews.keys().copied().collect();
        for id in left {
            self.closed(io, &Closed { id, closing: Closing::Stopped, decided_here: false, draft: None });
        }
        self.problem(io, &stopped());
    }

    pub(super) fn opened(&mut self, io: &mut Io, review: Review) {
        let id = review.id;
        if let Some(known) = self.reviews.get_mut(&id) {
            known.mirror.told(review.current.clone());
            known.others = review.revision;
            known.review = review;
            return self.go_on(io, id);
        }
        // The same name whenever the editor starts us again: it may have the document open still.
        let name = format!("{}-{}-{id}", self.client.process_id.unwrap_or_default(), self.host);
        let mut proposal = Proposal::new(review, self.own.as_ref().map(|own| own.join(name)));
        let open = proposal.path.as_ref().and_then(|path| self.documents.get(path));
        if let Some(document) = open {
            proposal.opened(&document.text);
        }
        self.reviews.insert(id, proposal);
        self.mark_target(io, id);
        self.mark(io, id);
        self.go_on(io, id);
        match self.client.opens_reviews {
            true => self.show(io, id, None),
            false => self.announce(io, id),
        }
    }

    pub(super) fn changed(&mut self, io: &mut Io, changed: Changed) {
        let id = changed.id;
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        let before = (proposal.review.stale, proposal.review.dirty);
        if let Err(out_of_step) = proposal.review.take(changed) {
            // A decision on what is shown is refused as stale.
            return tracing::error!(review = id.0, %out_of_step);
        }
        let ours = proposal.mirror.told(proposal.review.current.clone()) || proposal.acting;
        if !ours || before != (proposal.review.stale, proposal.review.dirty) {
            proposal.others = proposal.review.revision;
        }
        self.go_on(io, id);
        self.mark(io, id);
    }

    pub(super) fn closed(&mut self, io: &mut Io, closed: &Closed) {
        let Some(mut proposal) = self.reviews.remove(&closed.id) else { return };
        for wish in std::mem::take(&mut proposal.wishes) {
            self.done(io, wish.id);
        }
        let said = messages::closed(&proposal.review, closed, &self.client.roots, false);
        self.say(io, !closed.decided_here && closed.closing != Closing::Accepted, &said);
        let target = self.target(&proposal.review);
        self.mark_file(io, &target);
        // It was marked under its other name if the editor opened it only after that.
        let named: Key = Path::new(&proposal.review.file).components().collect();
        if named != target {
            self.mark_file(io, &named);
        }
        let Some(path) = proposal.path.clone().filter(|_| proposal.open.is_some()) else { return };
        self.publish(io, &path, &[]);
        self.refresh_lenses(io);
        let name = texts::file_name(&proposal.review, &self.client.roots);
        self.ended.insert(path, Ended { name, file: proposal, said: false });
        // Back to where the person was.
        let back = closed.decided_here && self.shows_documents() && target.is_file();
        if let Some(uri) = uri::of_path(&target).filter(|_| back) {
            self.show_document(io, &uri, None, Question::Nothing);
        }
    }

    /// The editor has closed a proposal, and it was long enough ago to mean it.
    pub(super) fn was_closed(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let name = texts::file_name(&proposal.review, &self.client.roots);
        if proposal.has_edits() {
            let still =
                format!("{name}: you edited the proposal, so closing it rejects nothing: it waits still");
            self.say(io, true, &still);
        } else if self.client.editor.prompts {
            // There a document is closed also because another one took its place.
            let question = format!("{name}: the proposal was closed.");
            self.prompt(io, question, [WAIT, REJECT], Question::Closing(id));
        } else {
            self.wish(io, id, None, What::Reject);
        }
    }
}
