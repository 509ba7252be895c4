//! The requests about reviews: handles the events and replies of the companion, sends the person's requests,
//! and runs the person's editor. One request is pending at a time. A text that the companion does not have is
//! never lost.

use std::io;
use std::process::ExitStatus;

use alongside_desk::review_model::{Message, Question, ReviewNews, Subject};
use alongside_desk::{
    Closed, Decision, Event, HunkState, Refusal, Request, ReviewId, Revised, harmless, messages,
    without_error_codes,
};
use crossterm::event::KeyEvent;

use super::Reviews;
use super::accept_all_result::AcceptAllResult;
use super::edit_kind::EditKind;
use super::hunk_splitting;
use super::pending_edit::{OpenEditor, PendingEdit, TypedText};
use super::unsent_reason::{self, UnsentReason};
use crate::editor::{EditOutcome, Editing};
use crate::keys::Action;
use crate::output::{Effect, Output, Purpose};
use crate::overlays::Overlay;
use crate::overlays::accept_all::AcceptAll;
use crate::review_view::ReviewView;
use crate::unsaved_texts::{DESK_CLOSED, DraftStore, REASON_UNSENT, UnsavedText};
use crate::words::messages::{EDIT_DROPPED, LOOK_FIRST, NO_CHANGE_HERE, WHOLE_ONLY};

/// The reviews, the pending request about them, and the output.
pub(crate) struct ReviewRequests {
    reviews: Reviews,
    pending: PendingEdit,
    unsent_reason: UnsentReason,
    /// The store of texts that the companion does not have.
    drafts: DraftStore,
    accept_all_result: AcceptAllResult,
    out: Output,
}

impl ReviewRequests {
    pub(crate) fn new(reviews: Reviews, drafts: DraftStore) -> Self {
        let (pending, unsent_reason) = (PendingEdit::Idle, UnsentReason::default());
        let (accept_all_result, out) = (AcceptAllResult::default(), Output::default());
        Self { reviews, pending, unsent_reason, drafts, accept_all_result, out }
    }

    pub(crate) fn reviews(&self) -> &Reviews {
        &self.reviews
    }

    pub(crate) fn out(&self) -> &Output {
        &self.out
    }

    pub(crate) fn out_mut(&mut self) -> &mut Output {
        &mut self.out
    }

    /// The reviews and the output, for actions that send no request about a review.
    pub(crate) fn parts(&mut self) -> (&mut Reviews, &mut Output) {
        (&mut self.reviews, &mut self.out)
    }

    pub(crate) fn pending(&self) -> &PendingEdit {
        &self.pending
    }

    /// Handles an event of the companion. Returns true if the review on the screen ended.
    pub(crate) fn take_event(&mut self, event: Event) -> bool {
        let (reviews, out) = (&mut self.reviews, &mut self.out);
        out.request_frame();
        match event {
            Event::Status(status) => reviews.take_status(status, out),
            Event::Opened(review) => reviews.open(review, out),
            Event::Changed(changed) => {
                let news = reviews.change(changed, out).and_then(|news| self.pending.filter_news(news));
                self.show_all_news(news);
            }
            Event::Closed(closed) => return self.take_closed(&closed),
            Event::FlushReview { id } => self.flush(id),
            Event::AcceptedByRule(accepted) => reviews.take_acceptance(accepted, out),
            Event::Problem(problem) => reviews.take_problem(&problem, out),
            // The companion sends this event only to desks that report diagnostics; this desk does not.
            Event::DiagnosticsWanted { .. } => {}
            Event::Turn(turn) => reviews.take_turn(turn, out),
            Event::TurnFile(opened) => reviews.turn_mut().take_file(opened, out),
            Event::TurnFinished(finished) => reviews.turn_mut().take_finished(&finished, out),
            Event::Notice { message } => out.show([Message::notice(message)]),
            Event::LastWord(last_word) => {
                out.show_end(self.accept_all_result.take_last_word(last_word, &mut self.pending))
            }
        }
        false
    }

    fn take_closed(&mut self, closed: &Closed) -> bool {
        // A message about reviews that were accepted together counts this review.
        let is_counted = match &mut self.pending {
            PendingEdit::Acceptances(acceptances) => acceptances.closed(closed),
            _ => false,
        };
        let was_current = self.reviews.close(closed, is_counted, &mut self.out);
        self.pending.end_decision(closed.id);
        self.end_acceptances();
        was_current
    }

