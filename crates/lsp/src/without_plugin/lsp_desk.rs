//! The desk of an editor without a plugin: hands each message to the part that owns the state. No other file
//! implements it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::agent_setup::SettingsOffer;
use alongside_desk::{
    Closed, Closing, DraftKeeper, Event, Refusal, Request, Review, ReviewId, Revised, harmless,
    messages as desk_messages,
};
use lsp_server::{ErrorCode, RequestId};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::agent_setup::OfferedChanges;
use super::commands::command_arguments::{COMMANDS, CommandArguments};
use super::commands::command_queue::{PendingCommand, ReviewCommand, finish};
use super::context::ContextTracker;
use super::context::mentions::{self, Mentions};
use super::context::person_position::{CODE_ACTION, PersonPosition, Trigger, revealed};
use super::editor::{Editor, Question};
use super::messages;
use super::open_documents::document::DocumentKey;
use super::open_documents::documents::document_named;
use super::open_documents::positions::{position, read_position, span};
use super::proposal_document::document_phase::Due;
use super::proposal_document::proposal_file::ReviewDirectory;
use super::proposal_document::review_document::ReviewDocument;
use super::reviews::ended_reviews::{self, EndedReviews};
use super::reviews::registry::WaitingReviews;
use super::reviews::showing;
use super::reviews::waiting_review::{WaitingReview, tell_refused_edit};
use crate::client::Client;
use crate::editor_desk::EditorDesk;
use crate::editors::EditorKind;
use crate::encoding::Encoding;
use crate::io::{Io, RequestOrigin};
use crate::{problems, uri};

/// The error of a request with wrong parameters.
const INVALID_PARAMS: i64 = ErrorCode::InvalidParams as i64;

#[derive(Debug)]
pub(crate) struct LspDesk {
    pub(super) editor: Editor,
    directory: ReviewDirectory,
    context: ContextTracker,
    person_position: PersonPosition,
    pub(super) reviews: WaitingReviews,
    ended: EndedReviews,
    mentions: Mentions,
    agent_setup: OfferedChanges,
    /// The companion's process.
    host: u32,
    is_paused: bool,
}

impl LspDesk {
    /// Returns a desk whose proposals are files below `review_directory`. The directory is private and has no
    /// links in its name, because editors resolve them. `drafts` gets text that is typed into a decided
    /// proposal.
    pub(crate) fn new(
        client: &Client,
        review_directory: Option<PathBuf>,
        drafts: Arc<dyn DraftKeeper>,
    ) -> Self {
        Self {
            editor: Editor::new(client.clone()),
            directory: ReviewDirectory::new(review_directory),
            context: ContextTracker::new(client.kind.range),
            person_position: PersonPosition::default(),
            reviews: WaitingReviews::default(),
            ended: EndedReviews::new(drafts),
            mentions: Mentions::default(),
            agent_setup: OfferedChanges::default(),
            host: 0,
            is_paused: false,
        }
    }

    fn document_opened(&mut self, io: &mut Io, params: &Value) {
        let Some(key) = self.editor.documents.open(params) else { return };
        self.person_position.note(&key, None);
        if !self.directory.holds(&key) {
            return self.context.document_opened(&key);
        }
        if let Some(review) = self.reviews.at_mut(&key) {
            review.opened(io, &mut self.editor);
        }
    }

    fn document_changed(&mut self, io: &mut Io, params: &Value) {
        let Some((key, edit)) = self.editor.documents.change(params) else { return };
        let Some(document) = self.editor.documents.get(&key) else { return };
        let line = edit.end.map(|end| position(&document.text, end, Encoding::Utf16).line as usize);
        self.person_position.note(&key, line);
        if !self.directory.holds(&key) {
            return self.context.document_edited(&key, &edit);
        }
        if let Some(review) = self.reviews.at_mut(&key) {
            review.edited(io, &mut self.editor, &edit.steps);
        } else if edit.is_new {
            self.ended.edited(io, &self.editor, &key, line.unwrap_or(0));
        }
    }

