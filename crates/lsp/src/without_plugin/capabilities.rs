//! The capabilities with which an editor reveals the position of its person, and shows a review.

use serde_json::{Value, json};

use super::commands::command_arguments::COMMANDS;
use crate::client::Client;

/// `TextDocumentSyncKind.Incremental`.
const INCREMENTAL: u8 = 2;

/// Returns the capabilities in the answer to `initialize`. None of them competes with other servers.
pub(crate) fn declare(client: &Client) -> Value {
    json!({
        "positionEncoding": client.encoding.name(),
        "textDocumentSync": { "openClose": true, "change": INCREMENTAL, "save": true },
        "documentHighlightProvider": true,
        "hoverProvider": true,
        "codeActionProvider": true,
        "codeLensProvider": {},
        "executeCommandProvider": { "commands": COMMANDS },
        "workspace": {
            "workspaceFolders": { "supported": true, "changeNotifications": true },
            "textDocumentContent": { "schemes": ["alongside"] },
        },
    })
}
