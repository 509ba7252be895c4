//! The editor of a session: its open documents, and the requests and notifications that make it show
//! something to its person, within its capabilities.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use alongside_desk::path_fit::fitted;
use alongside_desk::{Closed, Closing, Problem, Review, ReviewId, harmless, messages as desk_messages};
use serde_json::{Value, json};

use super::commands::code_actions;
use super::lsp_types as lsp;
use super::messages::one_line_messages::{self, Others, Reload, ended_beside};
use super::messages::plain_text::without_markup;
use super::open_documents::documents::Documents;
use super::open_documents::positions::at_line;
use crate::client::Client;
use crate::editors::{EditorKind, ShowDocument};
use crate::encoding::Encoding;
use crate::io::Io;

/// The columns next to the titles of actions in an editor that cuts off long lines.
const MENU_MARGIN: usize = 4;

/// A request to the editor whose answer has an effect.
#[derive(Debug)]
pub(crate) enum Question {
    /// Show a proposal at a line.
    Show(ReviewId, usize),
    /// Apply an offer of the mirror, by its number.
    Apply(ReviewId, u64),
    /// A new review was announced: show it now?
    Announced(ReviewId),
    /// The proposal was closed: reject it?
    Closed(ReviewId),
}

#[derive(Debug)]
pub(crate) struct Editor {
    client: Client,
    pub(super) documents: Documents,
    questions: BTreeMap<i32, Question>,
}

impl Editor {
    pub(crate) fn new(client: Client) -> Self {
        Self { documents: Documents::new(client.encoding), client, questions: BTreeMap::new() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn kind(&self) -> &'static EditorKind {
        self.client.kind
    }

    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.client.roots
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.client.encoding
    }

    /// Shows a line for information.
    pub(crate) fn inform(&self, io: &Io, message: &str) {
        self.show_message(io, lsp::Severity::Information, message);
    }

    /// Shows a line as a warning.
    pub(crate) fn warn(&self, io: &Io, message: &str) {
        self.show_message(io, lsp::Severity::Warning, message);
    }

    /// Shows a line about the file of a review, which is named shorter where the line is cut off.
    pub(crate) fn inform_about(&self, io: &Io, review: &Review, message: String) {
        self.inform(io, &self.fitted(review, message, 0));
    }

    /// Shows a line about the file of a review as a warning, with a shorter name where the line is cut off.
    pub(crate) fn warn_about(&self, io: &Io, review: &Review, message: String) {
        self.warn(io, &self.fitted(review, message, 0));
    }

    /// Shows a message about the end of a review. `is_in_front`: the person is in the target of the review,
    /// or gets there; `waiting`: the number of other reviews that still wait.
    pub(crate) fn tell_end(
        &self,
        io: &Io,
        review: &Review,
        closed: &Closed,
        is_in_front: bool,
        waiting: usize,
    ) {
        let (kind, roots) = (self.kind(), self.roots());
        let message = match kind.columns {
            Some(columns) => {
                let reload = kind.reload_command.map(|command| Reload { command, is_in_front });
                let others = kind.actions_key.map(|key| Others { count: waiting, key, columns });
                ended_beside(review, closed, roots, reload, others)
            }
            None => desk_messages::closed(review, closed, roots, false),
        };
        match closed.decided_here || closed.closing == Closing::Accepted {
            true => self.inform_about(io, review, message),
            false => self.warn_about(io, review, message),
        }
    }

    /// Shows a problem.
    pub(super) fn report(&self, io: &Io, problem: &Problem) {
        if self.kind().columns.is_some() {
            return self.warn(io, &one_line_messages::problem(problem));
        }
        self.warn(io, &harmless::name(&problem.what));
        if let Some(hint) = &problem.hint {
            self.warn(io, &harmless::text(hint));
        }
    }

    /// Returns a message or title as this editor shows it without taking a name in it for something else.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.kind().shows_plain_text { text.into() } else { without_markup(text) }
    }

    /// Code actions as this editor takes them.
    pub(super) fn code_actions(&self, commands: Vec<lsp::Command>, params: &Value) -> Value {
        let commands = commands.into_iter().map(|command| self.with_plain_title(command)).collect();
        let literals = "/textDocument/codeAction/codeActionLiteralSupport";
        let literals = self.client.capabilities.pointer(literals).is_some_and(Value::is_object);
        code_actions::to_lsp(commands, params, literals)
    }

    /// Returns the title of a command as [`Self::plain`] shows it.
    pub(super) fn with_plain_title(&self, command: lsp::Command) -> lsp::Command {
        let title = self.plain(&command.title).into_owned();
        lsp::Command { title, ..command }
    }

    /// Returns the title of an action about a review, whose file is named shorter where the title is cut off.
    pub(crate) fn fitted_title(&self, review: &Review, title: String) -> String {
        self.fitted(review, title, MENU_MARGIN)
    }

    /// Returns a line that leaves a margin. It may name the file of the review with or without its directory.
    fn fitted(&self, review: &Review, line: String, margin: usize) -> String {
        let Some(columns) = self.kind().columns else { return line };
        let name = desk_messages::file_name(&review.file, self.roots());
        let name = if line.contains(&name) { name } else { desk_messages::short_name(review) };
        fitted(line, &name, columns.saturating_sub(margin))
    }

    fn show_message(&self, io: &Io, level: lsp::Severity, message: &str) {
        let is_warning = level == lsp::Severity::Warning;
        if io.remote().is_some_and(|remote| remote.say(message, is_warning)) {
            return;
        }
        let kind = self.kind();
        let message = self.plain(message);
        // Some editors add the server's name themselves, some have no room for it.
        let message = match kind.brief || kind.columns.is_some() {
            true => message.into_owned(),
            false => format!("alongside: {message}"),
        };
        io.notify("window/showMessage", json!({ "type": level, "message": message }));
    }

    /// Asks the person a question; without an answer nothing happens.
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
        match self.kind().show_document {
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
        let params = json!({ "uri": uri.as_str(), "external": false, "takeFocus": true });
        io.ask("window/showDocument", params, false);
    }

    /// Shows a proposal at a line.
    pub(crate) fn show_proposal(&mut self, io: &mut Io, id: ReviewId, uri: &url::Url, line: usize) {
        if let Ok(path) = uri.to_file_path()
            && let Some(number) = io.show_by_remote(&path, Some(line))
        {
            self.questions.insert(number, Question::Show(id, line));
            return;
        }
        let selection = at_line(line);
        let params =
            json!({ "uri": uri.as_str(), "external": false, "takeFocus": true, "selection": selection });
        let number = io.ask("window/showDocument", params, false);
        self.questions.insert(number, Question::Show(id, line));
    }

    /// Asks the editor to apply the edits of an offer.
    pub(crate) fn apply_edits(
        &mut self,
        io: &mut Io,
        path: &Path,
        edits: &[lsp::TextEdit],
        question: Question,
    ) {
        let Some(document) = self.documents.get(path) else { return };
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

    /// Makes the editor request code lenses again.
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