    fn document_saved(&mut self, io: &mut Io, params: &Value) {
        let Some(key) = self.editor.documents.save(params) else { return };
        if !self.directory.holds(&key) {
            let path = key.to_string_lossy().into_owned();
            io.request(RequestOrigin::Unawaited, Request::Saved { path });
            return self.context.document_saved();
        }
        self.ended.saved(io, &self.editor, &key);
        if let Some(review) = self.reviews.at_mut(&key) {
            review.saved(io, &mut self.editor);
        }
    }

    fn document_closed(&mut self, io: &mut Io, params: &Value) {
        let Some((key, text)) = self.editor.documents.close(params) else { return };
        self.person_position.leave(&key);
        if !self.directory.holds(&key) {
            return self.context.document_closed(&key);
        }
        self.ended.closed(io, &self.editor, &key, &text);
        if let Some(review) = self.reviews.at_mut(&key) {
            review.closed(io, &mut self.editor);
        }
    }

    /// Records the cursor or selection that a request reveals, and returns its first and last line.
    fn note_place(&mut self, key: &DocumentKey, method: &str, params: &Value) -> Option<(usize, usize)> {
        let (from, to) = revealed(method, params, self.editor.kind().hovers_at_cursor)?;
        self.person_position.note(key, Some(from.line as usize));
        if let Some(document) = self.editor.documents.get(key).filter(|_| !self.directory.holds(key)) {
            let (range, text) = (span(&document.text, from, to, self.editor.encoding()), &document.text);
            match method == CODE_ACTION {
                true => self.context.code_action_range(key, range, text, Trigger::of(params)),
                false => self.context.cursor_at(key, range.start),
            }
        }
        // A selection up to the start of a line contains nothing of it.
        let last = if to.character == 0 && to.line > from.line { to.line - 1 } else { to.line };
        Some((from.line as usize, last as usize))
    }

    /// Returns the code actions for a document and its selected lines. Those for any document answer only a
    /// person's request, because some editors show a mark where there is one.
    fn code_actions(&self, key: Option<&DocumentKey>, lines: (usize, usize), params: &Value) -> Value {
        let mut commands = self.reviews.code_actions(&self.editor, key, lines);
        if Trigger::of(params) != Trigger::Automatic {
            let sent = key.filter(|key| !self.directory.holds(key));
            commands.extend(sent.and_then(|key| self.mentions.action(key, lines)));
            commands.extend(self.agent_setup.actions().filter(|_| self.reviews.all.is_empty()));
        }
        self.editor.code_actions(commands, params)
    }

    /// Returns the hover at a position; null where there is nothing to say.
    fn hover(&self, key: Option<&DocumentKey>, params: &Value) -> Value {
        let place = key.zip(params.get("position").and_then(read_position));
        let hover = place.and_then(|(key, at)| self.reviews.hover(&self.editor, key, at.line as usize));
        hover.unwrap_or_default()
    }

    /// Handles `workspace/executeCommand`.
    fn execute(&mut self, io: &mut Io, id: &RequestId, params: &Value) {
        let name = params.get("command").and_then(Value::as_str).unwrap_or_default();
        match name.strip_prefix("alongside.").filter(|_| COMMANDS.contains(&name)) {
            None => {
                let message = format!("there is no command {:?}", harmless::name(name));
                return io.refuse(id.clone(), INVALID_PARAMS, message, None);
            }
            Some("pause") => {
                self.is_paused = !self.is_paused;
                io.request(RequestOrigin::Unawaited, Request::PauseContext { paused: self.is_paused });
                self.editor.inform(io, messages::paused(self.is_paused));
            }
            Some("send") => io.request(RequestOrigin::Mention, mentions::request(params)),
            Some("setUp") => self.agent_setup.make(io, &self.editor, params),
            Some(verb) => {
                let arguments = CommandArguments::read(params);
                let here = self.person_position.document();
                let review = self.reviews.find(io, &self.editor, arguments.review, here, name);
                if let Some(review) = review
                    && let Some(command) = self.review_command(io, review, verb, arguments)
                {
                    return self.queue(io, review, PendingCommand { request: Some(id.clone()), command });
                }
            }
        }
        io.reply(id.clone(), Value::Null);
    }

