//! Reasons for the agent's model: the person says why they drop a change, or decide as they do. A reason
//! alone decides nothing, and what was typed is never lost.

use alongside_desk::review_model::{Message, Subject};
use alongside_desk::{Refusal, Request, ReviewId, messages};
use crossterm::event::{KeyCode, KeyEvent};

use super::Reviews;
use super::pending_edit::{EditKind, Typed};
use crate::output::Output;
use crate::overlays::Overlay;
use crate::overlays::reason_input::{ReasonEdit, ReasonInput, known};
use crate::review_view::ReviewView;
use crate::text::typing;
use crate::words::messages::{REASON_COMES_BACK, REVIEW_ENDED};

/// The reasons that the person typed last.
#[derive(Debug, Default)]
pub(crate) struct UnsentReason {
    /// The one that nobody took: the next input begins with it.
    text: Option<String>,
    /// The one that the review has now: an undo takes it back.
    given: Option<GivenReason>,
}

/// A reason that was given, until something else follows.
#[derive(Debug)]
struct GivenReason {
    id: ReviewId,
    hunk: Option<usize>,
    /// The reason before it; empty if there was none.
    before: String,
    /// The revision that has it, once it is there.
    revision: Option<u64>,
}

impl UnsentReason {
    /// Opens the input, unless the agent's model would not read the reason: then the person learns that
    /// before they type it.
    /// `is_demo`: the agent has no hook that could be installed.
    pub(crate) fn open_input(&mut self, view: &mut ReviewView, is_demo: bool, out: &mut Output) {
        if view.review().reasons.are_lost() {
            let why = messages::no_reason(&view.review().agent, !is_demo);
            return out.overlays.open(Overlay::NoInput(why));
        }
        if view.review().hunks.len() > 1 && !view.hunk_on_screen() {
            view.show_hunk();
        }
        let input = ReasonInput::new(view.review(), view.hunk(), self.text.take());
        out.overlays.open(Overlay::Reason(input));
    }

    /// Keeps a text for the next input. Returns the words that say so; none if there is nothing to keep.
    pub(crate) fn keep(&mut self, text: String) -> &'static str {
        if text.trim().is_empty() {
            return "";
        }
        self.text = Some(text);
        REASON_COMES_BACK
    }

    /// Takes a key while the person types a reason. `counts`: whether the key can mean what is on the screen.
    /// Returns the change to ask for.
    pub(crate) fn take_key(
        &mut self,
        key: KeyEvent,
        counts: bool,
        reviews: &Reviews,
        out: &mut Output,
    ) -> Option<(ReviewId, EditKind, Request, Typed)> {
        match (out.overlays.front_mut(), key.code) {
            // It may drop a change, and must not hit one that the person has not seen.
            (_, KeyCode::Enter) if !counts => out.show_too_soon(),
            (_, KeyCode::Enter) => {
                if let Some(Overlay::Reason(input)) = out.close_input() {
                    return self.confirm(input, reviews, out);
                }
            }
            (_, KeyCode::Esc) => drop(out.close_input()),
            (Some(Overlay::Reason(input)), KeyCode::Tab | KeyCode::BackTab) => {
                if let Some(view) = reviews.view(input.id) {
                    input.switch(view.review());
                }
            }
            (Some(Overlay::Reason(input)), _) => typing::edit(&mut input.text, key),
            _ => {}
        }
        None
    }

    fn confirm(
        &mut self,
        input: ReasonInput,
        reviews: &Reviews,
        out: &mut Output,
    ) -> Option<(ReviewId, EditKind, Request, Typed)> {
        let Some(view) = reviews.view(input.id) else {
            out.warn(format!("{REVIEW_ENDED}{}", self.keep(input.text)));
            return None;
        };
        let (review, revision) = (view.review(), view.meant_revision());
        let (id, hunk, edit) = (review.id, input.hunk(review), input.edit(review));
        if edit == ReasonEdit::Removed && known(review, hunk).is_none() {
            return None;
        }
        let reason = input.text.trim().to_owned();
        // A change that is dropped with its reason is kept again first.
        let is_alone = matches!(edit, ReasonEdit::OfAll | ReasonEdit::OfChange);
        let before = known(review, hunk).unwrap_or_default().to_owned();
        self.given = is_alone.then_some(GivenReason { id, hunk, before, revision: None });
        let request = Request::SetReason { id, revision, hunk, reason: reason.clone() };
        Some((id, EditKind::Reason(edit), request, Typed::Reason(reason)))
    }

    /// The review has the reason that was typed last, in this revision.
    pub(crate) fn mark_taken(&mut self, revision: u64) {
        if let Some(given) = &mut self.given {
            given.revision.get_or_insert(revision);
        }
    }

    /// The change that takes the last reason back; none if something else followed it.
    pub(crate) fn undo(&mut self, view: &ReviewView) -> Option<(EditKind, Request)> {
        let (id, revision) = (view.review().id, view.meant_revision());
        let given = self.given.take_if(|given| given.id == id && given.revision == Some(revision))?;
        let edit = if given.before.is_empty() { ReasonEdit::Removed } else { ReasonEdit::Restored };
        let request = Request::SetReason { id, revision, hunk: given.hunk, reason: given.before };
        Some((EditKind::Reason(edit), request))
    }

    /// The companion did not take a reason: the next `R` begins with it.
    pub(crate) fn take_refused(&mut self, id: ReviewId, reason: String, refusal: &Refusal, out: &mut Output) {
        self.given = None;
        let message = format!("{}{}", messages::refusal(refusal), self.keep(reason));
        out.answer(Message::warning(message).about(Subject::Review(id)));
    }
}

/// The review has the reason, or has lost it. Returns the change to ask for: a hunk that it is for is dropped
/// next.
pub(crate) fn taken(view: &ReviewView, edit: ReasonEdit, out: &mut Output) -> Option<(EditKind, Request)> {
    let (id, revision, reasons) = (view.review().id, view.meant_revision(), view.review().reasons);
    match edit {
        ReasonEdit::Removed => out.say(messages::REASON_REMOVED),
        ReasonEdit::Restored => out.say(messages::REASON_RESTORED),
        ReasonEdit::OfAll => out.say(messages::reason_noted(reasons)),
        ReasonEdit::OfChange => out.say(messages::reason_of_change_noted(reasons)),
        ReasonEdit::OfChangeToDrop { hunk } => {
            let request = Request::KeepHunks { id, revision, hunks: vec![hunk], keep: false };
            return Some((EditKind::DropWithReason { hunk }, request));
        }
    }
    None
}
