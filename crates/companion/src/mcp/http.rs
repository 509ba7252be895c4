//! The one endpoint: POST carries an agent's messages, GET opens its stream, DELETE ends its session.
//! `/status` lets our own tools see whether a companion lives, and its state. Nothing that a request asks for
//! takes many times its size.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alongside_contract::mcp::{
    ASSUMED_VERSION, BATCH_VERSIONS, PROTOCOL_VERSIONS, SESSION_HEADER, VERSION_HEADER,
};
use alongside_contract::{rpc, surrogates};
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::gate::{Gate, gate};
use super::proposal_queue::ProposalQueue;
use super::rpc::{Answer, Caller};
use crate::agents::credential::Credential;
use crate::events::{Event, Events};

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(120);
/// How much of a refused body is read and thrown away, so that its sender hears the refusal.
const DISCARDED: usize = 4 << 30;

/// How many messages a batch may have.
const MAX_BATCH: usize = 1_000;

/// What every request needs.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) events: Events,
    pub(crate) max_body: usize,
    pub(crate) proposals: Arc<ProposalQueue>,
}

/// The routes behind the gate.
pub(crate) fn router(server: Arc<Server>, gatekeeper: Arc<Gate>) -> Router {
    Router::new()
        .route("/mcp", post(messages).get(open_stream).delete(end_session).head(only_with_a_body))
        .route("/status", get(status))
        .with_state(server)
        .layer(middleware::from_fn_with_state(gatekeeper, gate))
}

