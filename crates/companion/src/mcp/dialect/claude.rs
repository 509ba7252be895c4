//! The dialect of Claude Code and OpenCode: the methods and tools that an agent calls over its WebSocket. The
//! response to `openDiff` is the outcome, which comes from the session's outbox.

use std::collections::HashMap;
use std::sync::Arc;

use alongside_contract::diff::OPEN_DIFF;
use alongside_contract::family::Transport;
use alongside_contract::rpc::{self, Id, Message};
use alongside_contract::surrogates;
use alongside_contract::websocket::tools::{
    CHECK_DOCUMENT_DIRTY, GET_CURRENT_SELECTION, GET_DIAGNOSTICS, GET_LATEST_SELECTION, GET_OPEN_EDITORS,
    GET_WORKSPACE_FOLDERS, OPEN_FILE, SAVE_DOCUMENT,
};
use alongside_contract::websocket::{self, CLOSE_ALL_DIFF_TABS, CLOSE_TAB, CloseTabCall, OpenDiffCall};
use futures_util::future::join_all;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::contract_tools::CONTEXT_ONLY;
use super::editor_tools::Question;
use super::initialize::initialize;
use super::response::RpcResponse;
use crate::agents::identity::Credential;
use crate::agents::last_texts::LastText;
use crate::agents::outcome_messages::OpenCall;
use crate::events::{Event, OpenDiff, Proposal, StartedRequest};
use crate::long_work::work_on;
use crate::mcp::excerpt::excerpt;
use crate::mcp::server::Server;
use crate::reviews::proposal::NotOpened;

/// The longest name of a review, in bytes. Agents make it from the file's name and a few words.
const MAX_TAB_NAME_BYTES: usize = 4 << 10;

/// The connection of an agent over a WebSocket, from its first message to its end.
pub(in crate::mcp) struct WebSocketAgent {
    server: Arc<Server>,
    credential: Credential,
    session: Option<String>,
    /// The channel for the id of the session, which is sent once the agent listens.
    session_sender: Option<oneshot::Sender<String>>,
    answers: mpsc::Sender<String>,
    /// The names that the agent gave to its reviews, by path. Several reviews may have the same name.
    tabs: HashMap<String, String>,
}

impl WebSocketAgent {
    pub(in crate::mcp) fn new(
        server: Arc<Server>,
        credential: Credential,
        answers: mpsc::Sender<String>,
        session_sender: oneshot::Sender<String>,
    ) -> Self {
        Self {
            server,
            credential,
            session: None,
            session_sender: Some(session_sender),
            answers,
            tabs: HashMap::new(),
        }
    }

    /// Ends the session of the agent, because its connection has ended.
    pub(in crate::mcp) fn end(self) {
        if let Some(session) = self.session {
            let (answer, _) = oneshot::channel();
            self.server.events.send(Event::SessionEnded { session, answer });
        }
    }

    /// Carries out one message.
    pub(in crate::mcp) async fn carry_out(&mut self, text: &str) {
        let json = surrogates::replace_lone(text.as_bytes());
        let message = match work_on(json.len(), || Message::parse(&json)) {
            Ok(Ok(message)) => message,
            Ok(Err(invalid)) => {
                return self.answer(rpc::error(None, rpc::INVALID_REQUEST, invalid.why)).await;
            }
            Err(error) => {
                let why = format!("the message is not JSON: {error}");
                return self.answer(rpc::error(None, rpc::PARSE_ERROR, &why)).await;
            }
        };
        match message {
            Message::Request { id, method, params } => {
                if let Some(answer) = self.request(id, &method, params).await {
                    self.answer(answer).await;
                }
            }
            Message::Notification { method, .. } => {
                if method == "notifications/initialized"
                    && let Some(session) = self.session.clone()
                    && let Some(session_sender) = self.session_sender.take()
                {
                    let _ = session_sender.send(session);
                }
            }
            Message::Reply { id, .. } => {
                if let (Some(session), Some(id)) = (self.session.clone(), id) {
                    self.server.events.send(Event::Receipt { session, id });
                }
            }
        }
    }

    async fn answer(&self, answer: String) {
        // If the receiver was dropped, the connection has ended.
        let _ = self.answers.send(answer).await;
    }