    fn show_all_news(&mut self, news: impl IntoIterator<Item = ReviewNews>) {
        for news in news {
            self.reviews.show_news(news, self.pending.is_uploading(), &mut self.out);
        }
    }

    /// Handles the companion's reply to a request, after the events that came before it. Returns true if a
    /// change was made, so that the keys that wait for it can act.
    pub(crate) fn take_reply(&mut self, purpose: Purpose, reply: Result<Revised, Refusal>) -> bool {
        self.out.request_frame();
        match (purpose, reply) {
            (Purpose::Change(id), Ok(Revised { revision })) => return self.end_change(id, revision),
            (Purpose::Change(id), Err(refusal)) => self.take_refused_change(id, &refusal),
            (Purpose::Upload(_), reply) => self.take_upload_reply(reply.ok()),
            (Purpose::Pause(paused), Ok(_)) => self.reviews.set_paused(paused, &mut self.out),
            // The review has ended meanwhile, and a message has reported its end.
            (Purpose::Decide(id), Err(Refusal::NoSuchReview)) if self.reviews.view(id).is_none() => {}
            (Purpose::Decide(id), Err(refusal)) => {
                self.pending.end_decision(id);
                self.show_refusal(Some(id), &refusal);
            }
            (Purpose::AcceptListed(id), Err(refusal)) => self.take_refused_acceptance(id, &refusal),
            (Purpose::Pause(_) | Purpose::Send | Purpose::Grant, Err(refusal)) => {
                self.show_refusal(None, &refusal);
            }
            // An event of the companion reports the result.
            (Purpose::Send | Purpose::Grant | Purpose::Decide(_) | Purpose::AcceptListed(_), Ok(_)) => {}
            (Purpose::Turn(request), reply) => {
                self.reviews.turn_mut().take_reply(request, reply, &mut self.out);
            }
            (Purpose::Nothing, _) => {}
        }
        false
    }

    /// Ends the pending change, which the companion has made as this revision, and carries out its
    /// consequences. Returns whether a change was pending.
    fn end_change(&mut self, id: ReviewId, revision: u64) -> bool {
        self.reviews.mark_own(id, revision);
        let Some(change) = self.pending.take_change() else { return false };
        if let Some(TypedText::Text(text)) = change.typed {
            self.drafts.discard(text.replaces);
        }
        self.show_all_news(change.waiting_news);
        self.follow_up(id, change.kind);
        true
    }

    fn take_refused_change(&mut self, id: ReviewId, refusal: &Refusal) {
        let change = self.pending.take_change();
        let (waiting_news, typed) =
            change.map(|change| (change.waiting_news, change.typed)).unwrap_or_default();
        self.out.keys.drop_held();
        self.show_all_news(waiting_news);
        if *refusal == Refusal::NothingToRedo
            && let Some(view) = self.reviews.view_mut(id)
        {
            view.open_mut().forget_undone();
        }
        match typed {
            Some(TypedText::Text(text)) => self.keep_refused_text(id, text, refusal),
            Some(TypedText::Reason(reason)) => {
                self.unsent_reason.take_refused(id, reason, refusal, &mut self.out);
            }
            None => self.show_refusal(Some(id), refusal),
        }
    }

    /// Shows a refusal as a message, or asks the question that belongs to it.
    fn show_refusal(&mut self, id: Option<ReviewId>, refusal: &Refusal) {
        match Question::after(refusal) {
            Some(question) => self.out.open_question(question),
            None => {
                let message = Message::warning(messages::refusal(refusal));
                self.out.answer(Message { about: id.map(Subject::Review), ..message });
            }
        }
    }