/// A JSON-RPC error as the body of an HTTP error.
pub(crate) fn json_error(status: StatusCode, body: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

fn refusal(status: StatusCode, code: i64, why: &str) -> Response {
    json_error(status, rpc::error(None, code, why))
}

fn no_such_session() -> Response {
    refusal(
        StatusCode::NOT_FOUND,
        rpc::SESSION_NOT_FOUND,
        "there is no such session here: initialize a new one",
    )
}

fn no_session_named() -> Response {
    refusal(StatusCode::BAD_REQUEST, rpc::INVALID_REQUEST, "the Mcp-Session-Id header is required")
}

fn stopping() -> Response {
    refusal(StatusCode::SERVICE_UNAVAILABLE, rpc::INVALID_REQUEST, "the companion is stopping")
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The version a request speaks; an unknown one is refused.
fn version(headers: &HeaderMap) -> Result<Option<&str>, Box<Response>> {
    match header(headers, VERSION_HEADER) {
        Some(version) if !PROTOCOL_VERSIONS.contains(&version) => {
            let why = format!(
                "protocol version {version:?} is not spoken here, only {}",
                PROTOCOL_VERSIONS.join(", ")
            );
            Err(Box::new(refusal(StatusCode::BAD_REQUEST, rpc::INVALID_REQUEST, &why)))
        }
        version => Ok(version),
    }
}

async fn messages(
    State(server): State<Arc<Server>>,
    Extension(credential): Extension<Credential>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let declared =
        header(&parts.headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<usize>().ok());
    if declared.is_some_and(|length| length > server.max_body) {
        return too_large(body, server.max_body);
    }
    let spoken = match version(&parts.headers) {
        Ok(version) => version.unwrap_or(ASSUMED_VERSION),
        Err(refused) => return *refused,
    };
    let session = header(&parts.headers, SESSION_HEADER).map(str::to_owned);
    // From here until its messages are with the hub, nothing is sent again to this session: the body may say
    // that the agent has moved on.
    let unread = match &session {
        None => None,
        Some(id) => {
            // Before the hub is asked: the connection may break while it answers, and this with it.
            let mut unread = Unread { events: server.events.clone(), session: id.clone(), number: 0 };
            match server.events.ask(|known| Event::RequestStarted { session: id.clone(), known }).await {
                Some(Some(number)) => unread.number = number,
                Some(None) => return no_such_session(),
                None => return stopping(),
            }
            Some(unread)
        }
    };
    let body = match read(body, server.max_body).await {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let request_number = unread.as_ref().map_or(0, |unread| unread.number);
    let (events, proposals) = (server.events.clone(), server.proposals.clone());
    let caller = Caller { events, proposals, session, credential, request_number, unread };
    dispatch(caller, body, spoken, server.max_body).await
}

/// Tells the hub when a POST has been read, however that ends.
#[derive(Debug)]
pub(crate) struct Unread {
    events: Events,
    session: String,
    number: u64,
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.events.send(Event::RequestRead { session: std::mem::take(&mut self.session) });
    }
}

async fn read(body: Body, limit: usize) -> Result<Bytes, Box<Response>> {
    let collected = tokio::time::timeout(BODY_TIME, Limited::new(body, limit).collect()).await;
    match collected {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Box::new(too_large(Body::empty(), limit))),
        Ok(Err(_)) => Err(Box::new(refusal(StatusCode::BAD_REQUEST, rpc::PARSE_ERROR, "the body broke off"))),
        Err(_) => Err(Box::new(refusal(
            StatusCode::REQUEST_TIMEOUT,
            rpc::PARSE_ERROR,
            "the body did not arrive within two minutes",
        ))),
    }
}

/// Refuses at once, and goes on reading for a sender that listens only when it has finished.
fn too_large(body: Body, limit: usize) -> Response {
    tokio::spawn(async move {
        let mut rest = Limited::new(body, DISCARDED);
        let discard = async { while let Some(Ok(_)) = rest.frame().await {} };
        let _ = tokio::time::timeout(BODY_TIME, discard).await;
    });
    let why = format!("the message is larger than {limit} bytes");
    refusal(StatusCode::PAYLOAD_TOO_LARGE, rpc::INVALID_REQUEST, &why)
}

async fn dispatch(mut caller: Caller, body: Bytes, version: &str, max_replies: usize) -> Response {
    let json = surrogates::replace_lone(&body);
    let is_batch = json.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if !is_batch {
        return match rpc::Message::parse(&json) {
            Ok(Ok(message)) => {
                drop(json);
                drop(body);
                respond(caller.carry_out(message).await)
            }
            Ok(Err(not)) => refusal(StatusCode::BAD_REQUEST, rpc::INVALID_REQUEST, not.why),
            Err(error) => {
                refusal(StatusCode::BAD_REQUEST, rpc::PARSE_ERROR, &format!("the body is not JSON: {error}"))
            }
        };
    }
    if !BATCH_VERSIONS.contains(&version) {
        let why = format!("protocol version {version} has no batches: send one message at a time");
        return refusal(StatusCode::BAD_REQUEST, rpc::INVALID_REQUEST, &why);
    }
    let Batch(batch) = match serde_json::from_slice(&json) {
        Ok(batch) => batch,
        Err(error) if error.is_data() => {
            let why = format!("a batch has {MAX_BATCH} messages at most");
            return refusal(StatusCode::BAD_REQUEST, rpc::INVALID_REQUEST, &why);
        }
        Err(error) => {
            return refusal(
                StatusCode::BAD_REQUEST,
                rpc::PARSE_ERROR,
                &format!("the body is not JSON: {error}"),
            );
        }
    };
    if batch.is_empty() {
        return refusal(StatusCode::BAD_REQUEST, rpc::INVALID_REQUEST, "the batch is empty");
    }
    let mut replies = Replies::default();
    for message in batch {
        // Others have their turn between two messages.
        tokio::task::yield_now().await;
        match rpc::Message::parse(message.get().as_bytes()) {
            Ok(Ok(rpc::Message::Request { id, method, .. })) if method == "initialize" => {
                let why = "initialize cannot be part of a batch";
                replies.push(&rpc::error(Some(&id), rpc::INVALID_REQUEST, why));
            }
            // A text that closing answers may be asked for again and again.
            Ok(Ok(rpc::Message::Request { id, .. })) if replies.0.len() > max_replies => {
                let why = "the answer to this batch is too large already: send this by itself";
                replies.push(&rpc::error(Some(&id), rpc::INVALID_REQUEST, why));
            }
            Ok(Ok(message)) => match caller.carry_out(message).await {
                Answer::Reply(reply) => replies.push(&reply),
                Answer::Nothing => {}
                other => return respond(other),
            },
            Ok(Err(not)) => replies.push(&rpc::error(None, rpc::INVALID_REQUEST, not.why)),
            Err(error) => replies.push(&rpc::error(None, rpc::PARSE_ERROR, &error.to_string())),
        }
    }
    respond(replies.into_answer())
}

/// The messages of a batch, unread and where they stand, unless there are too many.
struct Batch<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Batch<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Messages;
        impl<'de> Visitor<'de> for Messages {
            type Value = Vec<&'de RawValue>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a batch")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut messages: A) -> Result<Self::Value, A::Error> {
                let mut batch = Vec::new();
                while let Some(message) = messages.next_element()? {
                    if batch.len() == MAX_BATCH {
                        return Err(A::Error::custom("too many"));
                    }
                    batch.push(message);
                }
                Ok(batch)
            }
        }
        deserializer.deserialize_seq(Messages).map(Self)
    }
}

