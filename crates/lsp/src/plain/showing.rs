//! What the editor is asked to show: messages, questions, documents and marks, as far as it can; and what it
//! answers.

use std::path::PathBuf;

use alongside_desk::{Review, ReviewId, Text, harmless};
use lsp_types as lsp;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::convention::to_lsp;
use super::documents::Key;
use super::proposal::{What, shown};
use super::{OPENED_WITHIN, Plain, Question, marks, texts};
use crate::editors::Documents;
use crate::io::Io;
use crate::uri;

/// The answers to a question, the harmless one first.
const LATER: &str = "Later";
const REVIEW: &str = "Review";
pub(super) const WAIT: &str = "Let it wait";
pub(super) const REJECT: &str = "Reject";

impl Plain {
    /// Shows a person a line.
    pub(super) fn say(&self, io: &Io, warns: bool, message: &str) {
        let kind = if warns { lsp::MessageType::Warning } else { lsp::MessageType::Info };
        let message = match self.client.editor.brief {
            // Those put our name before it.
            true => message.to_owned(),
            false => format!("alongside: {message}"),
        };
        io.notify("window/showMessage", lsp::ShowMessageParams { kind, message });
    }

    pub(super) fn announce(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let by_hand = proposal.path.as_deref().filter(|_| !self.shows_documents());
        let brief = self.client.editor.brief;
        let said = match by_hand {
            // The mark in the file says how to see it.
            None if brief => texts::announced_briefly(&proposal.review),
            _ => texts::announced(&proposal.review, &self.client.roots, by_hand),
        };
        if self.client.editor.prompts && by_hand.is_none() {
            self.prompt(io, said, [LATER, REVIEW], Question::Prompt(id));
        } else {
            self.say(io, false, &said);
        }
    }

    /// Asks the person something; without an answer nothing happens.
    pub(super) fn prompt(&mut self, io: &mut Io, message: String, answers: [&str; 2], question: Question) {
        let actions = answers.map(|title| json!({ "title": title }));
        let params = json!({ "type": 3, "message": format!("alongside: {message}"), "actions": actions });
        let number = io.ask("window/showMessageRequest", params, true);
        self.questions.insert(number, question);
    }

    pub(super) fn shows_documents(&self) -> bool {
        match self.client.editor.documents {
            Documents::Always => true,
            Documents::IfItSays => self.client.can("window/showDocument/support"),
            Documents::Never => false,
        }
    }

    /// Shows a proposal at the first change after a line.
    pub(super) fn show(&mut self, io: &mut Io, id: ReviewId, after: Option<usize>) {
        let can = self.shows_documents();
        let Some(proposal) = self.reviews.get_mut(&id) else { return };
        proposal.refresh();
        let Some(uri) = proposal.path.as_deref().and_then(uri::of_path) else {
            let name = texts::file_name(&proposal.review, &self.client.roots);
            return self.say(io, true, &format!("{name}: the proposal cannot be written to a private file"));
        };
        if !can {
            return self.by_hand(io, id);
        }
        let lines = Text::new(proposal.review.current.clone()).len();
        let hunk = proposal.review.hunks.get(proposal.next_after(after));
        let line = hunk.map(|hunk| shown(hunk.current, lines).start).unwrap_or_default();
        let at = u32::try_from(line).unwrap_or(u32::MAX);
        let at = to_lsp(alongside_desk::Position { line: at, character: 0 });
        self.show_document(io, &uri, Some(at), Question::Show(id, line));
    }

    pub(super) fn show_document(
        &mut self,
        io: &mut Io,
        uri: &url::Url,
        at: Option<lsp::Position>,
        question: Question,
    ) {
        let selection = at.map(|at| lsp::Range { start: at, end: at });
        let params = json!({ "uri": uri, "external": false, "takeFocus": true });
        let mut params = params;
        if let Some(selection) = selection {
            params["selection"] = json!(selection);
        }
        let number = io.ask("window/showDocument", params, false);
        self.questions.insert(number, question);
    }

    /// Says which file to open, where the editor cannot be asked to.
    pub(super) fn by_hand(&self, io: &Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        let name = texts::file_name(&proposal.review, &self.client.roots);
        if let Some(path) = &proposal.path {
            self.say(io, false, &format!("{name}: open {} to see what is proposed", harmless::path(path)));
        }
    }

