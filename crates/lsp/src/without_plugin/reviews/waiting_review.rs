//! A review that waits for the person of this editor. Edits and commands go to the companion one after the
//! other, each after the one before it has arrived.

use std::path::Path;

use alongside_desk::{
    Changed, Decision, HunkState, Refusal, Request, Review, ReviewId, Revised, Text,
    messages as desk_messages,
};
use lsp_server::RequestId;

use super::awareness::{Awareness, Foreign};
use crate::io::{Io, RequestOrigin};
use crate::without_plugin::commands::command_arguments::CommandArguments;
use crate::without_plugin::commands::command_queue::{
    CommandQueue, HunkStart, PendingCommand, ReviewCommand, Running, finish,
};
use crate::without_plugin::commands::hunks_at_lines::{hunks_at, hunks_from, start_of};
use crate::without_plugin::display::diagnostics;
use crate::without_plugin::editor::{Editor, Question};
use crate::without_plugin::messages;
use crate::without_plugin::messages::one_line_messages;
use crate::without_plugin::open_documents::document::DocumentKey;
use crate::without_plugin::proposal_document::review_document::ReviewDocument;

#[derive(Debug)]
pub(crate) struct WaitingReview {
    pub(crate) document: ReviewDocument,
    awareness: Awareness,
    commands: CommandQueue,
    /// The document from which the person went to the proposal, unless that is its target.
    pub(super) shown_from: Option<DocumentKey>,
    /// The companion waits for unsent edits.
    is_flushing: bool,
}

impl WaitingReview {
    /// Creates a review, whose document the editor may have open already.
    pub(crate) fn new(mut document: ReviewDocument, editor: &Editor) -> Self {
        if let Some(open) = document.path().and_then(|path| editor.documents.get(path)) {
            document.editor_opened(&open.text);
        }
        let awareness = Awareness::of(document.review.revision);
        let commands = CommandQueue::default();
        Self { document, awareness, commands, shown_from: None, is_flushing: false }
    }

    pub(crate) fn review(&self) -> &Review {
        &self.document.review
    }

    /// Handles the opening of the document.
    pub(crate) fn opened(&mut self, io: &mut Io, editor: &mut Editor) {
        let opened = self.document.path().and_then(|path| editor.documents.get(path));
        let Some(text) = opened.map(|opened| opened.text.clone()) else { return };
        self.document.editor_opened(&text);
        let is_first = self.awareness.mark_opened();
        let review = self.review();
        let told = [
            messages::hidden_differences(review),
            messages::coarse_changes(review),
            messages::hard_to_see(review),
        ];
        let mut told = told.into_iter().flatten().filter(|_| is_first).peekable();
        if let Some(keys) = editor.kind().keys.filter(|_| told.peek().is_none()) {
            editor.inform(io, keys);
        }
        for text in told {
            editor.inform_about(io, review, text);
        }
        self.sync(io, editor);
        self.mark(io, editor);
    }

    /// Handles these steps of the editor's text.
    pub(crate) fn edited(&mut self, io: &mut Io, editor: &mut Editor, steps: &[Text]) {
        // Some editors send the text of an offer after they have answered it.
        let awaited = self.document.mirror.has_offer();
        self.document.editor_changed(steps);
        let is_ours = awaited || self.document.phase.opened().is_some_and(|open| open.awaits_save);
        self.sync(io, editor);
        if is_ours {
            self.mark(io, editor);
        }
    }

    /// Handles the saving of the private file, which decides nothing. A message says so once, or each time in
    /// an editor whose messages go with the next key. Some editors save automatically.
    pub(crate) fn saved(&mut self, io: &mut Io, editor: &mut Editor) {
        let ReviewDocument { phase, copy, mirror, .. } = &mut self.document;
        copy.mark_saved(mirror.editor_text().clone());
        if phase.opened_mut().is_some_and(|open| std::mem::take(&mut open.awaits_save)) {
            // Marks from before the edit are at other lines.
            return self.mark(io, editor);
        }
        let kind = editor.kind();
        if self.awareness.mark_saved() || kind.columns.is_some() {
            editor.inform(io, &messages::saved(self.document.has_edits(), kind.actions_key));
        }
    }

