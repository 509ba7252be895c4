//! The JSON-RPC methods that agents call over HTTP: one match arm for each method.

use std::sync::Arc;

use alongside_contract::diff::OpenDiffRequest;
use alongside_contract::family::Transport;
use alongside_contract::mcp::CallToolResult;
use alongside_contract::rpc::{self, Id, Message};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::contract_tools::{self as tools, BadCall, ToolCall};
use super::initialize::initialize;
use super::response::{RpcResponse, reply};
use crate::agents::identity::Credential;
use crate::agents::last_texts::LastText;
use crate::events::{Event, EventOnDrop, OpenDiff, Proposal, StartedRequest};
use crate::long_work::{MAX_INLINE_BYTES, work_on};
use crate::mcp::excerpt::excerpt;
use crate::mcp::server::Server;
use crate::reviews::large_text::LargeText;
use crate::reviews::proposal::NotOpened;

/// The sender of the messages of one POST.
#[derive(Debug)]
pub(in crate::mcp) struct Caller {
    pub(in crate::mcp) server: Arc<Server>,
    pub(in crate::mcp) session: Option<String>,
    pub(in crate::mcp) credential: Credential,
    /// The number of this POST in its session, and the roots at its start.
    pub(in crate::mcp) request_in_session: StartedRequest,
    /// Reports to the main loop that all messages were read, however the reading ends. One of them may show
    /// that the agent no longer needs an outcome.
    pub(in crate::mcp) read_guard: Option<EventOnDrop>,
}

impl Caller {
    /// Carries out one message.
    pub(in crate::mcp) async fn carry_out(&mut self, message: Message<'_>) -> RpcResponse {
        match message {
            Message::Request { id, method, params } => self.answer_request(id, &method, params).await,
            Message::Notification { .. } if self.session.is_none() => RpcResponse::SessionRequired,
            Message::Notification { .. } => RpcResponse::Nothing,
            Message::Reply { id, result } => {
                let Some(session) = self.session.clone() else {
                    return RpcResponse::SessionRequired;
                };
                // An error as the answer to a ping is a receipt, too.
                if let Err(error) = result {
                    tracing::debug!(code = error.code, "an agent replied with an error");
                }
                if let Some(id) = id {
                    self.server.events.send(Event::Receipt { session, id });
                }
                RpcResponse::Nothing
            }
        }
    }

    async fn answer_request(&mut self, id: Id, method: &str, params: Option<&RawValue>) -> RpcResponse {
        match (method, self.session.clone()) {
            ("initialize", _) => {
                initialize(&self.server.events, self.credential, Transport::Http, &id, params).await
            }
            ("server/discover", _) => {
                let why = "this server needs an MCP session: send initialize first";
                RpcResponse::UnsupportedProtocol(rpc::error(Some(&id), rpc::METHOD_NOT_FOUND, why))
            }
            (_, None) => RpcResponse::SessionRequired,
            ("ping", Some(_)) => reply(&id, &json!({})),
            ("tools/list", Some(_)) if self.server.context_only => reply(&id, &tools::no_tools()),
            ("tools/list", Some(_)) => reply(&id, &tools::list()),
            ("tools/call", Some(_)) => {
                let size = params.map_or(0, |params| params.get().len());
                let call = work_on(size, || tools::parse(params));
                self.call_tool(&id, call).await
            }
            _ => {
                let why = format!("there is no method {:?} here", excerpt(method));
                RpcResponse::Reply(rpc::error(Some(&id), rpc::METHOD_NOT_FOUND, &why))
            }
        }
    }

