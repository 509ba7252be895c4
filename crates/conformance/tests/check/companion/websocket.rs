//! Claude Code's dialect: agents that connect by WebSocket, whose calls of `openDiff` stay open until the
//! person has decided.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::Shared;
use super::http::{Answer, Head, Wire};
use super::rpc::{failure, reply};
use crate::fault::Fault;

/// The time after its greeting in which an agent is sent nothing.
const SETTLED: Duration = Duration::from_millis(600);

/// An agent with a WebSocket.
pub(super) struct Peer {
    number: u64,
    /// The connection ends when this is dropped, after everything that was sent to it.
    frames: UnboundedSender<Value>,
    /// Whether the agent is sent selections.
    pub(super) listens: bool,
}

/// A review that waits.
pub(super) struct Tab {
    pub(super) peer: u64,
    /// The id of the call that is open.
    pub(super) call: Value,
    pub(super) name: String,
    pub(super) path: String,
    pub(super) text: String,
    proposal: String,
}

/// Forgets an agent when its connection ends, also when that is cut.
struct Leaving<'s>(&'s Shared, u64);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.sockets -= 1;
        state.peers.retain(|peer| peer.number != self.1);
        state.tabs.retain(|tab| tab.peer != self.1);
    }
}

/// Opens a WebSocket, if the request is admitted, and serves it until it ends.
pub(super) async fn serve(shared: &Arc<Shared>, wire: &mut Wire, head: &Head) -> io::Result<()> {
    if let Some(refusal) = shared.refused_opening(head) {
        return wire.answer(refusal, true).await;
    }
    wire.answer(shared.opening(head), false).await?;
    let (frames, mut due) = unbounded_channel();
    let number = {
        let mut state = shared.state();
        state.opened += 1;
        state.sockets += 1;
        let listens = shared.has(Fault::SelectionsBeforeTheGreeting);
        let number = state.opened as u64;
        state.peers.push(Peer { number, frames, listens });
        number
    };
    let _leaving = Leaving(shared, number);
    let mut socket = WebSocketStream::from_raw_socket(&mut wire.socket, Role::Server, None).await;
    loop {
        tokio::select! {
            frame = due.recv() => match frame {
                Some(frame) => {
                    if socket.send(Message::text(frame.to_string())).await.is_err() {
                        break;
                    }
                }
                None => {
                    let _ = socket.close(None).await;
                    break;
                }
            },
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => shared.carry_out(number, text.as_str()).await,
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            },
        }
    }
    Ok(())
}

impl Shared {
    fn refused_opening(&self, head: &Head) -> Option<Answer> {
        if head.header("origin").is_some() && !self.has(Fault::WebSocketOfAPageWelcome) {
            return Some(Answer::status(403));
        }
        let token = head.header("x-claude-code-ide-authorization");
        let right = token == Some(&*self.token);
        let welcome = match self.fault.single {
            Some(Fault::WebSocketNeedsNoToken) => token.is_none() || right,
            Some(Fault::WebSocketTakesAnyToken) => token.is_some(),
            _ => right,
        };
        (!welcome).then(|| Answer::status(401))
    }

    fn opening(&self, head: &Head) -> Answer {
        let key = head.header("sec-websocket-key").unwrap_or_default();
        let accept = match self.fault.single {
            Some(Fault::WrongAccept) => derive_accept_key(b"another key"),
            _ => derive_accept_key(key.as_bytes()),
        };
        let mut answer = Answer::status(101)
            .with("Upgrade", "websocket")
            .with("Connection", "Upgrade")
            .with("Sec-WebSocket-Accept", accept);
        if !self.has(Fault::NoSubprotocol) {
            answer = answer.with("Sec-WebSocket-Protocol", "mcp");
        }
        if head.header("sec-websocket-extensions").is_some() && self.has(Fault::AgreesToCompression) {
            answer = answer.with("Sec-WebSocket-Extensions", "permessage-deflate");
        }
        answer
    }

    fn say(&self, number: u64, message: Value) {
        if let Some(peer) = self.state().peers.iter().find(|peer| peer.number == number) {
            let _ = peer.frames.send(message);
        }
    }