    /// Carries out a request. Returns the answer, unless it comes later.
    async fn request(&mut self, id: Id, method: &str, params: Option<&RawValue>) -> Option<String> {
        match (method, self.session.clone()) {
            ("initialize", None) => {
                let events = self.server.events.clone();
                match initialize(&events, self.credential, Transport::WebSocket, &id, params).await {
                    RpcResponse::SessionCreated { session, reply } => {
                        self.session = Some(session);
                        Some(reply)
                    }
                    RpcResponse::Reply(reply) | RpcResponse::TooManySessions(reply) => Some(reply),
                    _ => Some(rpc::error(Some(&id), rpc::INVALID_REQUEST, "the companion is stopping")),
                }
            }
            ("initialize", Some(_)) => {
                Some(rpc::error(Some(&id), rpc::INVALID_REQUEST, "this connection has its session already"))
            }
            ("ping", _) => Some(rpc::reply(&id, &json!({}))),
            (_, None) => Some(rpc::error(Some(&id), rpc::INVALID_REQUEST, "initialize comes first")),
            ("tools/list", Some(_)) => Some(rpc::reply(&id, &tools(self.server.context_only))),
            ("tools/call", Some(session)) => self.call(id, session, params).await,
            _ => {
                let why = format!("there is no method {:?} here", excerpt(method));
                Some(rpc::error(Some(&id), rpc::METHOD_NOT_FOUND, &why))
            }
        }
    }

    async fn call(&mut self, id: Id, session: String, params: Option<&RawValue>) -> Option<String> {
        self.server.events.send(Event::ToolCalled(session.clone()));
        let size = params.map_or(0, |params| params.get().len());
        let call = match work_on(size, || Call::read(params)) {
            Ok(call) => call,
            Err(why) => return Some(rpc::error(Some(&id), rpc::INVALID_PARAMS, &why)),
        };
        let result = match call {
            Call::Open(_) if self.server.context_only => {
                return Some(rpc::error(Some(&id), rpc::INVALID_REQUEST, CONTEXT_ONLY));
            }
            Call::Open(open) => return self.open(id, session, open).await,
            Call::Ask(question) => {
                let (events, answers) = (self.server.events.clone(), self.answers.clone());
                // The wait for editors must not delay other calls of the agent.
                tokio::spawn(async move {
                    let result = question.answer(&events).await;
                    let _ = answers.send(rpc::reply(&id, &result)).await;
                });
                return None;
            }
            Call::Close(close) => {
                let named = self.tabs.extract_if(|_, tab| *tab == close.tab_name);
                let paths = named.map(|(path, _)| path).collect();
                self.close(&session, paths).await;
                websocket::tab_closed()
            }
            Call::CloseAll => {
                let paths = self.tabs.drain().map(|(path, _)| path).collect();
                websocket::tabs_closed(self.close(&session, paths).await)
            }
        };
        Some(rpc::reply(&id, &result))
    }

    /// Carries out `openDiff`. Only a refusal is answered here; the person then decides in the agent's own
    /// prompt.
    async fn open(&mut self, id: Id, session: String, open: OpenDiffCall) -> Option<String> {
        let OpenDiffCall { new_file_path: file_path, new_file_contents, tab_name } = open;
        let refused = |why: &str| Some(rpc::error(Some(&id), rpc::INVALID_REQUEST, why));
        if tab_name.len() > MAX_TAB_NAME_BYTES {
            return refused(&format!("tab_name is longer than {MAX_TAB_NAME_BYTES} bytes"));
        }
        let events = self.server.events.clone();
        let read_guard = events.queue_on_drop(Event::RequestRead { session: session.clone() });
        let known = events.ask(|answer| Event::RequestStarted { session: session.clone(), answer }).await;
        let Some(StartedRequest { number: request, roots }) = known.flatten() else {
            return refused("the companion is stopping");
        };
        let Some(proposal) = self.server.proposals.prepare(file_path.clone(), new_file_contents, roots).await
        else {
            return refused("the proposal could not be prepared");
        };
        // A newer review of the file replaces the one before.
        self.tabs.insert(file_path.clone(), tab_name.clone());
        let (answer, receiver) = oneshot::channel();
        let call = Some(OpenCall { id: id.clone(), tab: tab_name });
        let proposal = Proposal::Prepared(proposal.map(Box::new));
        let open = OpenDiff { request, file_path, call, proposal };
        events.send(Event::OpenDiff { session, open, answer });
        // Queues the end of the request behind its last event.
        drop(read_guard);
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let why = match receiver.await {
                Ok(Err(NotOpened::BadTarget(why))) => why,
                Ok(Err(NotOpened::Overtaken)) => "a later call has proposed for this file already".to_owned(),
                Ok(Ok(()) | Err(NotOpened::UnknownSession)) | Err(_) => return,
            };
            let _ = answers.send(rpc::error(Some(&id), rpc::INVALID_REQUEST, &why)).await;
        });
        None
    }

    /// Ends reviews on which the person has decided in the agent's own prompt. Returns their number. Closes
    /// them at the same time, since each close waits up to 150 ms for edits that desks have not sent yet.
    async fn close(&self, session: &str, paths: Vec<String>) -> usize {
        let events = &self.server.events;
        let close = |file_path: String| {
            let session = session.to_owned();
            events.ask(|answer| Event::CloseDiff { session, file_path, answer })
        };
        let closed = join_all(paths.into_iter().map(close)).await;
        closed.into_iter().filter(|closed| matches!(closed, Some(LastText::Text(_)))).count()
    }
}

