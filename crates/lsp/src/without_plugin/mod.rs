//! An editor without a plugin. Its requests reveal where the person is, which becomes context; a proposal is
//! a document that LSP's own means show, edit and decide.

mod action_titles;
mod agent_setup;
pub(crate) mod capabilities;
mod change_log;
mod code_actions;
mod command_arguments;
mod command_queue;
mod commands;
mod context;
mod diagnostics;
mod display;
mod document;
pub(crate) mod documents;
mod editor_events;
mod editor_ui;
mod ended_review;
mod hover;
mod hunk_messages;
mod lsp_types;
mod messages;
mod mirror;
mod normalization;
mod offered_changes;
mod one_line_messages;
mod plain_text;
pub(crate) mod positions;
mod proposal;
mod proposal_file;
mod proposals;
mod review_events;
mod sending;
mod sync;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::agent_setup::Offer;
use alongside_desk::{DraftKeeper, Event, Refusal, Request, Revised};
use lsp_server::RequestId;
use serde_json::Value;
use tokio::time::Instant;

use crate::client::Client;
use crate::editors::Editor;
use crate::frontend::Frontend;
use crate::io::{Io, RequestOrigin};
use context::ContextTracker;
use document::DocumentKey;
use documents::Documents;
use editor_ui::EditorUi;
use offered_changes::OfferedChanges;
use proposals::Proposals;

#[derive(Debug)]
pub(crate) struct LspDesk {
    editor: EditorUi,
    /// Proposals are files below this directory.
    review_directory: Option<PathBuf>,
    documents: Documents,
    context: ContextTracker,
    /// The document that the person was last seen in, proposals included, and the line.
    last_place: Option<(DocumentKey, Option<usize>)>,
    proposals: Proposals,
    /// Where text goes that is typed into a decided proposal.
    drafts: Arc<dyn DraftKeeper>,
    /// The companion's process.
    host: u32,
    is_paused: bool,
    /// The agent that takes files for its prompt, for people.
    takes_files: Option<String>,
    agent_setup: OfferedChanges,
}

impl LspDesk {
    /// A desk whose proposals are files below `review_directory`. The directory is private and has no links
    /// in its name, because editors resolve them.
    pub(crate) fn new(
        client: &Client,
        review_directory: Option<PathBuf>,
        drafts: Arc<dyn DraftKeeper>,
    ) -> Self {
        if let Some(directory) = &review_directory {
            proposal_file::sweep(directory);
        }
        Self {
            editor: EditorUi::new(client.clone()),
            review_directory,
            documents: Documents::new(client.encoding),
            context: ContextTracker::new(client.editor.range),
            last_place: None,
            proposals: Proposals::default(),
            drafts,
            host: 0,
            is_paused: false,
            takes_files: None,
            agent_setup: OfferedChanges::default(),
        }
    }
}

impl Frontend for LspDesk {
    fn connected(&mut self, _: &mut Io) {
        self.context.repeat_report();
    }

    fn disconnected(&mut self, io: &mut Io) {
        self.companion_stopped(io);
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
        self.answer_request(io, id, method, &params)
    }

    fn handle_response(&mut self, io: &mut Io, number: i32, result: Option<Value>) {
        self.question_answered(io, number, result.unwrap_or_default());
    }

    fn handle_event(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Status(status) => {
                (self.host, self.is_paused) = (status.pid, status.paused);
                self.note_agents(&status);
            }
            Event::Opened(review) => self.review_opened(io, review),
            Event::Changed(changed) => self.review_changed(io, changed),
            Event::Closed(closed) => self.review_closed(io, &closed),
            Event::FlushReview { id } => self.flush(io, id),
            Event::Problem(problem) => self.report_problem(io, &problem),
            Event::DiagnosticsWanted { .. } => {}
            Event::Notice { message } => self.editor.inform(io, &message),
        }
    }

    fn handle_reply(&mut self, io: &mut Io, origin: RequestOrigin, reply: Result<Revised, Refusal>) {
        match origin {
            RequestOrigin::Edit(id) => self.edit_replied(io, id, reply),
            RequestOrigin::Command(request, id) => self.command_replied(io, request, id, reply),
            // A notice tells what became of it.
            RequestOrigin::Mention => {
                if let Err(refusal) = reply {
                    self.editor.warn(io, &alongside_desk::messages::refusal(&refusal));
                }
            }
            RequestOrigin::Unawaited | RequestOrigin::Plugin(_) => {}
        }
    }

    fn handle_offers(&mut self, io: &mut Io, offers: Vec<Offer>, _: &Editor) {
        self.offers_arrived(io, offers);
    }

    fn handle_agent_change(&mut self, io: &mut Io, made: Result<String, String>) {
        self.agent_changed(io, made);
    }

    fn deadline(&self) -> Option<Instant> {
        [self.proposals.deadline(), self.context.deadline()].into_iter().flatten().min()
    }

    fn handle_deadline(&mut self, io: &mut Io, now: Instant) {
        for id in self.proposals.take_closed(now) {
            self.proposal_closed(io, id);
        }
        for id in self.proposals.take_unopened(now) {
            self.proposal_is_apart(io, id);
        }
        for id in self.proposals.take_looks(now) {
            self.take_saved(io, id);
            self.sync(io, id);
        }
        self.look_at_ended(io, now);
        if let Some(report) = self.context.take_report(now, &mut self.documents)
            && io.is_connected()
        {
            io.request(RequestOrigin::Unawaited, Request::ChangeContext(report));
        }
    }

    /// Some editors kill the server at once, so the files go first. Some keep diagnostics of a server that
    /// has ended, so they go too.
    fn shut_down(&mut self, io: &Io) {
        let targets: Vec<_> = self.proposals.values().map(|proposal| self.target(&proposal.review)).collect();
        let open = self.proposals.values().filter(|proposal| proposal.open.is_some());
        let open = open.filter_map(|proposal| proposal.path().map(Path::to_owned));
        let mut open: Vec<_> = open.collect();
        for (key, ended) in self.proposals.ended() {
            let text = self.documents.get(key).map(|document| document.text.text().clone());
            let late = text.or_else(|| ended.saved_apart()).filter(|text| ended.is_late(text));
            if let Some(Err(error)) = late.map(|text| ended.save(&text, &*self.drafts)) {
                tracing::error!(%error, "text typed into a decided proposal is lost");
            }
            open.push(key.clone());
        }
        for mut proposal in self.proposals.take_all() {
            self.keep_saved(io, &mut proposal);
        }
        targets.iter().for_each(|target| self.mark_target(io, target));
        open.iter().for_each(|path| self.publish(io, path, &[]));
    }

    fn owns(&self, path: &Path) -> bool {
        self.review_directory.as_ref().is_some_and(|directory| path.starts_with(directory))
    }
}
