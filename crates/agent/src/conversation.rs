//! The shared half of a session: sends requests and receives their replies, and passes on the messages that
//! the companion sends by itself. A broken stream is opened again as often as the TypeScript SDK would,
//! unless the session is created with more retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use alongside_contract::context::{CONTEXT_UPDATE, IdeContext};
use alongside_contract::diff::{
    DIFF_ACCEPTED, DIFF_CLOSED, DIFF_REJECTED, DiffAccepted, DiffClosed, DiffRejected,
};
use alongside_contract::mcp::InitializeResult;
use alongside_contract::rpc::{self, Id, Message};
use alongside_contract::surrogates::replace_lone;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::Error;
use crate::client::{Client, Response};
use crate::diffs::{Diffs, Outcome};
use crate::stream::{Messages, StreamState};

/// A conversation with a companion, after `initialize`.
pub(crate) struct Conversation {
    pub(crate) client: Client,
    pub(crate) server: InitializeResult,
    next_id: AtomicI64,
    pub(crate) diffs: Diffs,
    pub(crate) context: watch::Sender<Option<IdeContext>>,
    pub(crate) stream: watch::Sender<StreamState>,
    /// The time to wait before each try to reopen a lost stream.
    retries: &'static [Duration],
}

impl Conversation {
    pub(crate) fn new(client: Client, server: InitializeResult, retries: &'static [Duration]) -> Self {
        Self {
            client,
            server,
            next_id: AtomicI64::new(1),
            diffs: Diffs::default(),
            context: watch::Sender::new(None),
            stream: watch::Sender::new(StreamState::Connecting),
            retries,
        }
    }

    /// Keeps the stream open, and reopens it as often as `retries` allows.
    pub(crate) async fn listen(self: Arc<Self>) {
        let mut failures = 0;
        loop {
            match Messages::open(&self.client).await {
                Ok(mut messages) => {
                    failures = 0;
                    self.stream.send_replace(StreamState::Open);
                    while let Some(message) = messages.next().await {
                        self.receive(&message);
                    }
                    self.stream.send_replace(StreamState::Connecting);
                }
                Err(error) => {
                    tracing::debug!(%error, "the stream does not open");
                    failures += 1;
                }
            }
            // The first retry follows the loss itself, so the stream is lost if as many tries fail as there
            // are retries.
            let Some(pause) = self.retries.get(failures) else { break };
            tokio::time::sleep(*pause).await;
        }
        self.diffs.lose_all();
        self.stream.send_replace(StreamState::Lost);
    }

    fn receive(self: &Arc<Self>, json: &str) {
        match Message::parse(&replace_lone(json.as_bytes())) {
            Ok(Ok(Message::Notification { method, params: Some(params) })) => {
                self.handle_notification(&method, params)
            }
            Ok(Ok(Message::Request { id, method, .. })) => self.answer_request(&id, &method),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(why = error.why, "the companion sent no message"),
            Err(error) => tracing::warn!(%error, "the companion sent no JSON"),
        }
    }

    fn handle_notification(&self, method: &str, params: &RawValue) {
        fn read<T: DeserializeOwned>(params: &RawValue) -> Result<T, serde_json::Error> {
            serde_json::from_str(params.get())
        }
        let read = match method {
            CONTEXT_UPDATE => read::<IdeContext>(params).map(|context| {
                self.context.send_replace(Some(context));
            }),
            DIFF_ACCEPTED => read::<DiffAccepted>(params)
                .map(|diff| self.settle(&diff.file_path, Outcome::Accepted { content: diff.content })),
            DIFF_REJECTED => {
                read::<DiffRejected>(params).map(|diff| self.settle(&diff.file_path, Outcome::Rejected))
            }
            DIFF_CLOSED => read::<DiffClosed>(params)
                .map(|diff| self.settle(&diff.file_path, Outcome::Closed { content: diff.content })),
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

    /// Answers a request of the companion, in a task of its own so that the stream is not blocked.
    fn answer_request(self: &Arc<Self>, id: &Id, method: &str) {
        let answer = match method {
            "ping" => rpc::reply(id, &serde_json::Map::new()),
            _ => rpc::error(Some(id), rpc::METHOD_NOT_FOUND, "Method not found"),
        };
        let conversation = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = conversation.client.post("answer the companion", answer).await {
                tracing::debug!(%error);
            }
        });
    }

    pub(crate) async fn request<T: DeserializeOwned>(
        self: &Arc<Self>,
        what: &'static str,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, Error> {
        let id = Id::Number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let response = self.client.post(what, rpc::request(&id, method, params)).await?;
        let response = self.client.successful(what, response).await?;
        let result = reply_to(&id, what, &self.client, response, |message| self.receive(message)).await?;
        understand(what, &self.client, &result)
    }
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversation").field("url", &self.client.url).finish_non_exhaustive()
    }
}

/// Returns the reply to `id` in a response, which may be a single message or a stream. Other messages of a
/// stream go to `other`.
pub(crate) async fn reply_to(
    id: &Id,
    what: &'static str,
    client: &Client,
    response: Response,
    other: impl Fn(&str),
) -> Result<Box<RawValue>, Error> {
    let reply_in = |json: &[u8]| match Message::parse(&replace_lone(json)) {
        Ok(Ok(Message::Reply { id: replied, result })) if replied.as_ref() == Some(id) => {
            let result = result.map(ToOwned::to_owned);
            Some(result.map_err(|error| Error::Rpc { what, url: client.url.clone(), error }))
        }
        _ => None,
    };
    if response.head.is_event_stream() {
        let mut messages = Messages::of(response);
        while let Some(message) = messages.next().await {
            match reply_in(message.as_bytes()) {
                Some(reply) => return reply,
                None => other(&message),
            }
        }
        return Err(client.off_contract(what, "the answer ended without a reply"));
    }
    let body = client.body(what, response).await?;
    reply_in(&body).unwrap_or_else(|| Err(client.off_contract(what, "the answer is no reply to the request")))
}

pub(crate) fn understand<T: DeserializeOwned>(
    what: &'static str,
    client: &Client,
    result: &RawValue,
) -> Result<T, Error> {
    let read = serde_json::from_str(result.get());
    read.map_err(|error| client.off_contract(what, format!("the result has the wrong shape: {error}")))
}
