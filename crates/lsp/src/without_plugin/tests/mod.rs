//! A desk between an editor and a companion, both played by the test.

mod agent_setup;
mod choosing;
mod companion;
mod context;
mod deciding;
mod hovering;
mod mirror;
mod one_line;
mod other_desks;
mod private_file;
mod remote;
mod showing;
mod typing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_desk::agent_setup::SetupReply;
use alongside_desk::{Call, Request, Seat, pair};
use lsp_server::{Connection, Message, RequestId};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::LspDesk;
use super::editor::Editor;
use crate::client::Client;
use crate::editor_desk::EditorDesk as _;
use crate::fuzzing::DraftsInMemory;
use crate::io::{self, CompanionMessage, Io};

/// The desk and both sides of it.
struct Stage {
    desk: LspDesk,
    io: Io,
    seat: Seat,
    editor: Connection,
    dir: TempDir,
    drafts: Arc<DraftsInMemory>,
    last: i32,
}

impl Stage {
    /// Returns an editor with a name, position encodings and a project.
    fn new(editor: &str, encodings: &[&str]) -> Self {
        let params = json!({
            "clientInfo": { "name": editor },
            "processId": 1,
            "capabilities": {
                "general": { "positionEncodings": encodings },
                "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
                "window": { "showDocument": { "support": true } },
                "workspace": {
                    "workspaceEdit": { "documentChanges": true },
                    "codeLens": { "refreshSupport": true },
                },
            },
        });
        Self::introduced(params)
    }

    fn introduced(params: Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (ours, editor) = Connection::memory();
        let (_, mut io) = io::open(ours);
        let (desk, seat) = pair();
        io.connect(desk);
        let client = Client::read(&params, dir.path());
        let drafts = Arc::<DraftsInMemory>::default();
        let mut desk = LspDesk::new(&client, Some(dir.path().join("own")), drafts.clone());
        desk.connected(&mut io);
        Self { desk, io, seat, editor, dir, drafts, last: 0 }
    }

    /// The same editor with the project as its root.
    fn in_project(mut self) -> Self {
        let roots = vec![self.dir.path().to_owned()];
        self.desk.editor = Editor::new(Client { roots, ..self.desk.editor.client().clone() });
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn uri(&self, name: &str) -> String {
        uri(&self.path(name))
    }

    /// Writes a file and opens it.
    fn open(&mut self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
        let uri = self.uri(name);
        self.tell("didOpen", json!({"textDocument": {"uri": uri, "version": 1, "text": text}}));
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.desk.handle_notification(&mut self.io, &format!("textDocument/{method}"), params);
    }

    fn ask(&mut self, method: &str, params: Value) -> bool {
        self.last += 1;
        self.desk.handle_request(&mut self.io, &RequestId::from(self.last), method, params)
    }

    /// Returns all messages to the editor so far.
    fn sent(&self) -> Vec<Message> {
        // A thread forwards them, so a last message marks the end.
        let last = json!("last");
        self.io.notify("test/last", &last);
        let is_last =
            |message: &Message| matches!(message, Message::Notification(told) if told.method == "test/last");
        self.editor.receiver.iter().take_while(|message| !is_last(message)).collect()
    }

    /// Returns the next request to the companion, if there is one.
    fn asked(&mut self) -> Option<Call> {
        self.seat.calls.try_recv().ok()
    }

    /// Passes all deadlines.
    fn wait(&mut self) {
        while let Some(due) = self.desk.deadline() {
            self.desk.handle_deadline(&mut self.io, due);
        }
    }

    /// Passes the deadlines of a few seconds: some of them recur.
    fn look(&mut self) {
        for _ in 0..8 {
            if let Some(due) = self.desk.deadline() {
                self.desk.handle_deadline(&mut self.io, due);
            }
        }
    }

    /// Returns the last report of the context; null if nothing changed.
    fn reported(&mut self) -> Value {
        self.wait();
        let mut report = Value::Null;
        while let Some(call) = self.asked() {
            if let Request::ChangeContext(context) = call.request {
                report = serde_json::to_value(context).unwrap();
            }
        }
        report
    }

    /// Returns the active file of the last report.
    fn active(&mut self) -> Value {
        let mut active = self.reported()["active"].take();
        if let Some(path) = active.get_mut("path") {
            let name = Path::new(path.as_str().unwrap()).file_name().unwrap();
            *path = name.to_str().unwrap().into();
        }
        active
    }

    /// Handles all messages from the companion.
    async fn hear(&mut self) {
        while let Ok(told) =
            tokio::time::timeout(std::time::Duration::from_millis(1), self.io.next_companion_message()).await
        {
            match told {
                CompanionMessage::Event(event) => self.desk.handle_event(&mut self.io, *event),
                CompanionMessage::Reply(asked, answer) => self.desk.handle_reply(&mut self.io, asked, answer),
                CompanionMessage::AgentSetup(SetupReply::Offers(offers)) => {
                    self.desk.handle_offers(&mut self.io, offers, self.desk.editor.kind());
                }
                CompanionMessage::AgentSetup(SetupReply::NoAgent) => unreachable!("the tests have agents"),
                CompanionMessage::AgentSetup(SetupReply::Made(made)) => {
                    self.desk.handle_settings_change(&mut self.io, made);
                }
                CompanionMessage::Shown(number, shown) => {
                    self.desk.handle_response(&mut self.io, number, Some(json!({ "success": shown })));
                }
                CompanionMessage::Stopped => return,
            }
        }
    }
}

/// Returns a runtime whose clock stands still, for property tests.
fn paused_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Returns the text with slashes in paths on every system.
fn with_slashes(said: &str) -> String {
    said.replace(std::path::MAIN_SEPARATOR, "/")
}

fn uri(path: &Path) -> String {
    url::Url::from_file_path(path).unwrap().to_string()
}

fn at(line: u32, character: u32) -> Value {
    json!({"line": line, "character": character})
}

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({"start": at(from.0, from.1), "end": at(to.0, to.1)})
}