    /// Changes or decides the review on the screen.
    pub(crate) fn carry_out(&mut self, action: Action) {
        if self.reviews.turn_mut().carry_out(action, &mut self.out) {
            return;
        }
        let is_demo = self.reviews.demo().is_some();
        let Some(view) = self.reviews.current_mut() else { return };
        let (id, revision, hunk) = (view.review().id, view.meant_revision(), view.hunk());
        let state = view.review().hunks.get(hunk).map(|hunk| hunk.state);
        match (action, state) {
            (Action::Accept, _) => self.accept(None),
            (Action::AcceptAll, _) => {
                self.out.overlays.open(Overlay::AcceptAll(AcceptAll::new(self.reviews.listed())));
            }
            (Action::AcceptAhead, _) => self.out.open_question(Question::AcceptAhead),
            (Action::Reject, _) => match Question::before_rejecting(view.review()) {
                Some(question) => self.out.open_question(question),
                None => self.decide(Decision::Reject),
            },
            (Action::Reason, _) => self.unsent_reason.open_input(view, is_demo, &mut self.out),
            (Action::Undo, _) => {
                let undo = || (EditKind::Undo, Request::UndoReview { id, revision });
                let (kind, request) = self.unsent_reason.undo(view).unwrap_or_else(undo);
                self.change(id, kind, request, None);
            }
            (Action::Redo, _) => self.change(id, EditKind::Redo, Request::RedoReview { id, revision }, None),
            (Action::Edit, _) if view.review().whole_file_only.is_some() => self.out.warn(WHOLE_ONLY),
            (Action::Edit, _) => {
                self.pending = PendingEdit::OpeningEditor;
                self.out.add_effect(Effect::Edit);
            }
            (_, None) => self.out.say(NO_CHANGE_HERE),
            (_, Some(_)) if !view.hunk_on_screen() => {
                view.show_hunk();
                self.out.say(LOOK_FIRST);
            }
            (Action::Split | Action::SplitLines, Some(HunkState::Edited)) => {
                self.out.say(messages::EDITED_NOT_SPLIT)
            }
            (Action::SplitLines, Some(_)) => hunk_splitting::open(view, &mut self.out),
            (action, Some(state)) => {
                let (kind, request) = EditKind::of_hunk(action, view, state);
                if let (EditKind::KeepOrDrop { .. }, HunkState::Edited) = (kind, state) {
                    self.out.say(EDIT_DROPPED);
                }
                self.change(id, kind, request, None);
            }
        }
    }

    /// Accepts the revision that was on the screen, unless a question comes first. `answered`: the last
    /// question to which the person said yes.
    pub(super) fn accept(&mut self, answered: Option<Question>) {
        let Some(view) = self.reviews.current() else { return };
        match Question::before_accepting(view.review(), view.seen_part(), answered) {
            Some(question) => self.out.open_question(question),
            None => self.decide(Decision::Accept),
        }
    }

    /// Decides on the revision that was on the screen.
    pub(super) fn decide(&mut self, decision: Decision) {
        let Some(view) = self.reviews.current() else { return };
        let (id, revision) = (view.review().id, view.meant_revision());
        self.pending = PendingEdit::Decision(id);
        self.out.ask(Request::DecideReview { id, revision, decision }, Purpose::Decide(id));
    }

    /// Requests a change. Keys that touch a review wait for its result. `typed`: the typed text in the
    /// request.
    pub(super) fn change(
        &mut self,
        id: ReviewId,
        kind: EditKind,
        request: Request,
        typed: Option<TypedText>,
    ) {
        self.pending = PendingEdit::change(id, kind, typed);
        self.out.ask(request, Purpose::Change(id));
    }

    /// Carries out the consequences of a change whose revision this desk has.
    fn follow_up(&mut self, id: ReviewId, kind: EditKind) {
        let is_current = self.reviews.is_current(id);
        let Some(view) = self.reviews.view_mut(id) else {
            if let EditKind::Edited { .. } = kind {
                self.out.say(messages::edit_taken(None));
            }
            return;
        };
        let (said, step) = kind.mark_made(view);
        if let Some(said) = said {
            self.out.say(said);
        }
        match kind {
            EditKind::Reason(edit) => {
                self.unsent_reason.mark_given(view.review().revision);
                if let Some((kind, request)) = unsent_reason::follow_up(view, edit, &mut self.out) {
                    self.change(id, kind, request, None);
                }
            }
            EditKind::SingleNewline if is_current => self.decide(Decision::Accept),
            _ => {}
        }
        if let Some(step) = step {
            self.reviews.mark_demo_step(step);
        }
    }

