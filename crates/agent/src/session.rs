//! A session of an agent with a companion, as the TypeScript SDK under every shipped agent conducts it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use alongside_contract::context::{CONTEXT_UPDATE, IdeContext};
use alongside_contract::diff::{
    CLOSE_DIFF, CloseDiffRequest, ClosedDiff, DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted,
    DiffClosed, DiffRejected, OPEN_DIFF, OpenDiffRequest,
};
use alongside_contract::mcp::{CallToolResult, Implementation, InitializeParams, InitializeResult};
use alongside_contract::rpc::{self, Id, Message};
use alongside_contract::surrogates::replace_lone;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;

use crate::diffs::Diffs;
use crate::http::{Wire, is_stream, welcome};
use crate::stream::{self, RETRIES};
use crate::{Endpoint, Error, Outcome, PendingDiff, RawReply, StreamState};

/// The version agents propose.
const PROPOSED_VERSION: &str = "2025-06-18";

/// Who an agent says it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `clientInfo.name`.
    pub name: String,
    /// `clientInfo.version`.
    pub version: String,
}

impl Identity {
    /// A name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
        }
    }
}

/// A tool of the companion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// What it is called.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A JSON schema of its arguments.
    #[serde(default)]
    pub input_schema: serde_json::Value,
}

/// A session. Dropping it closes the stream and says nothing to the companion, like an agent that is killed;
/// [`end`](Self::end) says good-bye.
#[derive(Debug)]
pub struct Session {
    shared: Arc<Shared>,
    listener: JoinHandle<()>,
}

struct Shared {
    wire: Wire,
    server: InitializeResult,
    next_id: AtomicI64,
    diffs: Diffs,
    context: watch::Sender<Option<IdeContext>>,
    stream: watch::Sender<StreamState>,
    messages: broadcast::Sender<Arc<str>>,
}

impl Session {
    /// Connects: `initialize`, `notifications/initialized`, and then the stream, which is opened in the background.
    ///
    /// # Errors
    /// When the companion cannot be reached, refuses the token, or does not keep to the contract.
    pub async fn connect(endpoint: Endpoint, token: Option<&str>, identity: Identity) -> Result<Self, Error> {
        Self::connect_with_version(endpoint, token, identity, PROPOSED_VERSION).await
    }