    /// Carries out a command on a review, or returns the command to queue.
    fn review_command(
        &mut self,
        io: &mut Io,
        id: ReviewId,
        verb: &str,
        arguments: CommandArguments,
    ) -> Option<ReviewCommand> {
        let (review, editor) = (self.reviews.get_mut(id)?, &mut self.editor);
        let line = arguments.line.or_else(|| self.person_position.line_in(review.document.path()));
        match verb {
            "accept" => review.admit_accept(io, editor, &arguments).then_some(ReviewCommand::Accept),
            "reject" => review.admit_seen(io, editor, arguments.revision).then_some(ReviewCommand::Reject),
            "undo" => Some(ReviewCommand::Undo),
            "redo" => Some(ReviewCommand::Redo),
            "keep" | "drop" => {
                let hunks = arguments.hunks.or_else(|| Some(review.hunks_at(line?))).unwrap_or_default();
                if hunks.is_empty() {
                    editor.inform(io, messages::NO_CHANGE_HERE);
                    return None;
                }
                Some(if verb == "keep" { ReviewCommand::Keep(hunks) } else { ReviewCommand::Drop(hunks) })
            }
            "original" => {
                showing::show_original(review, io, editor);
                None
            }
            _ => {
                self.show(io, id, line.filter(|_| verb == "next"));
                None
            }
        }
    }

    /// Queues a command about a review, or answers it if that has ended.
    fn queue(&mut self, io: &mut Io, id: ReviewId, command: PendingCommand) {
        match self.reviews.get_mut(id) {
            Some(review) => review.queue(io, &mut self.editor, command),
            None => finish(io, command.request),
        }
    }

    /// Shows a proposal at the first change after a line.
    fn show(&mut self, io: &mut Io, id: ReviewId, after: Option<usize>) {
        if let Some(review) = self.reviews.get_mut(id) {
            let from = self.person_position.document().filter(|from| !self.directory.holds(from));
            showing::show(review, io, &mut self.editor, after, from.cloned());
        }
    }

    /// Handles the editor's answer to a question; null if the question failed or was not answered in time.
    fn question_answered(&mut self, io: &mut Io, question: Question, result: &Value) {
        let is_set = |name: &str| result.get(name).and_then(Value::as_bool) == Some(true);
        let title = result.get("title").and_then(Value::as_str);
        match question {
            Question::Show(id, line) => match self.reviews.get_mut(id) {
                Some(review) if is_set("success") => {
                    if let Some(path) = review.shown() {
                        self.person_position.note(path, Some(line));
                    }
                }
                Some(review) => showing::show_by_hand(review, io, &self.editor),
                None => {}
            },
            Question::Apply(id, offer) => {
                if let Some(review) = self.reviews.get_mut(id) {
                    review.offer_answered(io, &mut self.editor, offer, is_set("applied"));
                }
            }
            Question::Announced(id) if title == Some(messages::REVIEW) => self.show(io, id, None),
            Question::Closed(id) if title == Some(messages::REJECT) => {
                self.queue(io, id, PendingCommand { request: None, command: ReviewCommand::Reject });
            }
            Question::Announced(_) | Question::Closed(_) => {}
        }
    }

    fn review_opened(&mut self, io: &mut Io, review: Review) {
        let id = review.id;
        if let Some(known) = self.reviews.get_mut(id) {
            return known.repeated(io, &mut self.editor, review);
        }
        let path = self.directory.path_of(&review, self.editor.client(), self.host);
        let target = self.editor.documents.key_of(&review.file);
        let waiting = WaitingReview::new(ReviewDocument::new(review, path), &self.editor);
        self.reviews.all.insert(id, waiting);
        self.reviews.mark_target(io, &self.editor, &target);
        self.reviews.tell_count(io);
        let others = self.reviews.all.len() - 1;
        if let Some(review) = self.reviews.get_mut(id) {
            review.mark(io, &mut self.editor);
            review.sync(io, &mut self.editor);
            if !self.editor.client().opens_reviews {
                return showing::announce(review, io, &mut self.editor, others);
            }
        }
        self.show(io, id, None);
    }

