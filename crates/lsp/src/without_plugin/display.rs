//! Shows proposals and marks in the editor, and handles its answers to questions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::{Review, ReviewId, Text, messages as desk_messages};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::command_queue::ReviewCommand;
use super::document::DocumentKey;
use super::editor_ui::Question;
use super::lsp_types as lsp;
use super::proposal::{Proposal, shown};
use super::{LspDesk, diagnostics, messages, one_line_messages};
use crate::frontend::Frontend as _;
use crate::io::Io;
use crate::uri;

/// An editor that shows a proposal opens it here within this time, or never.
const OPEN_TIMEOUT: Duration = Duration::from_secs(2);

impl LspDesk {
    /// Tells the person about a new review.
    pub(super) fn announce(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get(id) else { return };
        let path = proposal.path().filter(|_| !self.editor.can_show_documents());
        let editor = self.editor.client().editor;
        let (review, roots) = (&proposal.review, self.editor.roots());
        let message = match (path, editor.showing_key()) {
            (None, Some(key)) => {
                let others = self.proposals.len().saturating_sub(1);
                one_line_messages::announced(review, roots, key, others)
            }
            // The mark in the file says how to see the review.
            (None, None) if editor.brief => desk_messages::proposes(review),
            _ => messages::announced(review, roots, path, editor.language_command.is_some()),
        };
        if editor.prompts && path.is_none() {
            self.editor.ask(io, &message, [messages::LATER, messages::REVIEW], Question::Announced(id));
        } else {
            self.editor.inform_about(io, &messages::file_name(review, roots), message);
        }
    }

    /// Shows a proposal at the first change after a line.
    pub(super) fn show(&mut self, io: &mut Io, id: ReviewId, after: Option<usize>) {
        self.take_saved(io, id);
        let target = self.proposals.get(id).map(|proposal| self.target(&proposal.review));
        let from = self.last_place.as_ref().map(|(place, _)| place.clone());
        let from = from.filter(|from| !self.owns(from) && target.as_ref() != Some(from));
        let Some(proposal) = self.proposals.get_mut(id) else { return };
        proposal.shown_from = from.or_else(|| proposal.shown_from.take());
        proposal.refresh_file();
        let Some(uri) = proposal.path().and_then(uri::of_path) else {
            let (name, roots) =
                (messages::file_name(&proposal.review, self.editor.roots()), self.editor.roots());
            return self.editor.warn_about(io, &name, messages::no_file(&proposal.review, roots));
        };
        if !self.editor.can_show_documents() {
            return self.show_by_hand(io, id);
        }
        let lines = Text::new(proposal.review.current.clone()).len();
        let hunk = proposal.review.hunks.get(proposal.next_hunk(after));
        let line = hunk.map(|hunk| shown(hunk.current, lines).start).unwrap_or_default();
        self.editor.show_proposal(io, id, &uri, line);
    }

    /// Names the file to open, in an editor that shows no documents on request.
    fn show_by_hand(&self, io: &Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get(id) else { return };
        if let Some(path) = proposal.path() {
            let message = messages::open_by_hand(&proposal.review, self.editor.roots(), path);
            self.editor.inform(io, &message);
        }
    }

    /// The editor has answered a question; with null if it failed or did not answer in time.
    pub(super) fn question_answered(&mut self, io: &mut Io, number: i32, result: Value) {
        let is_set = |name: &str| result.get(name).and_then(Value::as_bool) == Some(true);
        let title = result.get("title").and_then(Value::as_str);
        match self.editor.take_question(number) {
            Some(Question::Show(id, line)) if is_set("success") => {
                if let Some(proposal) = self.proposals.get_mut(id) {
                    let until = || Instant::now() + OPEN_TIMEOUT;
                    proposal.opens_until = proposal.open.is_none().then(until);
                    if let Some(path) = proposal.path() {
                        self.last_place = Some((path.to_owned(), Some(line)));
                    }
                }
            }
            Some(Question::Show(id, _)) => self.show_by_hand(io, id),
            Some(Question::Apply(id, offer)) => {
                if let Some(proposal) = self.proposals.get_mut(id) {
                    proposal.is_save_due = is_set("applied") && self.editor.client().editor.saves_edits;
                    proposal.mirror.offer_answered(offer, is_set("applied"));
                    self.sync(io, id);
                    self.mark_proposal(io, id);
                }
            }
            Some(Question::Announced(id)) if title == Some(messages::REVIEW) => self.show(io, id, None),
            Some(Question::Closed(id)) if title == Some(messages::REJECT) => {
                self.queue(io, id, None, ReviewCommand::Reject);
            }
            Some(Question::Announced(_) | Question::Closed(_)) | None => {}
        }
    }

