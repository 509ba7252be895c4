//! Consequences of the editor's messages about documents: edits of proposals, and where the person is.

use std::path::Path;
use std::time::Duration;

use alongside_desk::messages as desk_messages;
use lsp_server::RequestId;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::LspDesk;
use super::document::DocumentKey;
use super::documents::named;
use super::ended_review::Saved;
use super::lsp_types as lsp;
use super::positions::{position, read_position, read_range};
use super::{code_actions, diagnostics, hover, messages};
use crate::encoding::Encoding;
use crate::frontend::Frontend as _;
use crate::io::Io;

/// A closed proposal is rejected after this time. Editors also close documents to reopen them, and before
/// they end.
const CLOSE_DELAY: Duration = Duration::from_millis(500);

impl LspDesk {
    pub(super) fn document_opened(&mut self, io: &mut Io, params: &Value) {
        let Some(key) = self.documents.open(params) else { return };
        self.last_place = Some((key.clone(), None));
        if !self.owns(&key) {
            return self.context.document_opened(&key);
        }
        let text = self.documents.get(&key).map(|document| document.text.clone());
        if let (Some((id, proposal)), Some(text)) = (self.proposals.at_path_mut(&key), text) {
            proposal.editor_opened(&text);
            let is_first = !std::mem::replace(&mut proposal.is_noted, true);
            let review = &proposal.review;
            let told = [messages::hidden_differences(review), messages::coarse_changes(review)];
            let mut told = told.into_iter().flatten().filter(|_| is_first).peekable();
            if let Some(keys) = self.editor.client().editor.keys.filter(|_| told.peek().is_none()) {
                self.editor.inform(io, keys);
            }
            for text in told {
                self.editor.inform_about(io, &desk_messages::short_name(review), text);
            }
            self.sync(io, id);
            self.mark_proposal(io, id);
        }
    }

    pub(super) fn document_changed(&mut self, io: &mut Io, params: &Value) {
        let Some((key, edit)) = self.documents.change(params) else { return };
        let Some(document) = self.documents.get(&key) else { return };
        let line = edit.end.map(|end| position(&document.text, end, Encoding::Utf16).line as usize);
        self.last_place = Some((key.clone(), line));
        if !self.owns(&key) {
            return self.context.document_edited(&key, &edit);
        }
        if let Some((id, proposal)) = self.proposals.at_path_mut(&key) {
            // Some editors send the text of an offer after they have answered it.
            let awaited = proposal.mirror.has_offer();
            proposal.editor_changed(&edit.steps);
            let is_ours = awaited || proposal.is_save_due;
            self.sync(io, id);
            if is_ours {
                self.mark_proposal(io, id);
            }
        } else if edit.is_new
            && let Some(ended) = self.proposals.ended_mut(&key)
        {
            if ended.typed() {
                self.editor.warn(io, messages::TYPED_LATE);
            }
            self.mark_ended(io, &key, line.or(Some(0)));
        }
    }

    /// Saving a proposal writes the private file, which decides nothing. The person hears that once, or each
    /// time in an editor whose messages go with the next key. Some editors save by themselves.
    pub(super) fn document_saved(&mut self, io: &mut Io, params: &Value) {
        let Some(key) = self.documents.save(params) else { return };
        if !self.owns(&key) {
            return self.context.document_saved();
        }
        let editor = self.editor.client().editor;
        if let Some(document) = self.documents.get(&key)
            && let Some(ended) = self.proposals.ended_mut(&key)
        {
            match ended.save(document.text.text(), &*self.drafts) {
                Ok((_, false)) if editor.columns.is_none() => {}
                Ok((Saved::Kept, _)) => self.editor.inform(io, messages::LATE_TEXT_KEPT),
                Ok((Saved::Unchanged, _)) => self.editor.inform(io, messages::SAVED_LATE),
                Err(error) => self.editor.warn(io, &messages::late_text_not_kept(&error)),
            }
        }
        if let Some((id, proposal)) = self.proposals.at_path_mut(&key) {
            proposal.editor_saved();
            if std::mem::take(&mut proposal.is_save_due) {
                // The marks that came before the edit are at other lines.
                return self.mark_proposal(io, id);
            }
            let is_known = std::mem::replace(&mut proposal.is_save_explained, true);
            if !is_known || editor.columns.is_some() {
                self.editor.inform(io, &messages::saved(proposal.has_edits(), editor.actions_key));
            }
        }
    }