    fn review_closed(&mut self, io: &mut Io, closed: &Closed) {
        let Some(mut review) = self.reviews.all.remove(&closed.id) else { return };
        self.reviews.tell_count(io);
        review.cancel_commands(io);
        let target = self.editor.documents.key_of(&review.review().file);
        let back = showing::way_back(&review, &self.editor, &target).filter(|_| closed.decided_here);
        let is_here = closed.decided_here && self.person_position.document() == Some(&target);
        let is_in_front = is_here || back.as_ref() == Some(&target);
        let mut ended = review.document;
        self.editor.tell_end(io, &ended.review, closed, is_in_front, self.reviews.all.len());
        self.reviews.unmark_target(io, &self.editor, &target, &ended.review.file);
        if self.editor.kind().reload_command.is_some() {
            ended.refresh_open_file();
        }
        self.ended.keep_saved(io, &self.editor, &mut ended);
        let Some(path) = self.ended.take_over(ended, &self.editor) else { return };
        if let Some(remote) = io.remote().filter(|_| closed.decided_here) {
            remote.decided(&path);
        }
        ended_reviews::mark(io, &self.editor, &path, None);
        self.editor.refresh_lenses(io);
        if let Some(uri) = back.as_deref().and_then(uri::of_path) {
            self.editor.show_document(io, &uri);
        }
    }

    fn handle_due(&mut self, io: &mut Io, id: ReviewId, due: Due) {
        let Some(review) = self.reviews.get_mut(id) else { return };
        match due {
            Due::Rejection => review.closed_for_good(io, &mut self.editor),
            Due::NotOpened => {
                // The person's next request comes from another document.
                if let Some(path) = review.document.path() {
                    self.person_position.leave(path);
                }
                review.shown_without_server(io, &self.editor);
            }
            Due::Check => {
                review.take_saved(io, &self.editor);
                review.sync(io, &mut self.editor);
            }
        }
    }
}

impl EditorDesk for LspDesk {
    fn connected(&mut self, _: &mut Io) {
        self.context.repeat_report();
    }

    /// The companion has usually closed its reviews before.
    fn disconnected(&mut self, io: &mut Io) {
        for id in self.reviews.all.keys().copied().collect::<Vec<_>>() {
            self.review_closed(io, &Closed::of(id, Closing::Stopped));
        }
        self.editor.report(io, &problems::companion_stopped());
    }

