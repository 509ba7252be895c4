//! Requests and notifications that make the editor show something to its person, within the capabilities of
//! that editor.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use alongside_desk::path_fit::fitted;
use alongside_desk::{Position, ReviewId};
use serde_json::{Value, json};

use super::document::Document;
use super::lsp_types as lsp;
use super::plain_text::without_markup;
use super::positions::to_lsp;
use crate::client::Client;
use crate::editors::ShowDocument;
use crate::encoding::Encoding;
use crate::io::Io;

/// The columns that an editor, which cuts off long lines, puts beside the titles of actions.
const MENU_MARGIN: usize = 4;

/// A request to the editor whose answer has an effect.
#[derive(Debug)]
pub(crate) enum Question {
    /// Show a proposal at a line.
    Show(ReviewId, usize),
    /// Apply an offer of the mirror, by its number.
    Apply(ReviewId, u64),
    /// A new review: look at it now?
    Announced(ReviewId),
    /// The proposal was closed: reject it?
    Closed(ReviewId),
}

#[derive(Debug)]
pub(crate) struct EditorUi {
    client: Client,
    questions: BTreeMap<i32, Question>,
}

impl EditorUi {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, questions: BTreeMap::new() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.client.roots
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.client.encoding
    }

    /// Shows a line for information.
    pub(crate) fn inform(&self, io: &Io, message: &str) {
        self.show_message(io, lsp::MessageType::Info, message);
    }

    /// Shows a line as a warning.
    pub(crate) fn warn(&self, io: &Io, message: &str) {
        self.show_message(io, lsp::MessageType::Warning, message);
    }

    /// Shows a line about a file, which is named shorter where the line is cut off.
    pub(crate) fn inform_about(&self, io: &Io, name: &str, message: String) {
        self.inform(io, &self.fitted(name, message));
    }

    /// Shows a line about a file as a warning.
    pub(crate) fn warn_about(&self, io: &Io, name: &str, message: String) {
        self.warn(io, &self.fitted(name, message));
    }

    /// A message or title as this editor shows it without taking a name in it for something else.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.client.editor.shows_plain_text { text.into() } else { without_markup(text) }
    }

    /// The titles of commands, for a menu or for lenses.
    pub(crate) fn with_plain_title(&self, command: lsp::Command) -> lsp::Command {
        let title = self.plain(&command.title).into_owned();
        lsp::Command { title, ..command }
    }

    /// The title of an action about a file, which is named shorter where the title is cut off.
    pub(crate) fn fitted_title(&self, name: &str, title: String) -> String {
        match self.client.editor.columns {
            Some(columns) => fitted(title, name, columns.saturating_sub(MENU_MARGIN)),
            None => title,
        }
    }

    fn fitted(&self, name: &str, message: String) -> String {
        match self.client.editor.columns {
            Some(columns) => fitted(message, name, columns),
            None => message,
        }
    }

    fn show_message(&self, io: &Io, kind: lsp::MessageType, message: &str) {
        let is_warning = kind == lsp::MessageType::Warning;
        if io.remote().is_some_and(|remote| remote.say(message, is_warning)) {
            return;
        }
        let editor = self.client.editor;
        let message = self.plain(message);
        // Some editors add the server's name themselves, some have no room for it.
        let message = match editor.brief || editor.columns.is_some() {
            true => message.into_owned(),
            false => format!("alongside: {message}"),
        };
        io.notify("window/showMessage", lsp::ShowMessageParams { kind, message });
    }

    /// Asks the person; without an answer nothing happens.
    pub(crate) fn ask(&mut self, io: &mut Io, message: &str, answers: [&str; 2], question: Question) {
        let actions = answers.map(|title| json!({ "title": title }));
        let message = format!("alongside: {}", self.plain(message));
        let params = json!({ "type": 3, "message": message, "actions": actions });
        let number = io.ask("window/showMessageRequest", params, true);
        self.questions.insert(number, question);
    }

    /// Whether the editor can show a document on request.
    pub(crate) fn can_show_documents(&self) -> bool {
        if self.client.has_remote {
            return true;
        }
        match self.client.editor.show_document {
            ShowDocument::Always => true,
            ShowDocument::IfDeclared => self.client.supports("window/showDocument/support"),
            ShowDocument::Never => false,
        }
    }

    /// Whether the editor opens documents that this server has and no file holds.
    pub(crate) fn knows_our_documents(&self) -> bool {
        let contents = self.client.capabilities.pointer("/workspace/textDocumentContent");
        contents.is_some_and(Value::is_object)
    }

    /// Shows a document.
    pub(crate) fn show_document(&mut self, io: &mut Io, uri: &url::Url) {
        if let Ok(path) = uri.to_file_path()
            && io.show_by_remote(&path, None).is_some()
        {
            return;
        }
        io.ask(
            "window/showDocument",
            json!({ "uri": uri.as_str(), "external": false, "takeFocus": true }),
            false,
        );
    }

    /// Shows a proposal at a line.
    pub(crate) fn show_proposal(&mut self, io: &mut Io, id: ReviewId, uri: &url::Url, line: usize) {
        if let Ok(path) = uri.to_file_path()
            && let Some(number) = io.show_by_remote(&path, Some(line))
        {
            self.questions.insert(number, Question::Show(id, line));
            return;
        }
        let at = to_lsp(Position { line: u32::try_from(line).unwrap_or(u32::MAX), character: 0 });
        let selection = lsp::Range { start: at, end: at };
        let params =
            json!({ "uri": uri.as_str(), "external": false, "takeFocus": true, "selection": selection });
        let number = io.ask("window/showDocument", params, false);
        self.questions.insert(number, Question::Show(id, line));
    }

    /// Asks the editor to apply the edits of an offer.
    pub(crate) fn apply_edits(
        &mut self,
        io: &mut Io,
        document: &Document,
        edits: &[lsp::TextEdit],
        question: Question,
    ) {
        let edit = match self.client.supports("workspace/workspaceEdit/documentChanges") {
            true => {
                let document = json!({ "uri": document.uri, "version": document.version });
                json!({ "documentChanges": [{ "textDocument": document, "edits": edits }] })
            }
            false => json!({ "changes": { &document.uri: edits } }),
        };
        let number = io.ask("workspace/applyEdit", json!({ "label": "alongside", "edit": edit }), false);
        self.questions.insert(number, question);
    }

    /// Makes the editor ask for code lenses again.
    pub(crate) fn refresh_lenses(&mut self, io: &mut Io) {
        if self.client.supports("workspace/codeLens/refreshSupport") {
            io.ask("workspace/codeLens/refresh", Value::Null, false);
        }
    }

    /// Removes and returns the question with this number.
    pub(crate) fn take_question(&mut self, number: i32) -> Option<Question> {
        self.questions.remove(&number)
    }
}
