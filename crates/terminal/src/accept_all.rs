//! Accepting all reviews after one confirmation.
//!
//! Nothing is accepted that was not on the screen: every row of the list has to be there before a reply
//! counts, and each acceptance names the revision that is listed.

use alongside_desk::review_model::{Acceptances, ListedReview, Message};
use alongside_desk::{Closed, Decision, Refusal, Request, ReviewId, messages};
use crossterm::event::{KeyCode, KeyEvent};

use crate::accept_list::AcceptAll;
use crate::app::{App, Purpose};
use crate::keys::{self, Action};
use crate::pending_edit::PendingEdit;
use crate::review_view::ReviewView;

impl App {
    /// Lists the reviews that wait, for the person to confirm.
    pub(crate) fn open_accept_all(&mut self) {
        let listed = |view: &ReviewView| {
            let review = view.review();
            let known = view.seen.map(|_| view.meant_revision());
            (ListedReview::new(review, known, self.roots()), self.agent(&review.agent))
        };
        self.accept_all = Some(AcceptAll::new(self.reviews.iter().map(listed)));
        self.due = true;
    }

    /// Takes a key while the list is open.
    pub(crate) fn accept_all_key(&mut self, key: KeyEvent) {
        let Some(list) = &mut self.accept_all else { return };
        let height = self.areas.main.height;
        let page = isize::try_from(height / 2).unwrap_or(1);
        match (key.code, keys::action(key)) {
            (KeyCode::Char('y' | 'Y'), _) if !list.ready.is_empty() => self.accept_listed(),
            (KeyCode::Char('n' | 'N' | 'c') | KeyCode::Esc, _) | (_, Some(Action::Leave)) => {
                self.accept_all = None;
                self.forget_seen();
            }
            (_, Some(Action::NextHunk)) => list.scroll(1, height),
            (_, Some(Action::PreviousHunk)) => list.scroll(-1, height),
            (_, Some(Action::PageDown | Action::HalfDown)) => list.scroll(page, height),
            (_, Some(Action::PageUp | Action::HalfUp)) => list.scroll(-page, height),
            _ => {}
        }
        self.due = true;
    }

    fn accept_listed(&mut self) {
        let Some(list) = self.accept_all.take_if(|list| list.is_seen()) else { return };
        let mut acceptances = Acceptances::of(list.ids());
        for (listed, _) in list.ready {
            let (id, revision) = (listed.id, listed.revision);
            if acceptances.begin(&listed, self.view(id).map(|view| view.review().revision)) {
                let request = Request::DecideReview { id, revision, decision: Decision::Accept };
                self.ask(request, Purpose::AcceptListed(id));
            }
        }
        self.pending = PendingEdit::Acceptances(acceptances);
        // The list covered the review.
        self.forget_seen();
        self.end_acceptances();
    }

    /// A review ended. True if a message about all of them will tell.
    pub(crate) fn acceptance_closed(&mut self, closed: &Closed) -> bool {
        match &mut self.pending {
            PendingEdit::Acceptances(acceptances) => acceptances.closed(closed),
            _ => false,
        }
    }

    /// The companion refused to accept a listed review.
    pub(crate) fn acceptance_refused(&mut self, id: ReviewId, refusal: &Refusal) {
        let name = self.view(id).map(|view| messages::file_name(&view.review().file, self.roots()));
        if let PendingEdit::Acceptances(acceptances) = &mut self.pending {
            acceptances.refused(id, name, refusal);
        }
        self.end_acceptances();
    }

    /// Tells the person the end once no acceptance is under way.
    pub(crate) fn end_acceptances(&mut self) {
        let PendingEdit::Acceptances(acceptances) = &mut self.pending else { return };
        let Some(end) = acceptances.end(self.reviews.iter().map(|view| view.review().id)) else { return };
        self.pending = PendingEdit::Idle;
        let (text, failed) = (end.text(), end.has_failures());
        self.answer(if failed { Message::warning(text) } else { Message::notice(text) });
    }
}
