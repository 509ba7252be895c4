//! Reasons for the agent's model: why the person drops a change, or decides as they do. A reason alone is no
//! decision. A typed reason is never lost.

use alongside_desk::review_model::{Message, Subject};
use alongside_desk::{Refusal, Request, ReviewId, messages};
use crossterm::event::{KeyCode, KeyEvent};

use super::Reviews;
use super::edit_kind::EditKind;
use super::pending_edit::TypedText;
use crate::output::Output;
use crate::overlays::Overlay;
use crate::overlays::reason_input::{ReasonEdit, ReasonInput, known};
use crate::review_view::ReviewView;
use crate::text::typing;
use crate::unsaved_texts::UnsavedText;
use crate::words::messages::{REASON_COMES_BACK, REVIEW_ENDED};

/// The reasons that the person typed last.
#[derive(Debug, Default)]
pub(crate) struct UnsentReason {
    /// The reason that the companion does not have. The next input begins with it.
    text: Option<String>,
    /// The file and the agent of the review for which the last input was opened. The person types one
    /// reason at a time.
    about: (String, String),
    /// The reason that the review has now. An undo removes it.
    given: Option<GivenReason>,
}

/// The reason that the person set with the last edit of a review.
#[derive(Debug)]
struct GivenReason {
    id: ReviewId,
    hunk: Option<usize>,
    /// The previous reason; empty if there was none.
    before: String,
    /// The revision with the reason, once this desk has that revision.
    revision: Option<u64>,
}

impl UnsentReason {
    /// Opens the input. If the agent's model would not read the reason, shows a message about that instead.
    /// `is_demo`: the agent has no hook that could be installed.
    pub(crate) fn open_input(&mut self, view: &mut ReviewView, is_demo: bool, out: &mut Output) {
        if view.review().reasons.are_lost() {
            let why = messages::no_reason(&view.review().agent, !is_demo);
            return out.overlays.open(Overlay::NoInput(why));
        }
        if view.review().hunks.len() > 1 && !view.hunk_on_screen() {
            view.show_hunk();
        }
        let review = view.review();
        self.about = (review.file.clone(), messages::agent_name(&review.agent));
        let input = ReasonInput::new(review, view.hunk(), self.text.take());
        out.overlays.open(Overlay::Reason(input));
    }

    /// Keeps a text for the next input. Returns the sentence about that; empty if there is no text to keep.
    pub(crate) fn keep(&mut self, text: String) -> &'static str {
        if text.trim().is_empty() {
            return "";
        }
        self.text = Some(text);
        REASON_COMES_BACK
    }

    /// Takes the reason that the companion does not have, because the desk ends. `typed`: a reason in the
    /// open input, or on its way to the companion.
    pub(crate) fn take(&mut self, typed: Option<String>) -> Option<UnsavedText> {
        let text = typed.or_else(|| self.text.take()).filter(|text| !text.is_empty())?;
        let (file, agent) = std::mem::take(&mut self.about);
        Some(UnsavedText { file, agent, text, replaces: None })
    }

    /// Handles a key while the person types a reason. `counts`: whether the person had seen the screen before
    /// the key. Returns the change to request.
    pub(crate) fn take_key(
        &mut self,
        key: KeyEvent,
        counts: bool,
        reviews: &Reviews,
        out: &mut Output,
    ) -> Option<(ReviewId, EditKind, Request, TypedText)> {
        match (out.overlays.front_mut(), key.code) {
            // Enter may drop a change, and must not drop a change that the person has not seen.
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
    ) -> Option<(ReviewId, EditKind, Request, TypedText)> {
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
        // After a drop with a reason, the first undo keeps the change again. So only other reasons are noted
        // here.
        let is_alone = matches!(edit, ReasonEdit::OfAll | ReasonEdit::OfChange);
        let before = known(review, hunk).unwrap_or_default().to_owned();
        self.given = is_alone.then_some(GivenReason { id, hunk, before, revision: None });
        let request = Request::SetReason { id, revision, hunk, reason: reason.clone() };
        Some((id, EditKind::Reason(edit), request, TypedText::Reason(reason)))
    }

    /// Notes that this revision of the review has the reason that was typed last.
    pub(crate) fn mark_given(&mut self, revision: u64) {
        if let Some(given) = &mut self.given {
            given.revision.get_or_insert(revision);
        }
    }

    /// The change that undoes the last reason; `None` if the review has changed since.
    pub(crate) fn undo(&mut self, view: &ReviewView) -> Option<(EditKind, Request)> {
        let (id, revision) = (view.review().id, view.meant_revision());
        let given = self.given.take_if(|given| given.id == id && given.revision == Some(revision))?;
        let edit = if given.before.is_empty() { ReasonEdit::Removed } else { ReasonEdit::Restored };
        let request = Request::SetReason { id, revision, hunk: given.hunk, reason: given.before };
        Some((EditKind::Reason(edit), request))
    }

    /// Handles the refusal of a reason: keeps the text for the next `R`, and shows a message.
    pub(crate) fn take_refused(&mut self, id: ReviewId, reason: String, refusal: &Refusal, out: &mut Output) {
        self.given = None;
        let message = format!("{}{}", messages::refusal(refusal), self.keep(reason));
        out.answer(Message::warning(message).about(Subject::Review(id)));
    }
}

/// Reports that the review has the reason, or has it no more. Returns the change to request next: the drop of
/// the hunk that the reason is for.
pub(crate) fn follow_up(
    view: &ReviewView,
    edit: ReasonEdit,
    out: &mut Output,
) -> Option<(EditKind, Request)> {
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
