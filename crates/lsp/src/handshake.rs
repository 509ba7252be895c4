//! The editor's first messages, up to `initialize`.

use std::path::Path;

use alongside_desk::socket::{MISMATCH, SPOKEN};
use lsp_server::{ErrorCode, Message};
use serde_json::json;

use crate::client::Client;
use crate::io::{Inbox, Io};
use crate::{plugin_desk, problems, without_plugin};

/// The error of every request before `initialize`.
const NOT_INITIALIZED: i64 = ErrorCode::ServerNotInitialized as i64;

/// Answers `initialize`; `None` if the editor ends first. `here` is the directory in which the editor started
/// the server, `version` the program's.
pub(crate) async fn initialize(inbox: &mut Inbox, io: &Io, here: &Path, version: &str) -> Option<Client> {
    loop {
        match inbox.recv().await? {
            Message::Request(request) if request.method == "initialize" => {
                let client = Client::read(&request.params, here);
                if let Some(theirs) = client.protocol.filter(|theirs| !SPOKEN.contains(theirs)) {
                    io.refuse(request.id, MISMATCH, problems::protocol_mismatch(theirs, version), None);
                    continue;
                }
                let capabilities = match client.protocol {
                    Some(_) => plugin_desk::capabilities(&client),
                    None => without_plugin::capabilities::declare(&client),
                };
                let server = json!({ "name": "alongside", "version": version });
                io.reply(request.id, json!({ "capabilities": capabilities, "serverInfo": server }));
                return Some(client);
            }
            Message::Request(request) => {
                io.refuse(request.id, NOT_INITIALIZED, "the first request must be `initialize`", None);
            }
            Message::Notification(notification) if notification.method == "exit" => return None,
            _ => {}
        }
    }
}
