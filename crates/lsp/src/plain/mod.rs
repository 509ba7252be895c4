//! An editor without a plugin: what it happens to leak becomes context, and a proposal becomes a document that it shows,
//! edits and decides with LSP's own means.

mod context;
mod convention;
mod documents;
mod merge;
mod mirror;
#[cfg(test)]
mod tests;

use std::path::Path;

use alongside_desk::{Event, Refusal, Request, Revised};
use lsp_server::RequestId;
use lsp_types as lsp;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::Client;
use crate::io::{Asked, Io};
use context::Leaks;
use documents::{Documents, Key, named, read_position, read_range};

/// See the module.
#[derive(Debug)]
pub(crate) struct Plain {
    documents: Documents,
    leaks: Leaks,
}

impl Plain {
    pub(crate) fn new(client: &Client) -> Self {
        Self { documents: Documents::new(client.encoding), leaks: Leaks::new(client.editor.range) }
    }

    /// What `initialize` answers: what makes an editor say where its person is, and what shows a review. Nothing that would
    /// compete with other servers.
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
        let capabilities = lsp::ServerCapabilities {
            text_document_sync: Some(sync.into()),
            document_highlight_provider: Some(true.into()),
            code_action_provider: Some(true.into()),
            workspace: Some(lsp::WorkspaceOptions { workspace_folders: Some(folders), ..Default::default() }),
            ..Default::default()
        };
        let mut capabilities = serde_json::to_value(capabilities).unwrap_or_default();
        capabilities["positionEncoding"] = json!(client.encoding.name());
        capabilities
    }

    pub(crate) fn joined(&mut self, _: &mut Io) {
        self.leaks.forget();
    }

    pub(crate) fn notified(&mut self, _: &mut Io, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => {
                if let Some(key) = self.documents.opened(&params) {
                    self.leaks.opened(&key);
                }
            }
            "textDocument/didChange" => {
                if let Some((key, edited)) = self.documents.changed(&params) {
                    self.leaks.edited(&key, &edited);
                }
            }
            "textDocument/didSave" => {
                if self.documents.saved(&params).is_some() {
                    self.leaks.saved();
                }
            }
            "textDocument/didClose" => {
                if let Some(key) = self.documents.closed(&params) {
                    self.leaks.closed(&key);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn requested(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool {
        if let Some((key, _)) = named(&params) {
            self.leaked(&key, method, &params);
        }
        match method {
            "textDocument/documentHighlight" | "textDocument/codeAction" => io.reply(id.clone(), json!([])),
            _ => return false,
        }
        true
    }

    /// A request about a document says where its person is, and what they have selected.
    fn leaked(&mut self, key: &Key, method: &str, params: &Value) {
        if let Some(position) = params.get("position").and_then(read_position) {
            if let Some(cursor) = self.documents.offset(key, position) {
                self.leaks.at(key, cursor);
            }
        } else if let Some((from, to)) = params.get("range").and_then(read_range)
            && method == "textDocument/codeAction"
            && let Some(range) = self.documents.span(key, from, to)
            && let Some(document) = self.documents.get(key)
        {
            let asked_for = params.pointer("/context/triggerKind").and_then(Value::as_u64) == Some(1);
            self.leaks.range(key, range, &document.text, asked_for);
        }
    }

    pub(crate) fn replied(&mut self, _: &mut Io, _: i32, _: Option<Value>) {}

    pub(crate) fn told(&mut self, _: &mut Io, _: Event) {}

    pub(crate) fn answered(&mut self, _: &mut Io, _: Asked, _: Result<Revised, Refusal>) {}

    pub(crate) fn gone(&mut self, _: &mut Io) {}

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.leaks.deadline()
    }

    pub(crate) fn due(&mut self, io: &mut Io, now: Instant) {
        if let Some(report) = self.leaks.due(now, &self.documents)
            && io.desk.is_some()
        {
            io.request(Asked::Nobody, Request::ChangeContext(report));
        }
    }

    pub(crate) fn is_own(&self, _: &Path) -> bool {
        false
    }
}
