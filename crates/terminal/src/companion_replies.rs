//! Requests to change or decide a review, and the companion's replies to them.

use alongside_desk::review_model::{Message, Question, Subject};
use alongside_desk::{Decision, Refusal, Request, ReviewId, Revised, messages};

use crate::app::{App, Purpose};
use crate::pending_edit::{EditKind, PendingEdit, UnsavedText};
use crate::review_view::ReviewView;

impl App {
    /// Asks for a change; keys that touch a review wait for it. `unsaved`: the text that it carries.
    pub(crate) fn change(
        &mut self,
        id: ReviewId,
        kind: EditKind,
        request: Request,
        unsaved: Option<UnsavedText>,
    ) {
        self.pending = PendingEdit::change(id, kind, unsaved);
        self.ask(request, Purpose::Change(id));
    }

    /// Decides on the revision that was on the screen.
    pub(crate) fn decide(&mut self, decision: Decision) {
        let Some(view) = self.current() else { return };
        let (id, revision) = (view.review().id, view.meant_revision());
        self.pending = PendingEdit::Decision(id);
        self.ask(Request::DecideReview { id, revision, decision }, Purpose::Decide(id));
    }

    pub(crate) fn take_reply(&mut self, purpose: Purpose, reply: Result<Revised, Refusal>) {
        self.due = true;
        match (purpose, reply) {
            (Purpose::Change(id), Ok(Revised { revision })) => {
                self.mark_own(id, revision);
                self.reason.sent = None;
                let (unjudged, taken) = self.pending.mark_made(id, revision);
                self.discard(taken.and_then(|text| text.replaces));
                unjudged.into_iter().for_each(|news| self.tell_news(news));
                self.settle();
            }
            (Purpose::Change(id), Err(refusal)) => {
                let (unjudged, unsaved) = self.pending.take_refused();
                unjudged.into_iter().for_each(|news| self.tell_news(news));
                if refusal == Refusal::NothingToRedo
                    && let Some(view) = self.view_mut(id)
                {
                    view.forget_undone();
                }
                match (unsaved, self.reason.sent.take()) {
                    (Some(unsaved), _) => self.text_refused(id, unsaved, &refusal),
                    (None, Some(reason)) => self.reason_refused(id, reason, &refusal),
                    (None, None) => self.tell_refusal(Some(id), &refusal),
                }
            }
            (Purpose::Upload(_), reply) => self.upload_answered(reply.ok()),
            (Purpose::Pause(paused), Ok(_)) => {
                let message = self.companion.set_paused(paused);
                self.answer(message);
            }
            // The review has ended, and a message says how.
            (Purpose::Decide(id), Err(Refusal::NoSuchReview)) if self.view(id).is_none() => {}
            (Purpose::Decide(id), Err(refusal)) => {
                self.pending.end_decision(id);
                self.tell_refusal(Some(id), &refusal);
            }
            (Purpose::AcceptListed(id), Err(refusal)) => self.acceptance_refused(id, &refusal),
            (Purpose::Pause(_) | Purpose::Send, Err(refusal)) => self.tell_refusal(None, &refusal),
            // A notice says where the selection is.
            (Purpose::Send | Purpose::Decide(_) | Purpose::AcceptListed(_), Ok(_)) => {}
            (Purpose::Nothing, _) => {}
        }
    }

    /// Tells a refusal, or asks the question that says it.
    fn tell_refusal(&mut self, id: Option<ReviewId>, refusal: &Refusal) {
        if let Some(question) = Question::after(refusal) {
            return self.open_question(question);
        }
        let message = Message::warning(messages::refusal(refusal));
        self.answer(Message { about: id.map(Subject::Review), ..message });
    }

    /// This desk made a revision: it is no news to the person.
    pub(crate) fn mark_own(&mut self, id: ReviewId, revision: u64) {
        if let Some(view) = self.view_mut(id) {
            view.mark_own(revision);
        }
    }

    /// Once the pending change is on this desk, its consequences follow, and the keys that waited act.
    pub(crate) fn settle(&mut self) {
        let reviews = &self.reviews;
        let known = |id| {
            reviews
                .iter()
                .map(ReviewView::review)
                .find(|review| review.id == id)
                .map(|review| review.revision)
        };
        let Some((id, kind, mut held)) = self.pending.take_settled(known) else { return };
        self.follow_up(id, kind);
        self.reason.forget_pressed();
        while !matches!(self.pending, PendingEdit::Change(_))
            && let Some((key, at)) = held.pop_front()
        {
            self.take_key(key, at);
        }
        self.pending.hold_all(held);
    }

    /// The consequences of a change that is on this desk.
    pub(crate) fn follow_up(&mut self, id: ReviewId, kind: EditKind) {
        let Some(view) = self.view_mut(id) else {
            if kind == EditKind::Edited {
                self.say(messages::SAVED_BEFORE_THE_END);
            }
            return;
        };
        let hunks = view.review().hunks.len();
        match kind {
            EditKind::KeepOrDrop { hunk } => {
                view.push_step(hunk);
                self.is_new_to_demo = false;
            }
            EditKind::Undo => {
                view.mark_undone();
                self.say(messages::UNDONE);
            }
            EditKind::Redo => {
                view.mark_redone();
                self.say(messages::REDONE);
            }
            EditKind::Split { hunk, before } => {
                view.push_step(hunk);
                self.say(messages::split(before, hunks));
            }
            EditKind::Reason(edit) => self.reason_taken(id, edit),
            EditKind::DropWithReason { hunk } => self.dropped_with_reason(id, hunk),
            EditKind::SingleNewline if self.at == Some(id) => self.decide(Decision::Accept),
            EditKind::SingleNewline => {}
            EditKind::Edited => self.say(messages::edit_taken(hunks)),
        }
    }
}