    /// The editor has answered one of our questions, or has not.
    pub(crate) fn replied(&mut self, io: &mut Io, number: i32, result: Option<Value>) {
        let result = result.unwrap_or_default();
        let says = |name: &str| result.get(name).and_then(Value::as_bool) == Some(true);
        let title = result.get("title").and_then(Value::as_str);
        match self.questions.remove(&number) {
            Some(Question::Show(id, line)) if says("success") => {
                if let Some(proposal) = self.reviews.get_mut(&id) {
                    let until = || Instant::now() + OPENED_WITHIN;
                    proposal.opens_until = proposal.open.is_none().then(until);
                    let path = proposal.path.clone();
                    self.place = path.map(|path| (path, Some(line))).or(self.place.take());
                }
            }
            Some(Question::Show(id, _)) => self.by_hand(io, id),
            Some(Question::Apply(id, offer)) => {
                if let Some(proposal) = self.reviews.get_mut(&id) {
                    proposal.mirror.shown(offer, says("applied"));
                    self.go_on(io, id);
                    self.mark(io, id);
                }
            }
            Some(Question::Prompt(id)) if title == Some(REVIEW) => self.show(io, id, None),
            Some(Question::Closing(id)) if title == Some(REJECT) => self.wish(io, id, None, What::Reject),
            _ => {}
        }
    }

    /// Finds the proposals that the editor shows without us, because we are no server of that language there:
    /// its person stands before a text without marks and actions, and is told where to go.
    pub(super) fn look_for_apart(&mut self, io: &Io, now: Instant) {
        let mut said = Vec::new();
        for proposal in self.reviews.values_mut() {
            if proposal.opens_until.take_if(|until| *until <= now).is_some() {
                proposal.is_apart = true;
                // What is said next is said elsewhere.
                self.place.take_if(|(place, _)| proposal.path.as_ref() == Some(place));
                said.push(texts::apart(&proposal.review));
            }
        }
        said.iter().for_each(|said| self.say(io, true, said));
    }

    /// The document that a review is about, as the editor knows it.
    pub(super) fn target(&self, review: &Review) -> Key {
        let path: PathBuf = PathBuf::from(&review.file).components().collect();
        if self.documents.get(&path).is_some() {
            return path;
        }
        let real = path.canonicalize().ok();
        real.filter(|real| self.documents.get(real).is_some()).unwrap_or(path)
    }

    pub(super) fn mark_target(&self, io: &Io, id: ReviewId) {
        if let Some(proposal) = self.reviews.get(&id) {
            self.mark_file(io, &self.target(&proposal.review));
        }
    }

    /// Marks a file with every review that is about it.
    pub(super) fn mark_file(&self, io: &Io, key: &Key) {
        let about = self.reviews.values().filter(|proposal| self.target(&proposal.review) == *key);
        let roots = &self.client.roots;
        let marks = about.map(|proposal| marks::on_target(&proposal.review, roots, self.client.encoding));
        let marks: Vec<_> = marks.collect();
        // What was marked while it was there must not stay marked when an agent has just taken it away to
        // write it anew.
        if marks.is_empty() || key.is_file() {
            self.publish(io, key, &marks);
        }
    }

    /// Marks the changes in a proposal that the editor has open.
    pub(super) fn mark(&mut self, io: &mut Io, id: ReviewId) {
        let Some(proposal) = self.reviews.get(&id) else { return };
        // An editor that is about to be changed moves what is marked.
        let follows = proposal.mirror.awaits_editor();
        if let (Some((_, editor)), Some(path), false) = (&proposal.open, &proposal.path, follows) {
            let marks = marks::in_proposal(proposal, editor, self.client.encoding);
            self.publish(io, path, &marks);
            self.refresh_lenses(io);
        }
    }

    pub(super) fn publish(&self, io: &Io, key: &Key, marks: &[lsp::Diagnostic]) {
        let known = self.documents.get(key).map(|document| document.uri.clone());
        let uri = known.or_else(|| uri::of_path(key).map(String::from));
        if let Some(uri) = uri {
            io.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": marks }));
        }
    }

    pub(super) fn refresh_lenses(&mut self, io: &mut Io) {
        if self.client.can("workspace/codeLens/refreshSupport") {
            let number = io.ask("workspace/codeLens/refresh", Value::Null, false);
            self.questions.insert(number, Question::Nothing);
        }
    }
}