    fn handle_notification(&mut self, io: &mut Io, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => self.document_opened(io, &params),
            "textDocument/didChange" => self.document_changed(io, &params),
            "textDocument/didSave" => self.document_saved(io, &params),
            "textDocument/didClose" => self.document_closed(io, &params),
            _ => {}
        }
    }

    fn handle_request(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool {
        let key = document_named(&params).map(|(key, _)| key);
        let key = key.as_ref();
        let lines = key.and_then(|key| self.note_place(key, method, &params)).unwrap_or_default();
        match method {
            "textDocument/documentHighlight" => io.reply(id.clone(), json!([])),
            "textDocument/hover" => io.reply(id.clone(), self.hover(key, &params)),
            CODE_ACTION => io.reply(id.clone(), self.code_actions(key, lines, &params)),
            "textDocument/codeLens" => io.reply(id.clone(), self.reviews.lenses(&self.editor, key)),
            "workspace/executeCommand" => self.execute(io, id, &params),
            "workspace/textDocumentContent" => match self.reviews.original(&params) {
                Some(text) => io.reply(id.clone(), json!({ "text": &*text })),
                None => io.refuse(id.clone(), INVALID_PARAMS, messages::ENDED, None),
            },
            _ => return false,
        }
        true
    }

    fn handle_response(&mut self, io: &mut Io, number: i32, result: Option<Value>) {
        if let Some(question) = self.editor.take_question(number) {
            self.question_answered(io, question, &result.unwrap_or_default());
        }
    }

    fn handle_event(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Status(status) => {
                (self.host, self.is_paused) = (status.pid, status.paused);
                self.mentions.note_agents(&status);
            }
            Event::Opened(review) => self.review_opened(io, review),
            Event::Changed(changed) => {
                if let Some(review) = self.reviews.get_mut(changed.id) {
                    review.changed(io, &mut self.editor, changed);
                }
            }
            Event::Closed(closed) => self.review_closed(io, &closed),
            Event::FlushReview { id } => match self.reviews.get_mut(id) {
                Some(review) => review.flush(io, &mut self.editor),
                None => io.request(RequestOrigin::Unawaited, Request::Flushed { id }),
            },
            Event::Problem(problem) => self.editor.report(io, &problem),
            // An editor without a plugin has no list of them and shows no turns; the terminal desk does.
            Event::AcceptedByRule(_) | Event::Turn(_) | Event::TurnFile(_) | Event::TurnFinished(_) => {}
            Event::DiagnosticsWanted { .. } => {}
            Event::Notice { message } => self.editor.inform(io, &message),
            // The editor has one line: the news that another proposal waits is more important than good news.
            Event::LastWord(told) if told.word.is_as_decided() && !self.reviews.all.is_empty() => {}
            Event::LastWord(told) if told.word.is_as_decided() => self.editor.inform(io, &told.message),
            Event::LastWord(told) => self.editor.warn(io, &told.message),
        }
    }

    fn handle_reply(&mut self, io: &mut Io, origin: RequestOrigin, reply: Result<Revised, Refusal>) {
        match (origin, reply) {
            (RequestOrigin::Edit(id), reply) => {
                if let Err(refusal) = &reply {
                    tell_refused_edit(io, &self.editor, id, refusal);
                }
                if let Some(review) = self.reviews.get_mut(id) {
                    review.edit_replied(io, &mut self.editor, reply.is_ok());
                }
            }
            (RequestOrigin::Command(request, id), reply) => match (self.reviews.get_mut(id), reply) {
                (Some(review), reply) => review.command_replied(io, &mut self.editor, request, &reply),
                (None, reply) => {
                    if let Err(refusal) = reply {
                        self.editor.warn(io, &desk_messages::refusal(&refusal));
                    }
                    finish(io, request);
                }
            },
            (RequestOrigin::Mention, Err(refusal)) => {
                self.editor.warn(io, &desk_messages::refusal(&refusal));
            }
            // A notice reports the result of a mention.
            (RequestOrigin::Mention | RequestOrigin::Unawaited | RequestOrigin::Plugin(_), _) => {}
        }
    }

    fn handle_offers(&mut self, io: &mut Io, offers: Vec<SettingsOffer>, _: &EditorKind) {
        self.agent_setup.arrived(io, &self.editor, offers);
    }

    fn handle_settings_change(&mut self, io: &mut Io, made: Result<String, String>) {
        match made {
            Ok(message) => self.editor.inform(io, &message),
            Err(message) => self.editor.warn(io, &message),
        }
        io.look_for_agents();
    }

    fn deadline(&self) -> Option<Instant> {
        let all = [self.reviews.deadline(), self.ended.deadline(), self.context.deadline()];
        all.into_iter().flatten().min()
    }

    fn handle_deadline(&mut self, io: &mut Io, now: Instant) {
        for (id, due) in self.reviews.take_due(now) {
            self.handle_due(io, id, due);
        }
        self.ended.check_files(io, &self.editor, now);
        if let Some(report) = self.context.take_report(now, &mut self.editor.documents)
            && io.is_connected()
        {
            io.request(RequestOrigin::Unawaited, Request::ChangeContext(report));
        }
    }

    /// Some editors kill the server at once, so the files go first. Some keep diagnostics of a server that
    /// has ended, so they go too.
    fn shut_down(&mut self, io: &Io) {
        let mut marked = self.ended.shut_down(&self.editor);
        let mut targets = Vec::new();
        for WaitingReview { mut document, .. } in std::mem::take(&mut self.reviews.all).into_values() {
            targets.push(self.editor.documents.key_of(&document.review.file));
            marked.extend(document.path().filter(|_| document.phase.opened().is_some()).map(Path::to_owned));
            self.ended.keep_saved(io, &self.editor, &mut document);
        }
        for target in targets {
            self.reviews.mark_target(io, &self.editor, &target);
        }
        for path in marked {
            self.editor.documents.publish(io, &path, &[]);
        }
    }

    fn owns_path(&self, path: &Path) -> bool {
        self.directory.holds(path)
    }
}