    /// Handles a key while the person types a reason or a comment, or chooses lines. `counts`: whether the
    /// person had seen the screen before the key.
    pub(crate) fn type_text(&mut self, key: KeyEvent, counts: bool) {
        if let Some(Overlay::Comment(_)) = self.out.overlays.front() {
            return self.reviews.turn_mut().type_comment(key, counts, &mut self.out);
        }
        if let Some(Overlay::Lines(_)) = self.out.overlays.front() {
            if let Some((id, kind, request)) =
                hunk_splitting::take_key(key, counts, &mut self.reviews, &mut self.out)
            {
                self.change(id, kind, request, None);
            }
            return;
        }
        let asked = self.unsent_reason.take_key(key, counts, &self.reviews, &mut self.out);
        if let Some((id, kind, request, typed)) = asked {
            self.change(id, kind, request, Some(typed));
        }
    }

    /// Closes the open input. The next input of the same kind begins with its text.
    pub(crate) fn leave_input(&mut self) {
        match self.out.close_input() {
            Some(Overlay::Reason(input)) => {
                if let Some(text) = input.typed() {
                    self.unsent_reason.keep(text);
                }
            }
            Some(Overlay::Comment(input)) => self.reviews.turn_mut().keep_comment(*input),
            _ => {}
        }
    }

    /// Takes back all grants of the person.
    pub(crate) fn withdraw_grants(&mut self) {
        self.out.ask(Request::WithdrawGrants {}, Purpose::Grant);
        self.out.say(messages::GRANTS_WITHDRAWN);
    }

    /// Requests the acceptance of the reviews in a list, each in the listed revision.
    pub(crate) fn accept_listed(&mut self, list: AcceptAll) {
        let now = |id| self.reviews.view(id).map(|view| view.review().revision);
        let ask = |id, request| self.out.ask(request, Purpose::AcceptListed(id));
        let acceptances = list.request_acceptances(now, ask);
        self.pending = PendingEdit::Acceptances(acceptances);
        self.end_acceptances();
    }

    fn take_refused_acceptance(&mut self, id: ReviewId, refusal: &Refusal) {
        if let PendingEdit::Acceptances(acceptances) = &mut self.pending {
            let name = self.reviews.view(id).map(|view| self.reviews.file_name(view.review()));
            acceptances.refused(id, name, refusal);
        }
        self.end_acceptances();
    }

    /// Shows the result of the acceptances once none is pending.
    fn end_acceptances(&mut self) {
        if let PendingEdit::Acceptances(acceptances) = &mut self.pending
            && let Some(end) = acceptances.end(self.reviews.all().iter().map(|view| view.review().id))
        {
            self.pending = PendingEdit::Idle;
            self.out.answer(self.accept_all_result.end(end));
        }
    }

    /// Prepares to give the terminal to the person's editor. Returns the review, and the line for the screen.
    pub(crate) fn begin_editing(&mut self) -> Option<(ReviewId, String)> {
        self.pending = PendingEdit::Idle;
        let review = self.reviews.current()?.review();
        let name = self.reviews.file_name(review);
        Some((review.id, format!("{name} is open in your editor. Close it to come back.")))
    }

    /// Opens a review in the person's editor. Returns false if the editor cannot start, or the review has
    /// ended meanwhile.
    pub(crate) fn start_editor(&mut self, id: ReviewId, command: &str) -> bool {
        let Some(view) = self.reviews.view_mut(id) else { return false };
        match Editing::start(command, view.open()) {
            Ok(editing) => {
                view.open_mut().refused = None;
                self.pending = PendingEdit::editor(editing);
                true
            }
            Err(error) => {
                self.out.warn(without_error_codes(&harmless::name(&format!("{error:#}"))));
                false
            }
        }
    }

    /// Waits until the editor ends. Cancel safe; never returns without an editor.
    pub(crate) async fn editor_exit(&mut self) -> io::Result<ExitStatus> {
        self.pending.editor_exit().await
    }

    /// Restores the modes of the terminal after the editor.
    pub(crate) fn give_back_terminal(&mut self) {
        if let Some(editor) = self.pending.open_editor() {
            editor.editing.give_back_terminal();
        }
    }

    /// Sends the text that was saved in the open editor, so that the companion keeps it as a draft.
    pub(crate) fn upload_saved_text(&mut self) {
        if let Some((id, request)) = self.pending.open_editor().and_then(OpenEditor::upload) {
            self.out.ask(request, Purpose::Upload(id));
        }
    }

