//! An editor without a plugin: what it happens to leak becomes context, and a proposal becomes a document
//! that it shows, edits and decides with LSP's own means.

mod actions;
mod carrying;
mod commands;
mod context;
mod convention;
pub(crate) mod documents;
mod marks;
mod merge;
mod mirror;
mod order;
mod proposal;
mod reviews;
mod showing;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_desk::{Request, ReviewId};
use lsp_server::RequestId;
use lsp_types as lsp;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::{Client, Encoding};
use crate::io::{Asked, Io};
use context::Leaks;
use documents::{Documents, Key, named, position, read_position, read_range};
use proposal::Proposal;

/// A proposal that is closed is rejected after this long: editors close documents also to open them anew, and
/// on their way out.
const CLOSED_FOR: Duration = Duration::from_millis(500);
/// A proposal that an editor shows is opened here within this time, or not at all.
const OPENED_WITHIN: Duration = Duration::from_secs(2);

/// See the module.
#[derive(Debug)]
pub(crate) struct Plain {
    client: Client,
    /// Where proposals are written.
    own: Option<PathBuf>,
    documents: Documents,
    leaks: Leaks,
    /// The document the person was seen in last, proposals too, and the line.
    place: Option<(Key, Option<usize>)>,
    reviews: BTreeMap<ReviewId, Proposal>,
    /// Proposals that are over, which the editor has open still.
    ended: BTreeMap<Key, Ended>,
    /// What the editor has been asked, and what for.
    questions: BTreeMap<i32, Question>,
    /// The companion's process.
    host: u32,
    paused: bool,
}

#[derive(Debug)]
struct Ended {
    name: String,
    /// The file is there for as long as the editor has it open: one that is changed could not be saved
    /// otherwise, and editors do not end before everything is.
    #[expect(dead_code, reason = "it is held, not read")]
    file: Proposal,
    /// The person knows.
    said: bool,
}

#[derive(Debug)]
enum Question {
    /// To show a proposal at a line.
    Show(ReviewId, usize),
    /// To take one of the mirror's offers.
    Apply(ReviewId, u64),
    Prompt(ReviewId),
    Closing(ReviewId),
    /// Whatever it answers.
    Nothing,
}

impl Plain {
    /// Proposals are written below `own`, which is private and has no links in its name: editors look through
    /// them.
    pub(crate) fn new(client: &Client, own: Option<PathBuf>) -> Self {
        if let Some(own) = &own {
            proposal::sweep(own);
        }
        Self {
            documents: Documents::new(client.encoding),
            leaks: Leaks::new(client.editor.range),
            client: client.clone(),
            own,
            place: None,
            reviews: BTreeMap::new(),
            ended: BTreeMap::new(),
            questions: BTreeMap::new(),
            host: 0,
            paused: false,
        }
    }

