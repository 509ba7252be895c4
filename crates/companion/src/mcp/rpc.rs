//! What each message of an agent means: a table, one arm per method.

use std::sync::Arc;

use alongside_contract::mcp::{Implementation, InitializeParams, InitializeResult, negotiate};
use alongside_contract::rpc::{self, Id, Message};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::http::Unread;
use super::proposal_queue::ProposalQueue;
use super::tools::{self, BadCall, ToolCall};
use crate::agents::credential::Credential;
use crate::agents::registry::MAX_SESSIONS;
use crate::agents::session::SessionRefusal;
use crate::events::{Event, Events};

/// How much is repeated of what somebody else wrote, in bytes.
const QUOTED: usize = 512;

/// Who sends the messages of one POST.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) events: Events,
    pub(crate) proposals: Arc<ProposalQueue>,
    pub(crate) session: Option<String>,
    pub(crate) credential: Credential,
    /// The number of the request within its session.
    pub(crate) request_number: u64,
    /// Held until the hub knows what the messages say.
    pub(crate) unread: Option<Unread>,
}

/// What to answer.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Notifications and replies get none.
    Nothing,
    Reply(String),
    Welcome {
        session: String,
        reply: String,
    },
    NoSessionNamed,
    NoSuchSession,
    /// A newer way of speaking; its clients fall back to sessions when they hear 400.
    NotSpoken(String),
    /// As many sessions as there may be.
    Full(String),
    Stopping,
}

impl Caller {
    /// Carries out one message.
    pub(crate) async fn carry_out(&mut self, message: Message) -> Answer {
        match message {
            Message::Request { id, method, params } => self.request(id, &method, params.as_deref()).await,
            Message::Notification { .. } if self.session.is_none() => Answer::NoSessionNamed,
            Message::Notification { .. } => Answer::Nothing,
            Message::Reply { id, result } => {
                let Some(session) = self.session.clone() else {
                    return Answer::NoSessionNamed;
                };
                // An agent that answers a ping with an error has heard it all the same.
                if let Err(error) = result {
                    tracing::debug!(code = error.code, "an agent answered with an error");
                }
                if let Some(id) = id {
                    self.events.send(Event::Receipt { session, id });
                }
                Answer::Nothing
            }
        }
    }

    async fn request(&mut self, id: Id, method: &str, params: Option<&RawValue>) -> Answer {
        match (method, self.session.clone()) {
            ("initialize", _) => self.initialize(&id, params).await,
            ("server/discover", _) => {
                let why = "this server speaks MCP with sessions: initialize one";
                Answer::NotSpoken(rpc::error(Some(&id), rpc::METHOD_NOT_FOUND, why))
            }
            (_, None) => Answer::NoSessionNamed,
            ("ping", Some(_)) => reply(&id, &json!({})),
            ("tools/list", Some(_)) => reply(&id, &tools::list()),
            ("tools/call", Some(session)) => self.call(&id, session, params).await,
            _ => Answer::Reply(rpc::error(
                Some(&id),
                rpc::METHOD_NOT_FOUND,
                &format!("there is no method {:?} here", brief(method)),
            )),
        }
    }

    async fn initialize(&self, id: &Id, params: Option<&RawValue>) -> Answer {
        let params: InitializeParams = match serde_json::from_str(params.map_or("{}", RawValue::get)) {
            Ok(params) => params,
            Err(error) => {
                return Answer::Reply(rpc::error(Some(id), rpc::INVALID_PARAMS, brief(&error.to_string())));
            }
        };
        let protocol_version = negotiate(&params.protocol_version).to_owned();
        let named = params.client_info;
        let client = Implementation {
            name: brief(&named.name).to_owned(),
            version: brief(&named.version).to_owned(),
            title: named.title.as_deref().map(|title| brief(title).to_owned()),
        };
        let welcomed = self
            .events
            .ask(|welcomed| Event::SessionWanted {
                client,
                version: protocol_version.clone(),
                credential: self.credential,
                welcomed,
            })
            .await;
        let session = match welcomed {
            Some(Ok(session)) => session,
            Some(Err(SessionRefusal::Full)) => {
                let why = format!("there are {MAX_SESSIONS} sessions already, and no more are served");
                return Answer::Full(rpc::error(Some(id), rpc::INVALID_REQUEST, &why));
            }
            Some(Err(SessionRefusal::NoRandom)) | None => return Answer::Stopping,
        };
        let result = InitializeResult {
            protocol_version,
            capabilities: json!({ "tools": {} }),
            server_info: Implementation {
                name: "alongside".into(),
                version: env!("CARGO_PKG_VERSION").into(),
                title: None,
            },
        };
        Answer::Welcome { session, reply: rpc::reply(id, &result) }
    }

    async fn call(&mut self, id: &Id, session: String, params: Option<&RawValue>) -> Answer {
        let result = match tools::parse(params) {
            Ok(ToolCall::OpenDiff(open)) => {
                let file_path = open.file_path.clone();
                let Some(proposal) = self.proposals.prepare(open.file_path, open.new_content).await else {
                    let why = "the proposal could not be prepared";
                    return Answer::Reply(rpc::error(Some(id), rpc::INVALID_REQUEST, why));
                };
                let (answer, answered) = tokio::sync::oneshot::channel();
                self.events.send(Event::OpenDiff {
                    session,
                    request: self.request_number,
                    file_path,
                    proposal: Box::new(proposal),
                    answer,
                });
                self.unread = None;
                answered.await.ok().flatten()
            }
            Ok(ToolCall::CloseDiff(close)) => {
                let (answer, answered) = tokio::sync::oneshot::channel();
                self.events.send(Event::CloseDiff { session, file_path: close.file_path, answer });
                self.unread = None;
                answered.await.ok().flatten().map(|text: Option<_>| tools::closed(text.as_deref()))
            }
            Err(BadCall::Tool(result)) => Some(result),
            Err(BadCall::Protocol(why)) => {
                return Answer::Reply(rpc::error(Some(id), rpc::INVALID_PARAMS, &why));
            }
        };
        result.map_or(Answer::NoSuchSession, |result| reply(id, &result))
    }
}

fn reply<T: Serialize>(id: &Id, result: &T) -> Answer {
    Answer::Reply(rpc::reply(id, result))
}

/// The beginning of what somebody else wrote, for an answer or a list: what they are called, or what is
/// wrong.
pub(super) fn brief(said: &str) -> &str {
    &said[..said.floor_char_boundary(QUOTED)]
}