    pub(super) fn document_closed(&mut self, io: &mut Io, params: &Value) {
        let Some((key, text)) = self.documents.close(params) else { return };
        self.last_place.take_if(|(place, _)| *place == key);
        if !self.owns(&key) {
            return self.context.document_closed(&key);
        }
        if let Some(mut ended) = self.proposals.take_ended(&key) {
            // Closing without saving loses nothing either. A draft of before stays.
            match ended.is_late(&text).then(|| ended.save(&text, &*self.drafts)).transpose() {
                Ok(Some((Saved::Kept, true))) => self.editor.inform(io, messages::LATE_TEXT_KEPT),
                Ok(_) => {}
                Err(error) => self.editor.warn(io, &messages::late_text_not_kept(&error)),
            }
            self.publish(io, &key, &[]);
        }
        if let Some((id, proposal)) = self.proposals.at_path_mut(&key) {
            if let Err(error) = proposal.editor_closed() {
                self.editor.warn(io, &messages::saved_text_unread(&error));
            }
            proposal.closes_at = Some(Instant::now() + CLOSE_DELAY);
            self.publish(io, &key, &[]);
            self.sync(io, id);
        }
    }

    /// Answers a request of the editor; false if there is no such method.
    pub(super) fn answer_request(
        &mut self,
        io: &mut Io,
        id: &RequestId,
        method: &str,
        params: &Value,
    ) -> bool {
        let key = named(params).map(|(key, _)| key);
        let lines = key.as_ref().and_then(|key| self.note_place(key, method, params));
        match method {
            "textDocument/documentHighlight" => io.reply(id.clone(), json!([])),
            "textDocument/hover" => io.reply(id.clone(), self.hover(key.as_deref(), params)),
            "textDocument/codeAction" => {
                let mut commands = self.code_actions(key.as_deref(), lines.unwrap_or_default());
                let lines = lines.unwrap_or_default();
                commands.extend(self.send_action(key.as_deref(), lines, params));
                commands.extend(self.setup_actions(params));
                let commands =
                    commands.into_iter().map(|command| self.editor.with_plain_title(command)).collect();
                let literals = "/textDocument/codeAction/codeActionLiteralSupport";
                let literals = self.editor.client().capabilities.pointer(literals);
                let literals = literals.is_some_and(Value::is_object);
                io.reply(id.clone(), code_actions::to_lsp(commands, params, literals));
            }
            "textDocument/codeLens" => io.reply(id.clone(), self.code_lenses(key.as_deref())),
            "workspace/executeCommand" => self.execute(io, id, params),
            "workspace/textDocumentContent" => self.answer_original(io, id, params),
            _ => return false,
        }
        true
    }

    /// Notes the cursor or selection that a request reveals, and returns its first and last line.
    fn note_place(&mut self, key: &DocumentKey, method: &str, params: &Value) -> Option<(usize, usize)> {
        let is_own = self.owns(key);
        if method == "textDocument/hover" && !self.editor.client().editor.hovers_at_cursor {
            return None;
        }
        if let Some(at) = params.get("position").and_then(read_position) {
            let line = at.line as usize;
            self.last_place = Some((key.clone(), Some(line)));
            let cursor = self.documents.offset(key, at)?;
            if !is_own {
                self.context.cursor_at(key, cursor);
            }
            return Some((line, line));
        }
        let (from, to) = params.get("range").and_then(read_range)?;
        if method != "textDocument/codeAction" {
            return None;
        }
        self.last_place = Some((key.clone(), Some(from.line as usize)));
        let is_invoked = params.pointer("/context/triggerKind").and_then(Value::as_u64) == Some(1);
        if let Some(range) = self.documents.span(key, from, to)
            && let Some(document) = self.documents.get(key)
            && !is_own
        {
            self.context.code_action_range(key, range, &document.text, is_invoked);
        }
        // A selection up to the start of a line contains nothing of it.
        let last = if to.character == 0 && to.line > from.line { to.line - 1 } else { to.line };
        Some((from.line as usize, last as usize))
    }

    /// The hover at a position; null outside proposals, but for the line of the target that announces one.
    fn hover(&self, key: Option<&Path>, params: &Value) -> Value {
        let at = params.get("position").and_then(read_position);
        let shown = self.proposals.values().find(|proposal| key.is_some() && proposal.path() == key);
        let line = at.map(|at| at.line as usize);
        let hover = match shown {
            Some(proposal) => line.and_then(|line| hover::at(proposal, line)),
            None => {
                let mut reviews = self.proposals.values().map(|proposal| &proposal.review);
                let announced = reviews.find(|review| {
                    Some(diagnostics::target_line(review)) == line
                        && key.is_some_and(|key| self.target(review) == key)
                });
                announced.map(hover::on_target)
            }
        };
        hover.map_or(Value::Null, |hover| hover.to_lsp(self.editor.client()))
    }

    fn code_lenses(&self, key: Option<&Path>) -> Vec<lsp::CodeLens> {
        let mut shown = self.proposals.values().filter(|proposal| key.is_some() && proposal.path() == key);
        let lenses = shown.next().map(|proposal| {
            code_actions::lenses(proposal, self.editor.roots(), self.named(&proposal.review))
        });
        let plain = |lens: lsp::CodeLens| {
            let command = self.editor.with_plain_title(lens.command);
            lsp::CodeLens { command, ..lens }
        };
        lenses.unwrap_or_default().into_iter().map(plain).collect()
    }
}