    /// Handles the closing of the document.
    pub(crate) fn closed(&mut self, io: &mut Io, editor: &mut Editor) {
        if let Err(error) = self.document.editor_closed() {
            editor.warn(io, &messages::saved_text_unread(&error));
        }
        if let Some(path) = self.document.path() {
            editor.documents.publish(io, path, &[]);
        }
        self.sync(io, editor);
    }

    /// Handles a closed document that the editor has not opened again in time.
    pub(crate) fn closed_for_good(&mut self, io: &mut Io, editor: &mut Editor) {
        let (review, roots) = (self.review(), editor.roots());
        if self.document.has_edits() {
            editor.warn_about(io, review, messages::closed_with_edits(review, roots));
        } else if editor.kind().prompts {
            // These editors also close a document to show another one.
            let message = messages::closed(review, roots);
            let question = Question::Closed(review.id);
            editor.ask(io, &message, [messages::WAIT, messages::REJECT], question);
        } else {
            self.queue(io, editor, PendingCommand { request: None, command: ReviewCommand::Reject });
        }
    }

    /// Handles the editor's report that it shows the document with this path.
    pub(crate) fn shown(&mut self) -> Option<&Path> {
        self.document.phase.await_opening();
        self.document.path()
    }

    /// Handles an editor that shows the document without this server, because it uses none for that language.
    /// The person sees no marks or actions there, so a message names another way.
    pub(crate) fn shown_without_server(&self, io: &Io, editor: &Editor) {
        let message = messages::shown_without_server(self.review(), editor.kind().language_command);
        editor.warn_about(io, self.review(), message);
    }

    /// Handles the editor's answer to an offer of the mirror.
    pub(crate) fn offer_answered(&mut self, io: &mut Io, editor: &mut Editor, offer: u64, is_taken: bool) {
        if let Some(open) = self.document.phase.opened_mut() {
            open.awaits_save = is_taken && editor.kind().saves_edits;
        }
        self.document.mirror.offer_answered(offer, is_taken);
        self.sync(io, editor);
        self.mark(io, editor);
    }

    /// Handles text that the person saved in an editor that shows the document without this server.
    pub(crate) fn take_saved(&mut self, io: &Io, editor: &Editor) {
        if let Err(error) = self.document.take_saved() {
            editor.warn(io, &messages::saved_text_unread(&error));
        }
    }

    /// Handles the review again after a new connection to the companion.
    pub(crate) fn repeated(&mut self, io: &mut Io, editor: &mut Editor, review: Review) {
        self.document.mirror.companion_changed(review.current.clone());
        self.awareness.mark_foreign(review.revision, Foreign::Text);
        self.document.review = review;
        self.sync(io, editor);
    }

    /// Handles a new revision.
    pub(crate) fn changed(&mut self, io: &mut Io, editor: &mut Editor, changed: Changed) {
        let (text, target) = (self.review().current.clone(), self.document.target_state());
        let before = self.review().revision;
        let ReviewDocument { review, mirror, .. } = &mut self.document;
        if let Err(out_of_step) = review.take(changed) {
            // The companion refuses decisions on an old revision.
            return tracing::error!(review = review.id.0, %out_of_step);
        }
        let is_own = mirror.companion_changed(review.current.clone()) || self.commands.is_running();
        let (revision, is_elsewhere) = (review.revision, !is_own && text != review.current);
        if target != self.document.target_state() {
            self.awareness.mark_foreign(revision, Foreign::File);
        } else if !is_own && revision != before {
            self.awareness.mark_foreign(revision, Foreign::Text);
        }
        self.awareness.review_changed(is_elsewhere, self.document.phase.opened().is_some());
        let (was_stale, _) = target;
        if self.review().stale && !was_stale {
            editor.warn_about(io, self.review(), messages::became_stale(self.review(), editor.roots()));
        }
        self.sync(io, editor);
        self.mark(io, editor);
    }

    /// The companion waits for unsent edits.
    pub(crate) fn flush(&mut self, io: &mut Io, editor: &mut Editor) {
        self.take_saved(io, editor);
        self.is_flushing = true;
        self.sync(io, editor);
    }