    /// Calls a tool.
    pub(in crate::mcp) async fn call_tool(
        &mut self,
        id: &Id,
        call: Result<ToolCall, BadCall>,
    ) -> RpcResponse {
        let Some(session) = self.session.clone() else { return RpcResponse::SessionRequired };
        let result = match call {
            Ok(ToolCall::OpenDiff(_) | ToolCall::OpenLarge { .. }) if self.server.context_only => {
                Some(CallToolResult::error(tools::CONTEXT_ONLY))
            }
            Ok(ToolCall::OpenDiff(OpenDiffRequest { file_path, new_content })) => {
                let opened = if new_content.len() <= MAX_INLINE_BYTES {
                    self.open_diff(session, file_path, new_content).await
                } else {
                    self.open_large_diff(session, file_path, new_content.into()).await
                };
                match opened {
                    Some(opened) => tools::opened(opened),
                    None => return not_prepared(id),
                }
            }
            Ok(ToolCall::OpenLarge { file_path, proposed }) => {
                match self.open_large_diff(session, file_path, proposed).await {
                    Some(opened) => tools::opened(opened),
                    None => return not_prepared(id),
                }
            }
            Ok(ToolCall::CloseDiff(close)) => {
                let (answer, receiver) = oneshot::channel();
                self.server.events.send(Event::CloseDiff { session, file_path: close.file_path, answer });
                // The order matters as for `openDiff`.
                self.read_guard = None;
                let text = match receiver.await {
                    Ok(LastText::Text(text)) => Some(text),
                    Ok(LastText::NoReview) => None,
                    Ok(LastText::UnknownSession) | Err(_) => return RpcResponse::NoSuchSession,
                };
                let size = text.as_ref().map_or(0, |text| text.len());
                return work_on(size, || reply(id, &tools::closed(text.as_deref())));
            }
            Err(BadCall::Tool(result)) => Some(result),
            Err(BadCall::Protocol(why)) => {
                return RpcResponse::Reply(rpc::error(Some(id), rpc::INVALID_PARAMS, &why));
            }
        };
        result.map_or(RpcResponse::NoSuchSession, |result| reply(id, &result))
    }

    /// Carries out `openDiff`. Returns `None` if the proposal could not be prepared.
    async fn open_diff(
        &mut self,
        session: String,
        file_path: String,
        proposed: Arc<str>,
    ) -> Option<Result<(), NotOpened>> {
        let roots = self.request_in_session.roots.clone();
        let prepared = self.server.proposals.prepare(file_path.clone(), proposed, roots).await?;
        let answer = self.propose(session, file_path, Proposal::Prepared(prepared.map(Box::new)));
        Some(answer.await.unwrap_or(Err(NotOpened::UnknownSession)))
    }

    /// Carries out `openDiff` with a large text, which is compared with its file after the answer. Returns
    /// `None` if the target could not be opened for an unknown reason.
    async fn open_large_diff(
        &mut self,
        session: String,
        file_path: String,
        proposed: LargeText,
    ) -> Option<Result<(), NotOpened>> {
        let Server { proposals, events, .. } = &*self.server;
        let answer = match proposals.open(file_path.clone()).await? {
            Err(bad) => self.propose(session, file_path, Proposal::Prepared(Err(bad))),
            Ok(target) => {
                let (proposals, events) = (proposals.clone(), events.clone());
                let (proposed, roots) = (Arc::new(proposed), self.request_in_session.roots.clone());
                let unprepared = Proposal::Unprepared(proposed.clone());
                let answer = self.propose(session, file_path.clone(), unprepared);
                tokio::spawn(async move {
                    let prepared = proposals.prepare_large(file_path, target, proposed.clone(), roots).await;
                    events.send(Event::ProposalPrepared { proposed, prepared: prepared.map(Box::new) });
                });
                answer
            }
        };
        Some(answer.await.unwrap_or(Err(NotOpened::UnknownSession)))
    }

    /// Sends a proposal to the main loop. Returns the answer to come.
    fn propose(
        &mut self,
        session: String,
        file_path: String,
        proposal: Proposal,
    ) -> oneshot::Receiver<Result<(), NotOpened>> {
        let open = OpenDiff { request: self.request_in_session.number, file_path, call: None, proposal };
        let (answer, receiver) = oneshot::channel();
        self.server.events.send(Event::OpenDiff { session, open, answer });
        // The main loop must know of the call before it learns that the messages were read.
        self.read_guard = None;
        receiver
    }
}

/// The response if a proposal could not be prepared.
fn not_prepared(id: &Id) -> RpcResponse {
    let why = "the proposal could not be prepared";
    RpcResponse::Reply(rpc::error(Some(id), rpc::INVALID_REQUEST, why))
}