/// The replies to a batch, as they will be sent.
#[derive(Default)]
struct Replies(String);

impl Replies {
    fn push(&mut self, reply: &str) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0.push_str(reply);
    }

    fn into_answer(mut self) -> Answer {
        if self.0.is_empty() {
            return Answer::Nothing;
        }
        self.0.push(']');
        Answer::Reply(self.0)
    }
}

fn respond(answer: Answer) -> Response {
    let json = [(CONTENT_TYPE, "application/json")];
    match answer {
        // Agents open their stream only after exactly 202.
        Answer::Nothing => StatusCode::ACCEPTED.into_response(),
        Answer::Reply(reply) => (json, reply).into_response(),
        Answer::Welcome { session, reply } => ([(SESSION_HEADER, session)], json, reply).into_response(),
        Answer::NoSessionNamed => no_session_named(),
        Answer::NoSuchSession => no_such_session(),
        Answer::NotSpoken(reply) => json_error(StatusCode::BAD_REQUEST, reply),
        Answer::Full(reply) => json_error(StatusCode::SERVICE_UNAVAILABLE, reply),
        Answer::Stopping => stopping(),
    }
}

async fn open_stream(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    if let Err(refused) = version(&headers) {
        return *refused;
    }
    let Some(session) = header(&headers, SESSION_HEADER) else {
        return no_session_named();
    };
    match server.events.ask(|opened| Event::StreamWanted { session: session.to_owned(), opened }).await {
        Some(Some(open)) => super::stream::response(open),
        Some(None) => no_such_session(),
        None => stopping(),
    }
}

/// A stream or a session cannot be asked about without being opened; and whoever only asks must not take the
/// agent's stream.
async fn only_with_a_body() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, POST, DELETE")]).into_response()
}

async fn end_session(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    let Some(session) = header(&headers, SESSION_HEADER) else {
        return no_session_named();
    };
    match server.events.ask(|ended| Event::SessionEnded { session: session.to_owned(), ended }).await {
        Some(true) => StatusCode::OK.into_response(),
        Some(false) => no_such_session(),
        None => stopping(),
    }
}

/// The state as desks see it, without what leads to the token, and for the tokenless without the person's
/// files.
async fn status(State(server): State<Arc<Server>>, Extension(credential): Extension<Credential>) -> Response {
    let status = server.events.ask(Event::StatusWanted).await.map(|mut status| {
        status.environment = alongside_desk::Environment::default();
        if credential == Credential::Nothing {
            status.context.clear();
        }
        serde_json::to_string(&status)
    });
    match status {
        Some(Ok(status)) => ([(CONTENT_TYPE, "application/json")], status).into_response(),
        _ => stopping(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_post_that_breaks_off_while_the_hub_is_asked_holds_nothing_back() {
        let (events, mut inbox) = Events::channel();
        let server = Arc::new(Server { events, max_body: 1024, proposals: Arc::default() });
        let request = Request::builder().header(SESSION_HEADER, "s").body(Body::empty()).unwrap();
        {
            let answer = messages(State(server), Extension(Credential::Nothing), request);
            tokio::select! {
                biased;
                _ = answer => panic!("nobody has answered"),
                () = std::future::ready(()) => {}
            }
        }
        assert!(matches!(inbox.recv().await, Some(Event::RequestStarted { .. })));
        assert!(matches!(inbox.recv().await, Some(Event::RequestRead { .. })));
    }

    #[tokio::test]
    async fn one_session_too_many_is_503_with_an_error_that_names_the_limit() {
        let (events, mut inbox) = Events::channel();
        let server = Arc::new(Server { events, max_body: 1024, proposals: Arc::default() });
        let params =
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{params}}}"#);
        let request = Request::builder().body(Body::from(body)).unwrap();
        let hub = async {
            let Some(Event::SessionWanted { welcomed, .. }) = inbox.recv().await else {
                panic!("no session")
            };
            welcomed.send(Err(crate::agents::session::SessionRefusal::Full)).unwrap();
        };
        let asked = messages(State(server), Extension(Credential::Token(None)), request);
        let (answer, ()) = tokio::join!(asked, hub);
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let said: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(said["id"], 7);
        assert!(said["error"]["message"].as_str().unwrap().contains("4096"), "{said}");
    }
}
