//! The person's open editor: the desk hands over each saved text, and keeps a text that the companion
//! refuses.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use alongside_desk::review_model::Subject;
use alongside_desk::{Refusal, Request, ReviewId, Revised, messages};

use crate::app::{App, Purpose};
use crate::editor::EditOutcome;
use crate::pending_edit::{EditKind, UnsavedText};

/// The reason on a text that the desk keeps when it ends.
const DESK_CLOSED: &str = "the desk was closed";

impl App {
    /// Sends the text that was saved in the open editor. From then on it is in the drafts, whatever happens.
    pub(crate) fn upload_saved_text(&mut self) {
        if let Some((id, request)) = self.pending.open_editor().and_then(|editor| editor.upload()) {
            self.ask(request, Purpose::Upload(id));
        }
    }

    /// The companion took the saved text, or refused it.
    pub(crate) fn upload_answered(&mut self, revised: Option<Revised>) {
        let Some(editor) = self.pending.open_editor() else { return };
        let revision = revised.map(|revised| revised.revision);
        let id = editor.editing.id;
        let after = editor.uploaded(revision);
        self.discard(after.replaced);
        if let Some(revision) = revision {
            self.mark_own(id, revision);
        }
        if let Some(status) = after.exit {
            self.editor_ended(status);
        }
        if let Some(id) = after.flush {
            self.flush(id);
        }
    }

    /// The agent is about to take the review: the desk sends the saved text before it confirms.
    pub(crate) fn flush(&mut self, id: ReviewId) {
        if let Some(editor) = self.pending.open_editor().filter(|editor| editor.editing.id == id) {
            if editor.delays_flush() {
                return;
            }
            self.upload_saved_text();
        }
        self.ask(Request::Flushed { id }, Purpose::Nothing);
    }

    /// The editor has ended, and the terminal is the desk's again.
    pub(crate) fn editor_ended(&mut self, status: io::Result<ExitStatus>) {
        let Some(editor) = self.pending.open_editor() else { return };
        let Some(status) = editor.delay_exit(status) else { return };
        let Some(editing) = self.pending.take_editor() else { return };
        // Keys typed into the editor were not meant for the desk.
        self.invalidate_keys();
        let (id, hunk, replaces) = (editing.id, editing.hunk, editing.reopened());
        let (file, agent) = (editing.file.clone(), editing.agent.clone());
        let is_open = self.view(id).is_some();
        let revision = self.view(id).map_or(editing.revision, |view| editing.revision_in(view.review()));
        match editing.finish(status, is_open, &self.options.drafts, self.roots()) {
            EditOutcome::Taken => self.follow_up(id, EditKind::Edited),
            EditOutcome::Message(message) => self.answer(message),
            EditOutcome::Text(text) => {
                let request = Request::replace_text(id, revision, text.clone());
                self.change(id, EditKind::Edited, request, Some(UnsavedText { file, agent, text, replaces }));
                if let Some(view) = self.view_mut(id) {
                    view.push_step(hunk);
                }
            }
        }
    }

    /// Keeps a text that only this desk has; the message says where.
    pub(crate) fn keep_text(&self, unsaved: &UnsavedText, why: &str) -> String {
        let UnsavedText { file, agent, text, .. } = unsaved;
        self.options.drafts.keep((file, agent), why, text, self.roots())
    }

    /// The companion refused a text from the editor. The text is kept; if the review changed, `e` opens the
    /// text again.
    pub(crate) fn text_refused(&mut self, id: ReviewId, unsaved: UnsavedText, refusal: &Refusal) {
        let said = match (refusal, self.view(id)) {
            (Refusal::Stale { .. }, Some(_)) => {
                let whose = (unsaved.file.as_str(), unsaved.agent.as_str());
                let (refused, said) = self.options.drafts.keep_refused(whose, unsaved.text, self.roots());
                if let Some(view) = self.view_mut(id) {
                    view.set_refused(Some(refused));
                }
                // This says that the review changed, too.
                self.messages.end(Subject::Review(id));
                said
            }
            _ => self.keep_text(&unsaved, &refusal.to_string()),
        };
        self.discard(unsaved.replaces);
        self.warn(said);
    }

    /// A text that was kept in this file is elsewhere by now.
    pub(crate) fn discard(&self, file: Option<PathBuf>) {
        if let Some(file) = file {
            self.options.drafts.discard(&file);
        }
    }

    /// The desk is left: a text that the companion does not have is kept, and the message says where.
    pub(crate) async fn last_words(&mut self) -> Option<String> {
        if let Some(mut editing) = self.pending.take_editor() {
            editing.end().await;
            let Some(text) = editing.unsent() else {
                return editing.sent.then(|| messages::SAVED_TEXT_IN_DRAFTS.to_owned());
            };
            let (file, agent) = (editing.file.clone(), editing.agent.clone());
            return Some(self.keep_text(&UnsavedText { file, agent, text, replaces: None }, DESK_CLOSED));
        }
        let unsaved = self.pending.take_unsaved()?;
        Some(self.keep_text(&unsaved, DESK_CLOSED))
    }

    /// The last lines of a desk that the person leaves: where reviews wait on. `last` comes last.
    pub(crate) fn words_on_leaving(&self, last: Option<String>) -> Option<String> {
        let lines: Vec<_> = self.companion.stays_open(self.reviews.len()).into_iter().chain(last).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The last lines of a desk that ends because the companion did. `last` comes last.
    pub(crate) fn parting_words(&self, last: Option<String>) -> String {
        if self.options.rehearsal {
            // Each demo ends so.
            return last.unwrap_or_default();
        }
        let said = self.messages.iter().map(|message| message.text.clone());
        let lines = std::iter::once(messages::COMPANION_STOPPED.to_owned()).chain(said).chain(last);
        lines.collect::<Vec<_>>().join("\n")
    }
}