    /// The editor shows a proposal without this server, because it uses none for that language. The person
    /// sees no marks or actions there, so a message says where to go.
    pub(super) fn proposal_is_apart(&mut self, io: &Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get(id) else { return };
        // The person's next request comes from another document.
        self.last_place.take_if(|(place, _)| proposal.path() == Some(place));
        let name = desk_messages::short_name(&proposal.review);
        let command = self.editor.client().editor.language_command;
        self.editor.warn_about(io, &name, messages::apart(&proposal.review, command));
    }

    /// Takes the text that the person saved in a proposal that the editor shows without this server.
    pub(super) fn take_saved(&mut self, io: &Io, id: ReviewId) {
        let proposal = self.proposals.get_mut(id).filter(|proposal| proposal.is_apart);
        if let Some(Err(error)) = proposal.map(Proposal::take_saved) {
            self.editor.warn(io, &messages::saved_text_unread(&error));
        }
    }

    /// The target of a review, by the name under which the editor has it open.
    pub(super) fn target(&self, review: &Review) -> DocumentKey {
        let path: PathBuf = PathBuf::from(&review.file).components().collect();
        if self.documents.get(&path).is_some() {
            return path;
        }
        let real = path.canonicalize().ok();
        real.filter(|real| self.documents.get(real).is_some()).unwrap_or(path)
    }

    /// Marks the target of a review.
    pub(super) fn mark_target_of(&self, io: &Io, id: ReviewId) {
        if let Some(proposal) = self.proposals.get(id) {
            self.mark_target(io, &self.target(&proposal.review));
        }
    }

    /// Marks a file with all reviews about it.
    pub(super) fn mark_target(&self, io: &Io, key: &Path) {
        let about = self.proposals.values().filter(|proposal| self.target(&proposal.review) == *key);
        let (roots, encoding) = (self.editor.roots(), self.editor.encoding());
        let shown_by = self.editor.client().editor.showing_key();
        // The person may be where this server offers nothing.
        let is_apart =
            self.editor.client().editor.language_command.is_some() && self.documents.get(key).is_none();
        let mark = |proposal: &Proposal| {
            diagnostics::on_target(&proposal.review, roots, encoding, shown_by, is_apart)
        };
        let marks: Vec<_> = about.map(mark).collect();
        // An agent may have removed the file to write it again; its old marks must still go.
        if marks.is_empty() || key.is_file() {
            self.publish(io, key, &marks);
        }
    }

    /// Marks the hunks of a proposal that the editor has open.
    pub(super) fn mark_proposal(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.proposals.get(id) else { return };
        // The lines move when the editor applies an offer; until then, the marks of before are right.
        if proposal.mirror.awaits_editor() || proposal.mirror.is_behind() {
            return;
        }
        if let (Some((_, editor)), Some(path)) = (&proposal.open, proposal.path()) {
            let marks = diagnostics::in_proposal(proposal, editor, self.editor.encoding());
            self.publish(io, path, &marks);
            self.editor.refresh_lenses(io);
        }
    }

    /// Marks the document of an ended review. `late` is the line that the person types.
    pub(super) fn mark_ended(&self, io: &Io, key: &Path, late: Option<usize>) {
        if let Some(document) = self.documents.get(key) {
            self.publish(io, key, &diagnostics::in_ended(&document.text, self.editor.encoding(), late));
        }
    }

    /// Replaces the diagnostics of a document.
    pub(super) fn publish(&self, io: &Io, key: &Path, marks: &[lsp::Diagnostic]) {
        let known = self.documents.get(key).map(|document| document.uri.clone());
        let uri = known.or_else(|| uri::of_path(key).map(String::from));
        if let Some(uri) = uri {
            io.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": marks }));
        }
    }
}
