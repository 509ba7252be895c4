//! The capabilities that make an editor reveal where its person is, and that show a review.

use lsp_types as lsp;
use serde_json::{Value, json};

use super::command_arguments::COMMANDS;
use crate::client::Client;

/// The capabilities in the answer to `initialize`. None of them competes with other servers.
pub(crate) fn declare(client: &Client) -> Value {
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
    let commands = COMMANDS.map(str::to_owned).into();
    let commands = lsp::ExecuteCommandOptions { commands, ..Default::default() };
    let capabilities = lsp::ServerCapabilities {
        text_document_sync: Some(sync.into()),
        document_highlight_provider: Some(true.into()),
        hover_provider: Some(true.into()),
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