    /// [`connect`](Self::connect), proposing another version of MCP.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub async fn connect_with_version(
        endpoint: Endpoint,
        token: Option<&str>,
        identity: Identity,
        version: &str,
    ) -> Result<Self, Error> {
        const WHAT: &str = "connect";
        let mut wire = Wire::new(&endpoint, token)?;
        let params = InitializeParams {
            protocol_version: version.to_owned(),
            client_info: Implementation {
                name: identity.name,
                version: identity.version,
                title: None,
            },
            ..InitializeParams::default()
        };
        let answer = wire
            .post(WHAT, rpc::request(&Id::Number(0), "initialize", &params))
            .await?;
        let answer = welcome(WHAT, &wire.url, answer).await?;
        wire.adopt_session(&answer);
        let result = reply_to(&Id::Number(0), WHAT, &wire, answer, |_| ()).await?;
        let server: InitializeResult = understand(WHAT, &wire.url, &result)?;
        wire.adopt_version(&server.protocol_version);

        let said = wire
            .post(WHAT, rpc::bare_notification("notifications/initialized"))
            .await?;
        let said = welcome(WHAT, &wire.url, said).await?;
        if said.status().as_u16() != 202 {
            let why = format!(
                "notifications/initialized was answered {} instead of 202",
                said.status().as_u16()
            );
            return Err(Error::OffContract {
                what: WHAT,
                url: wire.url,
                why,
            });
        }
        let shared = Arc::new(Shared {
            wire,
            server,
            next_id: AtomicI64::new(1),
            diffs: Diffs::default(),
            context: watch::Sender::new(None),
            stream: watch::Sender::new(StreamState::Connecting),
            messages: broadcast::Sender::new(256),
        });
        Ok(Self {
            listener: tokio::spawn(Arc::clone(&shared).listen()),
            shared,
        })
    }

    /// What the companion said of itself.
    pub fn server(&self) -> &InitializeResult {
        &self.shared.server
    }

    /// What the person has open; `None` until the companion has said.
    pub fn context(&self) -> watch::Receiver<Option<IdeContext>> {
        self.shared.context.subscribe()
    }

    /// Whether the companion is heard.
    pub fn stream(&self) -> watch::Receiver<StreamState> {
        self.shared.stream.subscribe()
    }

    /// Every message that comes over the stream, as it comes: for logs and checks.
    pub fn messages(&self) -> broadcast::Receiver<Arc<str>> {
        self.shared.messages.subscribe()
    }

    /// Proposes a whole file. Returns as soon as the companion shows it.
    ///
    /// # Errors
    /// When it cannot be shown; no outcome will follow then.
    pub async fn open_diff(&self, path: &str, text: &str) -> Result<PendingDiff, Error> {
        // Waiting before asking: the outcome may overtake the answer.
        let pending = self.shared.diffs.wait_for(path);
        let arguments = OpenDiffRequest {
            file_path: path.to_owned(),
            new_content: text.to_owned(),
        };
        let opened = self.tool_on(OPEN_DIFF, path, &arguments).await;
        opened
            .inspect_err(|_| self.shared.diffs.forget(path))
            .map(|_| pending)
    }

    /// Takes a diff back, because the person has answered in the agent, and asks for its text: `None` if the
    /// companion has no such diff. With `suppress`, asks for no notification about it.
    ///
    /// # Errors
    /// When the companion does not answer in its proper form.
    pub async fn close_diff(&self, path: &str, suppress: bool) -> Result<Option<String>, Error> {
        let suppress_notification = suppress.then_some(true);
        let arguments = CloseDiffRequest {
            file_path: path.to_owned(),
            suppress_notification,
        };
        let result = self.tool_on(CLOSE_DIFF, path, &arguments).await?;
        let Some(block) = result.content.iter().find(|block| block.kind == "text") else {
            return Ok(None);
        };
        let closed: ClosedDiff = serde_json::from_str(&block.text).map_err(|error| Error::OffContract {
            what: "close a diff",
            url: self.shared.wire.url.clone(),
            why: format!("the text block is not JSON: {error}"),
        })?;
        Ok(closed.content)
    }

    /// The tools on offer. Agents propose nothing unless both `openDiff` and `closeDiff` are there.
    ///
    /// # Errors
    /// When the companion does not answer in its proper form.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, Error> {
        #[derive(Deserialize)]
        struct Tools {
            tools: Vec<Tool>,
        }
        let empty = serde_json::Map::new();
        let tools: Tools = self
            .shared
            .request("list the tools", "tools/list", &empty)
            .await?;
        Ok(tools.tools)
    }

    /// Calls a tool by name.
    ///
    /// # Errors
    /// When there is no result; a result that says `isError` is one.
    pub async fn call_tool(&self, name: &str, arguments: &impl Serialize) -> Result<CallToolResult, Error> {
        #[derive(Serialize)]
        struct Call<'a, A> {
            name: &'a str,
            arguments: &'a A,
        }
        self.shared
            .request("call a tool", "tools/call", &Call { name, arguments })
            .await
    }

    /// POSTs any text in this session, and returns what comes back, whatever it is.
    ///
    /// # Errors
    /// When nothing comes back.
    pub async fn raw(&self, json: impl Into<String>) -> Result<RawReply, Error> {
        const WHAT: &str = "post a message";
        let answer = self.shared.wire.post(WHAT, json.into()).await?;
        let status = answer.status().as_u16();
        let body = self.shared.wire.body(WHAT, answer).await?;
        Ok(RawReply {
            status,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    /// Ends the session on both sides. Diffs that wait end as [`Outcome::Lost`].
    ///
    /// # Errors
    /// When the companion cannot be told; the session has ended here all the same.
    pub async fn end(self) -> Result<(), Error> {
        self.listener.abort();
        self.shared.diffs.lose_all();
        self.shared.wire.delete("end the session").await
    }

    async fn tool_on(
        &self,
        tool: &'static str,
        path: &str,
        arguments: &impl Serialize,
    ) -> Result<CallToolResult, Error> {
        let result = self.call_tool(tool, arguments).await?;
        if result.is_error != Some(true) {
            return Ok(result);
        }
        let said = result
            .content
            .into_iter()
            .map(|block| block.text)
            .find(|text| !text.is_empty());
        Err(Error::Tool {
            tool,
            path: path.to_owned(),
            said: said.unwrap_or_else(|| "it does not say why".into()),
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.listener.abort();
        self.shared.diffs.lose_all();
    }
}

impl Shared {
    /// Keeps the stream open for as long as an agent would.
    async fn listen(self: Arc<Self>) {
        let mut failures = 0;
        loop {
            match stream::open(&self.wire).await {
                Ok(mut messages) => {
                    failures = 0;
                    self.stream.send_replace(StreamState::Open);
                    while let Some(message) = messages.next().await {
                        self.hear(&message);
                    }
                    self.stream.send_replace(StreamState::Connecting);
                }
                Err(error) => {
                    tracing::debug!(%error, "the stream does not open");
                    failures += 1;
                }
            }
            // The first retry follows the loss itself, so as many failures as there are retries are one too many.
            let Some(pause) = RETRIES.get(failures) else { break };
            tokio::time::sleep(*pause).await;
        }
        self.diffs.lose_all();
        self.stream.send_replace(StreamState::Lost);
    }

    fn hear(self: &Arc<Self>, json: &str) {
        if self.messages.receiver_count() > 0 {
            let _ = self.messages.send(json.into());
        }
        match Message::parse(&replace_lone(json.as_bytes())) {
            Ok(Ok(Message::Notification {
                method,
                params: Some(params),
            })) => self.told(&method, &params),
            Ok(Ok(Message::Request { id, method, .. })) => self.asked(&id, &method),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(why = error.why, "the companion sent no message"),
            Err(error) => tracing::warn!(%error, "the companion sent no JSON"),
        }
    }

    fn told(&self, method: &str, params: &RawValue) {
        fn read<T: DeserializeOwned>(params: &RawValue) -> Result<T, serde_json::Error> {
            serde_json::from_str(params.get())
        }
        let read = match method {
            CONTEXT_UPDATE => read::<IdeContext>(params).map(|context| {
                self.context.send_replace(Some(context));
            }),
            DIFF_ACCEPTED => read::<DiffAccepted>(params).map(|diff| {
                self.settle(
                    &diff.file_path,
                    Outcome::Accepted {
                        content: diff.content,
                    },
                )
            }),
            DIFF_REJECTED => {
                read::<DiffRejected>(params).map(|diff| self.settle(&diff.file_path, Outcome::Rejected))
            }
            DIFF_CLOSED => read::<DiffClosed>(params).map(|diff| {
                self.settle(
                    &diff.file_path,
                    Outcome::Closed {
                        content: diff.content,
                    },
                )
            }),
            _ => Ok(()),
        };
        if let Err(error) = read {
            tracing::warn!(method, %error, "the companion sent a notification of the wrong shape");
        }
    }

    fn settle(&self, path: &str, outcome: Outcome) {
        if !self.diffs.settle(path, outcome) {
            tracing::debug!(path, "nobody waits for this outcome");
        }
    }

    /// Answers a request of the companion's, beside the stream so that the stream is not held up.
    fn asked(self: &Arc<Self>, id: &Id, method: &str) {
        let answer = match method {
            "ping" => rpc::reply(id, &serde_json::Map::new()),
            _ => rpc::error(Some(id), rpc::METHOD_NOT_FOUND, "Method not found"),
        };
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = shared.wire.post("answer the companion", answer).await {
                tracing::debug!(%error);
            }
        });
    }

    async fn request<T: DeserializeOwned>(
        self: &Arc<Self>,
        what: &'static str,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, Error> {
        let id = Id::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let answer = self.wire.post(what, rpc::request(&id, method, params)).await?;
        let answer = welcome(what, &self.wire.url, answer).await?;
        let result = reply_to(&id, what, &self.wire, answer, |message| self.hear(message)).await?;
        understand(what, &self.wire.url, &result)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("url", &self.wire.url)
            .finish_non_exhaustive()
    }
}

/// The reply to `id` in an answer, be it one message or a stream; other messages of a stream are handed to `other`.
async fn reply_to(
    id: &Id,
    what: &'static str,
    wire: &Wire,
    answer: reqwest::Response,
    other: impl Fn(&str),
) -> Result<Box<RawValue>, Error> {
    let off = |why: String| Error::OffContract {
        what,
        url: wire.url.clone(),
        why,
    };
    let reply_in = |json: &[u8]| match Message::parse(&replace_lone(json)) {
        Ok(Ok(Message::Reply { id: replied, result })) if replied.as_ref() == Some(id) => {
            Some(result.map_err(|error| Error::Rpc {
                what,
                url: wire.url.clone(),
                error,
            }))
        }
        _ => None,
    };
    if is_stream(&answer) {
        let mut messages = stream::messages(answer);
        while let Some(message) = messages.next().await {
            match reply_in(message.as_bytes()) {
                Some(reply) => return reply,
                None => other(&message),
            }
        }
        return Err(off("the answer ended without a reply".into()));
    }
    let body = wire.body(what, answer).await?;
    reply_in(&body).unwrap_or_else(|| Err(off("the answer is no reply to the request".into())))
}

fn understand<T: DeserializeOwned>(what: &'static str, url: &str, result: &RawValue) -> Result<T, Error> {
    serde_json::from_str(result.get()).map_err(|error| Error::OffContract {
        what,
        url: url.to_owned(),
        why: format!("the result has the wrong shape: {error}"),
    })
}