    /// Handles the companion's reply to a saved text: its revision, or `None` for a refusal.
    fn take_upload_reply(&mut self, revised: Option<Revised>) {
        let Some(editor) = self.pending.open_editor() else { return };
        let id = editor.editing.id;
        let Some(upload) = editor.end_upload() else { return };
        if let Some(Revised { revision }) = revised {
            let hunk = editor.editing.hunk;
            self.drafts.discard(editor.editing.taken_over(upload.text, revision));
            if let Some(view) = self.reviews.view_mut(id) {
                view.open_mut().mark_own(revision);
                view.open_mut().push_step(hunk, true);
            }
        }
        if let Some(status) = upload.exit {
            self.editor_ended(status);
        }
        if upload.flush {
            self.flush(id);
        }
    }

    /// Sends the saved text, and then confirms that the agent may end the review.
    fn flush(&mut self, id: ReviewId) {
        if let Some(editor) = self.pending.open_editor().filter(|editor| editor.editing.id == id) {
            if editor.delay_flush() {
                return;
            }
            self.upload_saved_text();
        }
        self.out.ask(Request::Flushed { id }, Purpose::Nothing);
    }

    /// Handles the end of the editor, once the desk has the terminal again.
    pub(crate) fn editor_ended(&mut self, status: io::Result<ExitStatus>) {
        let Some((editing, status)) = self.pending.end_editor(status) else { return };
        // The waiting keys were meant for the editor, and not for the desk.
        self.out.invalidate_keys();
        let (id, hunk) = (editing.id, editing.hunk);
        let view = self.reviews.view(id);
        let revision = view.map_or(editing.revision, |view| editing.revision_in(view.review()));
        match editing.finish(status, view.is_some(), &self.drafts, self.reviews.roots()) {
            EditOutcome::Taken => self.follow_up(id, EditKind::Edited { hunk: None }),
            EditOutcome::Message(message) => self.out.answer(message),
            EditOutcome::Text(unsaved) => {
                let request = Request::replace_text(id, revision, unsaved.text.clone());
                let kind = EditKind::Edited { hunk: Some(hunk) };
                self.change(id, kind, request, Some(TypedText::Text(unsaved)));
            }
        }
    }

    /// Keeps a text from the editor that the companion has refused.
    fn keep_refused_text(&mut self, id: ReviewId, unsaved: UnsavedText, refusal: &Refusal) {
        if let Refusal::Stale { .. } = refusal {
            // The message about the refused text also says that the review has changed.
            self.out.messages.end(Subject::Review(id));
        }
        let roots = self.reviews.roots().to_vec();
        let open = self.reviews.view_mut(id).map(ReviewView::open_mut);
        self.out.warn(self.drafts.keep_refused(unsaved, refusal, open, &roots));
    }

    /// Keeps the texts that the companion does not have, as the desk ends. Returns a message with their
    /// paths.
    pub(crate) async fn keep_unsent_texts(&mut self) -> Option<String> {
        let (mut said, mut reason, mut comment) = (Vec::new(), None, None);
        if let Some(editing) = self.pending.take_editor() {
            said.extend(editing.end(&self.drafts, self.reviews.roots()).await);
        }
        match self.pending.take_change().and_then(|change| change.typed) {
            Some(TypedText::Text(text)) => {
                said.push(self.drafts.keep(&text, DESK_CLOSED, self.reviews.roots()));
            }
            Some(TypedText::Reason(typed)) => reason = Some(typed),
            None => {}
        }
        match self.out.close_input() {
            Some(Overlay::Reason(input)) => reason = input.typed(),
            Some(Overlay::Comment(input)) => comment = Some(*input),
            _ => {}
        }
        if let Some(unsaved) = self.unsent_reason.take(reason) {
            said.push(self.drafts.keep(&unsaved, REASON_UNSENT, self.reviews.roots()));
        }
        for unsaved in self.reviews.turn_mut().take_unsent(comment) {
            said.push(self.drafts.keep_comment(&unsaved, self.reviews.roots()));
        }
        (!said.is_empty()).then(|| said.join("\n"))
    }
}
