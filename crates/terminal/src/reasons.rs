//! Reasons for the agent's model: the person says why they drop a change, or decide as they do. A reason
//! alone decides nothing, and what was typed is never lost.

use alongside_desk::review_model::{Message, Subject};
use alongside_desk::{Refusal, Request, ReviewId, messages};
use crossterm::event::{KeyCode, KeyEvent};
use tokio::time::Instant;

use crate::app::App;
use crate::messages::{DROPPED_WITH_REASON, REASON_COMES_BACK, REVIEW_ENDED};
use crate::pending_edit::EditKind;
use crate::reason_input::{ReasonEdit, ReasonInput, known};
use crate::text_input;

impl App {
    /// Opens the input, unless the agent's model would not read the reason: then the person learns that
    /// before they type it.
    pub(crate) fn open_reason(&mut self) {
        let Some(at) = self.at else { return };
        let Some(view) = self.view_mut(at) else { return };
        if view.review().reasons.are_lost() {
            let why = messages::no_reason(&view.review().agent);
            return self.warn(why);
        }
        if view.review().hunks.len() > 1 && !view.hunk_on_screen() {
            view.show_hunk();
        }
        let unsent = self.reason.unsent.take();
        let Some(view) = self.view(at) else { return };
        self.reason.typing = Some(ReasonInput::new(view.review(), view.hunk(), unsent));
        self.due = true;
    }

    /// Takes a key while the person types a reason.
    pub(crate) fn reason_typed(&mut self, key: KeyEvent, at: Instant) {
        let Some(input) = &mut self.reason.typing else { return };
        match key.code {
            KeyCode::Enter => self.confirm_reason(at),
            KeyCode::Esc => drop(self.reason.close()),
            KeyCode::Tab | KeyCode::BackTab => {
                let view = self.reviews.iter().find(|view| view.review().id == input.id);
                if let Some(view) = view {
                    input.switch(view.review());
                }
            }
            _ => text_input::edit(&mut input.text, key),
        }
    }

    /// Asks the companion to take the reason.
    fn confirm_reason(&mut self, at: Instant) {
        // It may drop a change, and must not hit one that the person has not seen.
        if !self.key_counts(at) {
            return self.show([Message::notice(messages::TYPED_TOO_SOON)]);
        }
        let Some(input) = self.reason.close() else { return };
        let Some(view) = self.view(input.id) else {
            let is_kept = self.reason.keep(input.text);
            return self.warn(format!("{REVIEW_ENDED}{}", if is_kept { REASON_COMES_BACK } else { "" }));
        };
        let (review, revision) = (view.review(), view.meant_revision());
        let (id, hunk, edit) = (review.id, input.hunk(review), input.edit(review));
        if edit == ReasonEdit::Removed && known(review, hunk).is_none() {
            return;
        }
        let reason = input.text.trim().to_owned();
        let request = Request::SetReason { id, revision, hunk, reason: reason.clone() };
        self.reason.sent = Some(reason);
        self.change(id, EditKind::Reason(edit), request, None);
    }

    /// The review has the reason, or has lost it; a change that it is for is dropped next.
    pub(crate) fn reason_taken(&mut self, id: ReviewId, edit: ReasonEdit) {
        let Some(view) = self.view(id) else { return };
        let (revision, reasons) = (view.meant_revision(), view.review().reasons);
        match edit {
            ReasonEdit::Removed => self.say(messages::REASON_REMOVED),
            ReasonEdit::OfAll => self.say(messages::reason_noted(reasons)),
            ReasonEdit::OfChange => self.say(messages::reason_of_change_noted(reasons)),
            ReasonEdit::OfChangeToDrop { hunk } => {
                let request = Request::KeepHunks { id, revision, hunks: vec![hunk], keep: false };
                self.change(id, EditKind::DropWithReason { hunk }, request, None);
            }
        }
    }

    /// The change of a reason is dropped.
    pub(crate) fn dropped_with_reason(&mut self, id: ReviewId, hunk: usize) {
        if let Some(view) = self.view_mut(id) {
            view.push_step(hunk);
        }
        self.is_new_to_demo = false;
        self.say(DROPPED_WITH_REASON);
    }

    /// The companion did not take the reason: the next `R` begins with it.
    pub(crate) fn reason_refused(&mut self, id: ReviewId, reason: String, refusal: &Refusal) {
        let back = if self.reason.keep(reason) { REASON_COMES_BACK } else { "" };
        let message = Message::warning(format!("{}{back}", messages::refusal(refusal)));
        self.answer(message.about(Subject::Review(id)));
    }
}