    /// What `initialize` answers: what makes an editor say where its person is, and what shows a review.
    /// Nothing that would compete with other servers.
    pub(crate) fn capabilities(client: &Client) -> Value {
        let sync = lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::Incremental),
            save: Some(true.into()),
            ..Default::default()
        };
        let folders = lsp::WorkspaceFoldersServerCapabilities {
            supported: Some(true),
            change_notifications: Some(true.into()),
        };
        let content = lsp::TextDocumentContentOptions { schemes: vec!["alongside".to_owned()] };
        let commands = actions::COMMANDS.map(str::to_owned).into();
        let commands = lsp::ExecuteCommandOptions { commands, ..Default::default() };
        let capabilities = lsp::ServerCapabilities {
            text_document_sync: Some(sync.into()),
            document_highlight_provider: Some(true.into()),
            code_action_provider: Some(true.into()),
            code_lens_provider: Some(Default::default()),
            execute_command_provider: Some(commands),
            workspace: Some(lsp::WorkspaceOptions {
                workspace_folders: Some(folders),
                text_document_content: Some(content.into()),
                ..Default::default()
            }),
            ..Default::default()
        };
        let mut capabilities = serde_json::to_value(capabilities).unwrap_or_default();
        capabilities["positionEncoding"] = json!(client.encoding.name());
        capabilities
    }

    pub(crate) fn joined(&mut self, _: &mut Io) {
        self.leaks.forget();
    }

    pub(crate) fn notified(&mut self, io: &mut Io, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => self.document_opened(io, &params),
            "textDocument/didChange" => self.document_changed(io, &params),
            "textDocument/didSave" => self.document_saved(&params),
            "textDocument/didClose" => self.document_closed(io, &params),
            _ => {}
        }
    }

    fn document_opened(&mut self, io: &mut Io, params: &Value) {
        let Some(key) = self.documents.opened(params) else { return };
        self.place = Some((key.clone(), None));
        if !self.is_own(&key) {
            return self.leaks.opened(&key);
        }
        let text = self.documents.get(&key).map(|document| document.text.clone());
        if let (Some((id, proposal)), Some(text)) = (self.proposal_at(&key), text) {
            proposal.opened(&text);
            let is_first = !std::mem::replace(&mut proposal.noted, true);
            if let Some(unseen) = texts::unseen(&proposal.review).filter(|_| is_first) {
                self.say(io, false, &unseen);
            }
            self.go_on(io, id);
            self.mark(io, id);
        }
    }

    fn document_changed(&mut self, io: &mut Io, params: &Value) {
        let Some((key, edited)) = self.documents.changed(params) else { return };
        let Some(document) = self.documents.get(&key) else { return };
        let line = edited.end.map(|end| position(&document.text, end, Encoding::Utf16).line as usize);
        self.place = Some((key.clone(), line));
        if !self.is_own(&key) {
            return self.leaks.edited(&key, &edited);
        }
        if let Some((id, proposal)) = self.proposal_at(&key) {
            let awaited = proposal.mirror.awaits_editor();
            proposal.typed(&edited.steps);
            self.go_on(io, id);
            if awaited {
                self.mark(io, id);
            }
            return;
        }
        if let Some(ended) = self.ended.get_mut(&key).filter(|ended| !ended.said && edited.is_new) {
            ended.said = true;
            let said = format!("{}: this review has ended; what you type here reaches nobody", ended.name);
            self.say(io, true, &said);
        }
    }

    /// A proposal that is saved is saved to our file: that means nothing.
    fn document_saved(&mut self, params: &Value) {
        if self.documents.saved(params).is_some_and(|key| !self.is_own(&key)) {
            self.leaks.saved();
        }
    }

    fn document_closed(&mut self, io: &mut Io, params: &Value) {
        let Some(key) = self.documents.closed(params) else { return };
        self.place.take_if(|(place, _)| *place == key);
        if !self.is_own(&key) {
            return self.leaks.closed(&key);
        }
        self.ended.remove(&key);
        if let Some((id, proposal)) = self.proposal_at(&key) {
            proposal.open = None;
            proposal.closes = Some(Instant::now() + CLOSED_FOR);
            self.publish(io, &key, &[]);
            self.go_on(io, id);
        }
    }

    fn proposal_at(&mut self, key: &Path) -> Option<(ReviewId, &mut Proposal)> {
        let mut all = self.reviews.iter_mut();
        all.find(|(_, proposal)| proposal.path.as_deref() == Some(key)).map(|(id, proposal)| (*id, proposal))
    }

    pub(crate) fn requested(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool {
        let key = named(&params).map(|(key, _)| key);
        let lines = key.as_ref().and_then(|key| self.leaked(key, method, &params));
        match method {
            "textDocument/documentHighlight" => io.reply(id.clone(), json!([])),
            "textDocument/codeAction" => {
                let actions = self.actions(key.as_deref(), lines.unwrap_or_default());
                let literals = "/textDocument/codeAction/codeActionLiteralSupport";
                let literals = self.client.capabilities.pointer(literals).is_some_and(Value::is_object);
                io.reply(id.clone(), actions::as_actions(actions, &params, literals));
            }
            "textDocument/codeLens" => {
                let roots = self.client.roots.clone();
                let several = self.reviews.len() > 1;
                let proposal = key.and_then(|key| self.proposal_at(&key).map(|(_, proposal)| &*proposal));
                let lenses = proposal.map(|proposal| actions::lenses(proposal, &roots, several));
                io.reply(id.clone(), lenses.unwrap_or_default());
            }
            "workspace/executeCommand" => self.execute(io, id, &params),
            "workspace/textDocumentContent" => self.content(io, id, &params),
            _ => return false,
        }
        true
    }

    /// A request about a document says where its person is, and what they have selected; in lines.
    fn leaked(&mut self, key: &Key, method: &str, params: &Value) -> Option<(usize, usize)> {
        let is_own = self.is_own(key);
        if let Some(at) = params.get("position").and_then(read_position) {
            let line = at.line as usize;
            self.place = Some((key.clone(), Some(line)));
            let cursor = self.documents.offset(key, at)?;
            if !is_own {
                self.leaks.at(key, cursor);
            }
            return Some((line, line));
        }
        let (from, to) = params.get("range").and_then(read_range)?;
        if method != "textDocument/codeAction" {
            return None;
        }
        self.place = Some((key.clone(), Some(from.line as usize)));
        let asked_for = params.pointer("/context/triggerKind").and_then(Value::as_u64) == Some(1);
        if let Some(range) = self.documents.span(key, from, to)
            && let Some(document) = self.documents.get(key)
            && !is_own
        {
            self.leaks.range(key, range, &document.text, asked_for);
        }
        // What ends at the start of a line has nothing of it.
        let last = if to.character == 0 && to.line > from.line { to.line - 1 } else { to.line };
        Some((from.line as usize, last as usize))
    }

    /// When something is due next.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let awaited = self.reviews.values().flat_map(|proposal| [proposal.closes, proposal.opens_until]);
        awaited.flatten().chain(self.leaks.deadline()).min()
    }

    pub(crate) fn due(&mut self, io: &mut Io, now: Instant) {
        let closed = self
            .reviews
            .iter_mut()
            .filter_map(|(id, proposal)| proposal.closes.take_if(|closes| *closes <= now).map(|_| *id));
        let closed: Vec<ReviewId> = closed.collect();
        closed.into_iter().for_each(|id| self.was_closed(io, id));
        self.look_for_apart(io, now);
        if let Some(report) = self.leaks.due(now, &mut self.documents)
            && io.desk.is_some()
        {
            io.request(Asked::Nobody, Request::ChangeContext(report));
        }
    }

    /// The editor is on its way out, or starts us anew: what it closes means nothing any more. Some wait for
    /// no answer and kill us at once, so files go first; and what we have marked stays marked in some, unless
    /// we take it away.
    pub(crate) fn leaving(&mut self, io: &Io) {
        self.ended.clear();
        let targets: Vec<Key> = self.reviews.values().map(|proposal| self.target(&proposal.review)).collect();
        let open = self.reviews.values().filter(|proposal| proposal.open.is_some());
        let open: Vec<Key> = open.filter_map(|proposal| proposal.path.clone()).collect();
        self.reviews.clear();
        targets.iter().for_each(|target| self.mark_file(io, target));
        open.iter().for_each(|path| self.publish(io, path, &[]));
    }

    pub(crate) fn is_own(&self, path: &Path) -> bool {
        self.own.as_ref().is_some_and(|own| path.starts_with(own))
    }
}