    async fn carry_out(self: &Arc<Self>, number: u64, text: &str) {
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            if self.has(Fault::MalformedJsonEndsEverybody) {
                self.state().peers.clear();
            }
            return self.say(number, failure(&Value::Null, -32700, "this is no JSON"));
        };
        let (id, params) = (&message["id"], &message["params"]);
        let method = message["method"].as_str().unwrap_or_default();
        if id.is_null() || method.is_empty() {
            if method == "notifications/initialized" {
                self.greeted(number);
            }
            return;
        }
        let answer = match method {
            "initialize" => {
                let unknown = self.has(Fault::InventsAVersion);
                let version = if unknown { "1999-12-31" } else { "2025-11-25" };
                let server = json!({ "name": "reference", "version": "1" });
                let tools = json!({ "tools": {} });
                let result =
                    json!({ "protocolVersion": version, "capabilities": tools, "serverInfo": server });
                reply(id, result)
            }
            "ping" if !self.has(Fault::PingOverWebSocketUnknown) => reply(id, json!({})),
            "tools/list" => {
                let mut names = vec!["openDiff", "closeAllDiffTabs", "getDiagnostics"];
                if !self.has(Fault::CloseTabNotListed) {
                    names.push("close_tab");
                }
                let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
                reply(id, json!({ "tools": names.into_iter().map(tool).collect::<Vec<_>>() }))
            }
            "tools/call" => match self.call_tool(number, id, params).await {
                Some(answer) => answer,
                None => return,
            },
            _ if self.has(Fault::AnyMethodOverWebSocket) => reply(id, json!({})),
            _ => failure(id, -32601, "there is no such method"),
        };
        self.say(number, answer);
    }

    /// Calls a tool. Returns `None` for a call that stays open.
    async fn call_tool(&self, number: u64, id: &Value, params: &Value) -> Option<Value> {
        let arguments = &params["arguments"];
        let argument = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        match params["name"].as_str().unwrap_or_default() {
            "openDiff" if self.has(Fault::OpenDiffDoesNotBlock) => Some(reply(id, texts(&[]))),
            "openDiff" => {
                let (name, path) = (argument("tab_name"), argument("new_file_path"));
                let text = argument("new_file_contents");
                let (call, proposal) = (id.clone(), text.clone());
                self.state().tabs.push(Tab { peer: number, call, name, path, text, proposal });
                None
            }
            "close_tab" => Some(self.close_tab(number, id, &argument("tab_name"))),
            "closeAllDiffTabs" => Some(self.close_all(number, id)),
            "getDiagnostics" => {
                if self.has(Fault::DiagnosticsAreLate) {
                    tokio::time::sleep(Duration::from_millis(1200)).await;
                }
                let list = json!([{ "uri": "file:///p/main.rs", "diagnostics": [] }]);
                let none = self.has(Fault::DiagnosticsAreNoList);
                Some(reply(id, texts(&[if none { "none".to_owned() } else { list.to_string() }])))
            }
            _ if self.has(Fault::AnyToolOverWebSocket) => Some(reply(id, texts(&[]))),
            _ => Some(failure(id, -32602, "there is no such tool")),
        }
    }

    fn close_tab(&self, number: u64, id: &Value, name: &str) -> Value {
        let mut state = self.state();
        let at = state.tabs.iter().position(|tab| tab.peer == number && tab.name == name);
        let call = at.map(|at| match self.has(Fault::CloseTabLeavesTheView) {
            true => state.tabs[at].call.clone(),
            false => state.tabs.remove(at).call,
        });
        drop(state);
        let closed = texts(&["TAB_CLOSED".to_owned()]);
        match call {
            Some(call) if self.has(Fault::CloseTabAnswersTheCall) => {
                self.say(number, reply(&call, closed.clone()));
            }
            None if self.has(Fault::CloseTabTwiceFails) => {
                return failure(id, -32602, "there is no such tab");
            }
            _ => {}
        }
        reply(id, closed)
    }

    fn close_all(&self, number: u64, id: &Value) -> Value {
        let everybodys = self.has(Fault::CloseAllClosesEverybodys);
        let closed: Vec<Tab> =
            self.state().tabs.extract_if(.., |tab| everybodys || tab.peer == number).collect();
        if self.has(Fault::CloseAllAccepts) {
            closed.iter().for_each(|tab| self.say(tab.peer, reply(&tab.call, saved(&tab.text))));
        }
        let count = if self.has(Fault::CloseAllDoesNotCount) { 1 } else { closed.len() };
        reply(id, texts(&[format!("CLOSED_{count}_DIFF_TABS")]))
    }

    /// Handles the greeting of an agent, which is sent selections half a second later.
    fn greeted(self: &Arc<Self>, number: u64) {
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            if !shared.has(Fault::FirstSelectionTooEarly) {
                tokio::time::sleep(SETTLED).await;
            }
            let selection = shared.selection();
            if let Some(peer) = shared.state().peers.iter_mut().find(|peer| peer.number == number) {
                peer.listens = true;
                if let Some(selection) = selection {
                    let _ = peer.frames.send(selection);
                }
            }
        });
    }

    /// Sends the active file and its selection to every agent that listens.
    pub(super) fn send_selection(&self) {
        let Some(selection) = self.selection() else { return };
        for peer in self.state().peers.iter().filter(|peer| peer.listens) {
            let _ = peer.frames.send(selection.clone());
        }
    }

    fn selection(&self) -> Option<Value> {
        let state = self.state();
        let active = state.editor.active.as_deref()?;
        let open = state.editor.files.iter().find(|file| file.path == active && !file.untitled)?;
        let from = u32::from(self.has(Fault::SelectionsCountFromOne));
        let place =
            |(line, column): (u32, u32)| json!({ "line": line - 1 + from, "character": column - 1 + from });
        let is_empty = open.selected.is_none() && !self.has(Fault::CursorsAreNotEmpty);
        let text = open.selected.as_ref().filter(|_| !self.has(Fault::SelectionsHaveNoText));
        let range = json!({ "start": place(open.anchor), "end": place(open.cursor), "isEmpty": is_empty });
        let url = format!("file://{active}");
        let text = text.cloned().unwrap_or_default();
        let params = json!({ "text": text, "filePath": active, "fileUrl": url, "selection": range });
        Some(json!({ "jsonrpc": "2.0", "method": "selection_changed", "params": params }))
    }

    /// The person types in the tab of this path.
    pub(crate) fn edit_tab(&self, path: &str, text: &str) -> bool {
        let mut state = self.state();
        let tab = state.tabs.iter_mut().find(|tab| tab.path == path);
        let is_open = tab.is_some();
        if let Some(tab) = tab {
            tab.text = text.into();
        }
        is_open
    }

    /// Whether there is a tab of this path.
    pub(crate) fn has_tab(&self, path: &str) -> bool {
        self.state().tabs.iter().any(|tab| tab.path == path)
    }

    /// Returns the numbers of open tabs and of open connections.
    pub(crate) fn tabs_and_sockets(&self) -> (usize, usize) {
        let state = self.state();
        (state.tabs.len(), state.sockets)
    }

    fn take_tab(&self, path: &str) -> Option<Tab> {
        let mut state = self.state();
        let at = state.tabs.iter().position(|tab| tab.path == path)?;
        Some(state.tabs.remove(at))
    }

    /// The person decides on the tab of this path.
    pub(crate) fn decide_tab(&self, path: &str, accept: bool) -> bool {
        let Some(tab) = self.take_tab(path) else { return false };
        let result = match (accept, self.fault.single) {
            (true, Some(Fault::SavedWithoutText)) => texts(&["FILE_SAVED".to_owned()]),
            (true, Some(Fault::SavedWithoutEdits)) => saved(&tab.proposal),
            (true, _) => saved(&tab.text),
            (false, Some(Fault::RejectedWithoutName)) => texts(&["DIFF_REJECTED".to_owned()]),
            (false, _) => texts(&["DIFF_REJECTED".to_owned(), tab.name.clone()]),
        };
        let everybody = self.has(Fault::AnswersGoToEverybody);
        let answer = reply(&tab.call, result);
        for peer in self.state().peers.iter().filter(|peer| everybody || peer.number == tab.peer) {
            let _ = peer.frames.send(answer.clone());
        }
        true
    }

    /// The person closes the tab of this path without deciding.
    pub(crate) fn close_tab_view(&self, path: &str) -> bool {
        if !self.has(Fault::ClosedViewAnswersTabClosed) {
            return self.decide_tab(path, false);
        }
        let Some(tab) = self.take_tab(path) else { return false };
        self.say(tab.peer, reply(&tab.call, texts(&["TAB_CLOSED".to_owned()])));
        true
    }

    /// Ends every WebSocket, after answering its open calls.
    pub(super) async fn end_websockets(&self) {
        if self.has(Fault::WebSocketsOutliveTheStop) {
            return;
        }
        let open = std::mem::take(&mut self.state().tabs);
        for tab in open {
            let accepts = self.has(Fault::StopAccepts);
            let withdrawn = failure(&tab.call, -32600, "the editor has ended");
            self.say(tab.peer, if accepts { reply(&tab.call, saved(&tab.text)) } else { withdrawn });
        }
        self.state().peers.clear();
        while self.state().sockets > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Returns the result of an acceptance.
fn saved(text: &str) -> Value {
    texts(&["FILE_SAVED".to_owned(), text.to_owned()])
}

fn texts(texts: &[String]) -> Value {
    let items: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
    json!({ "content": items })
}