    /// Handles the companion's reply to an edit.
    pub(crate) fn edit_replied(&mut self, io: &mut Io, editor: &mut Editor, is_taken: bool) {
        self.document.mirror.companion_replied(is_taken);
        self.sync(io, editor);
    }

    /// Handles the companion's reply to a command.
    pub(crate) fn command_replied(
        &mut self,
        io: &mut Io,
        editor: &mut Editor,
        request: Option<RequestId>,
        reply: &Result<Revised, Refusal>,
    ) {
        match (reply, self.commands.mark_finished()) {
            (Err(Refusal::Stale { .. }), Some(finished)) => {
                let is_about_text = finished.target_state == self.document.target_state();
                let foreign = if is_about_text { Foreign::Text } else { Foreign::File };
                self.awareness.mark_foreign(self.review().revision, foreign);
                editor.warn(io, self.awareness.reason_to_look());
            }
            (Err(refusal), _) => editor.warn(io, &desk_messages::refusal(refusal)),
            (Ok(_), Some(finished)) if finished.drops_edit => editor.inform(io, messages::EDIT_DROPPED),
            (Ok(_), _) => {}
        }
        finish(io, request);
        self.sync(io, editor);
    }

    /// Takes every step for which the review is ready. Every event of the review calls this.
    pub(crate) fn sync(&mut self, io: &mut Io, editor: &mut Editor) {
        self.offer_to_editor(io, editor);
        self.tell_change(io, editor);
        let change = self.document.outgoing(self.is_flushing);
        if self.document.mirror.take_overwritten() {
            self.awareness.has_overwritten = true;
            editor.warn_about(io, self.review(), messages::OVERWRITTEN.to_owned());
        }
        let &Review { id, revision, .. } = self.review();
        if let Some(change) = change {
            let request = Request::EditReview { id, revision, changes: vec![change] };
            io.request(RequestOrigin::Edit(id), request);
        }
        if self.document.mirror.is_unsent() {
            return;
        }
        if editor.kind().reload_command.is_some() {
            self.document.refresh_open_file();
        }
        if std::mem::take(&mut self.is_flushing) {
            io.request(RequestOrigin::Unawaited, Request::Flushed { id });
        }
        self.run_next_command(io, editor);
    }

    /// Offers changes from elsewhere to the editor.
    fn offer_to_editor(&mut self, io: &mut Io, editor: &mut Editor) {
        if let Some((edits, offer)) = self.document.incoming(editor.encoding())
            && let Some(path) = self.document.path()
        {
            editor.apply_edits(io, path, &edits, Question::Apply(self.review().id, offer));
        }
    }

    /// Shows that another desk has changed the proposal, once the editor shows the change or has refused to.
    fn tell_change(&mut self, io: &Io, editor: &Editor) {
        let mirror = &self.document.mirror;
        if !self.awareness.is_change_untold || !mirror.shows_all() && !mirror.is_behind() {
            return;
        }
        let (review, roots) = (self.review(), editor.roots());
        editor.warn_about(io, review, messages::changed_elsewhere(review, roots, mirror.shows_all()));
        self.awareness.is_change_untold = false;
    }

    fn run_next_command(&mut self, io: &mut Io, editor: &mut Editor) {
        let Some(next) = self.commands.pop() else { return };
        let &Review { id, revision, .. } = self.review();
        let hunks = match &next.command {
            ReviewCommand::Keep(starts) | ReviewCommand::Drop(starts) => hunks_from(self.review(), starts),
            _ => Vec::new(),
        };
        let is_edited = |index: &usize| {
            self.review().hunks.get(*index).is_some_and(|hunk| hunk.state == HunkState::Edited)
        };
        let drops_edit = hunks.iter().any(is_edited);
        let request = match next.command {
            ReviewCommand::Keep(_) => Request::KeepHunks { id, revision, hunks, keep: true },
            ReviewCommand::Drop(_) => Request::KeepHunks { id, revision, hunks, keep: false },
            ReviewCommand::Undo => Request::UndoReview { id, revision },
            ReviewCommand::Redo => Request::RedoReview { id, revision },
            ReviewCommand::Accept if self.document.is_behind() => {
                // The offer that this command allowed shows the text.
                let is_coming = self.document.mirror.awaits_editor();
                editor.warn(io, if is_coming { messages::CHANGED_ELSEWHERE } else { messages::NOT_SHOWN });
                return finish(io, next.request);
            }
            ReviewCommand::Accept => Request::DecideReview { id, revision, decision: Decision::Accept },
            ReviewCommand::Reject => Request::DecideReview { id, revision, decision: Decision::Reject },
        };
        self.commands.mark_running(Running { drops_edit, target_state: self.document.target_state() });
        io.request(RequestOrigin::Command(next.request, id), request);
    }