/// A call of a tool.
enum Call {
    Open(OpenDiffCall),
    Close(CloseTabCall),
    CloseAll,
    Ask(Question),
}

impl Call {
    /// Parses a call.
    ///
    /// # Errors
    /// The reason why the call cannot be carried out.
    fn read(params: Option<&RawValue>) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct RawCall<'a> {
            name: String,
            #[serde(borrow)]
            arguments: Option<&'a RawValue>,
        }
        fn arguments<T: DeserializeOwned>(call: &RawCall<'_>) -> Result<T, String> {
            let read = serde_json::from_str(call.arguments.map_or("{}", RawValue::get));
            read.map_err(|error| {
                format!("{} cannot read its arguments: {}", call.name, excerpt(&error.to_string()))
            })
        }
        let call: RawCall<'_> = serde_json::from_str(params.map_or("{}", RawValue::get))
            .map_err(|error| format!("tools/call needs a name: {}", excerpt(&error.to_string())))?;
        match call.name.as_str() {
            OPEN_DIFF => arguments(&call).map(Self::Open),
            CLOSE_TAB => arguments(&call).map(Self::Close),
            CLOSE_ALL_DIFF_TABS => Ok(Self::CloseAll),
            GET_DIAGNOSTICS => arguments(&call).map(|call| Self::Ask(Question::Diagnostics(call))),
            GET_CURRENT_SELECTION | GET_LATEST_SELECTION => Ok(Self::Ask(Question::Selection)),
            GET_OPEN_EDITORS => Ok(Self::Ask(Question::OpenEditors)),
            GET_WORKSPACE_FOLDERS => Ok(Self::Ask(Question::Folders)),
            CHECK_DOCUMENT_DIRTY => arguments(&call).map(|call| Self::Ask(Question::IsDirty(call))),
            SAVE_DOCUMENT => arguments(&call).map(|call| Self::Ask(Question::Save(call))),
            OPEN_FILE => Ok(Self::Ask(Question::Open)),
            unknown => Err(format!("there is no tool {:?} here", excerpt(unknown))),
        }
    }
}

/// Returns the result of `tools/list`. An agent opens diffs even if the list has no tool for them.
fn tools(context_only: bool) -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let tool = |name: &str, description: &str, properties: Value| {
        let mut required: Vec<&str> =
            properties.as_object().into_iter().flat_map(|all| all.keys().map(String::as_str)).collect();
        required.retain(|name| *name != "uri");
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "description": description, "inputSchema": schema })
    };
    let open_diff = tool(
        OPEN_DIFF,
        "Shows a proposed change of a file for review. The result is the decision.",
        json!({
            "old_file_path": text("Absolute path of the file."),
            "new_file_path": text("Absolute path of the file that is written."),
            "new_file_contents": text("The whole proposed content of the file."),
            "tab_name": text("A name for the review."),
        }),
    );
    let other_tools = [
        tool(CLOSE_TAB, "Closes a review without a decision.", json!({ "tab_name": text("Its name.") })),
        tool(CLOSE_ALL_DIFF_TABS, "Closes all reviews of this agent without a decision.", json!({})),
        tool(
            GET_DIAGNOSTICS,
            "Returns the problems that the person's editor knows in one file, or in all files.",
            json!({ "uri": text("URL of the file. Without it: all files.") }),
        ),
        tool(GET_CURRENT_SELECTION, "Returns the active file and the selection in it.", json!({})),
        tool(GET_LATEST_SELECTION, "Returns the active file and the selection in it.", json!({})),
        tool(GET_OPEN_EDITORS, "Returns the files that the person has open.", json!({})),
        tool(GET_WORKSPACE_FOLDERS, "Returns the projects that are open.", json!({})),
        tool(
            CHECK_DOCUMENT_DIRTY,
            "Tells whether the person has unsaved changes in a file.",
            json!({ "filePath": text("Absolute path of the file.") }),
        ),
        tool(
            SAVE_DOCUMENT,
            "Tells whether a file is saved. It saves nothing: only the person does.",
            json!({ "filePath": text("Absolute path of the file.") }),
        ),
    ];
    let open_diff = (!context_only).then_some(open_diff);
    json!({ "tools": open_diff.into_iter().chain(other_tools).collect::<Vec<_>>() })
}