    /// Queues a command until all earlier typing has arrived.
    pub(crate) fn queue(&mut self, io: &mut Io, editor: &mut Editor, command: PendingCommand) {
        self.take_saved(io, editor);
        self.mark_acting();
        self.commands.push(command);
        self.sync(io, editor);
    }

    /// Handles an action of the person on the review: some editors accept edits only while one of their
    /// commands runs.
    fn mark_acting(&mut self) {
        self.awareness.knows_other_desk = false;
        self.document.mirror.allow_offer();
    }

    /// Answers the commands that wait.
    pub(crate) fn cancel_commands(&mut self, io: &Io) {
        for request in self.commands.clear() {
            finish(io, request);
        }
    }

    /// Returns true if the person has seen the revision that they decide on; otherwise offers it to the
    /// editor.
    pub(crate) fn admit_seen(&mut self, io: &mut Io, editor: &mut Editor, seen: Option<u64>) -> bool {
        let has_seen = self.awareness.has_seen(seen);
        if !has_seen {
            editor.warn(io, self.awareness.reason_to_look());
            self.mark_acting();
            self.sync(io, editor);
        }
        has_seen
    }

    /// Whether accepting may continue: the person knows every warning.
    pub(crate) fn admit_accept(
        &mut self,
        io: &mut Io,
        editor: &mut Editor,
        arguments: &CommandArguments,
    ) -> bool {
        if !self.admit_seen(io, editor, arguments.revision) {
            return false;
        }
        if std::mem::take(&mut self.awareness.has_overwritten) {
            editor.warn(io, messages::LOOK_BEFORE);
            return false;
        }
        let doubts = messages::doubts(self.review(), editor.roots());
        let Some(doubts) = doubts.filter(|_| !arguments.accepts_doubts) else { return true };
        if self.awareness.warn_at(self.document.review.revision) {
            return true;
        }
        let message = match editor.kind().columns {
            Some(_) => one_line_messages::insist(&doubts),
            None => messages::insist(&doubts),
        };
        editor.warn_about(io, self.review(), message);
        false
    }

    /// Returns the hunks at a line.
    pub(crate) fn hunks_at(&self, line: usize) -> Vec<HunkStart> {
        let hunks = hunks_at(self.review(), (line, line)).into_iter();
        hunks.filter_map(|index| self.review().hunks.get(index)).map(start_of).collect()
    }

    /// Marks the hunks of the proposal, if the editor has it open.
    pub(crate) fn mark(&self, io: &mut Io, editor: &mut Editor) {
        let ReviewDocument { review, phase, mirror, .. } = &self.document;
        // The lines move when the editor applies an offer; until then, the marks of before are right.
        if mirror.awaits_editor() || mirror.is_behind() {
            return;
        }
        if let (Some(open), Some(path)) = (phase.opened(), self.document.path()) {
            editor.documents.publish(
                io,
                path,
                &diagnostics::in_proposal(review, &open.text, editor.encoding()),
            );
            editor.refresh_lenses(io);
        }
    }
}

/// Handles the companion's refusal of edits.
pub(crate) fn tell_refused_edit(io: &Io, editor: &Editor, id: ReviewId, refusal: &Refusal) {
    match refusal {
        // The text is merged into the new revision and sent again, or the end of the review is told.
        Refusal::Stale { .. } | Refusal::NoSuchReview | Refusal::Stopped => {}
        refusal => {
            tracing::warn!(review = id.0, %refusal, "the companion refuses edits");
            editor.warn(io, &messages::edit_refused(refusal));
        }
    }
}
