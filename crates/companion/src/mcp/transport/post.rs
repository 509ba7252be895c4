//! A POST to the endpoint: its body is read within limits of size and time, and each message is carried out.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use alongside_contract::mcp::{ASSUMED_VERSION, BATCH_VERSIONS, SESSION_HEADER};
use alongside_contract::{rpc, surrogates};
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use super::batch::{Batch, BatchReplies, MAX_BATCH};
use super::headers::{header, protocol_version, session_id};
use crate::agents::identity::Credential;
use crate::events::{Event, StartedRequest};
use crate::long_work::{MAX_INLINE_BYTES, work_on};
use crate::mcp::dialect::contract::Caller;
use crate::mcp::dialect::contract_tools::ToolCall;
use crate::mcp::dialect::large_open_diff::{self, LargeOpenDiff};
use crate::mcp::dialect::response::RpcResponse;
use crate::mcp::refusals::{bad_request, json_error, no_such_session, refusal, session_required, stopping};
use crate::mcp::server::Server;

/// The longest pause between two parts of a body. The session's outcomes wait meanwhile, because the body may
/// replace a review.
const MAX_BODY_PAUSE: Duration = Duration::from_secs(120);
/// The largest number of bytes that are reserved for a body before they arrive.
const MAX_RESERVED_BYTES: usize = 16 << 20;
/// The longest time for which the body of a refused request is read.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(120);
/// The largest number of bytes of a refused body that are read and discarded, so that its sender gets the
/// response.
const MAX_DISCARDED_BYTES: usize = 4 << 30;

/// Answers a POST.
pub(super) async fn post_messages(
    State(server): State<Arc<Server>>,
    Extension(credential): Extension<Credential>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let content_length =
        header(&parts.headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<usize>().ok());
    if content_length.is_some_and(|length| length > server.max_body) {
        return refuse_too_large(body, server.max_body);
    }
    let version = match protocol_version(&parts.headers) {
        Ok(version) => version.unwrap_or(ASSUMED_VERSION),
        Err(refusal) => return *refusal,
    };
    let session = session_id(&parts.headers).map(str::to_owned);
    let (mut read_guard, mut request_in_session) = (None, StartedRequest::default());
    if let Some(id) = &session {
        // The guard exists before the main loop is asked: if the connection breaks meanwhile, this future is
        // dropped, and the guard still reports the request as read.
        read_guard = Some(server.events.queue_on_drop(Event::RequestRead { session: id.clone() }));
        match server.events.ask(|answer| Event::RequestStarted { session: id.clone(), answer }).await {
            Some(Some(request)) => request_in_session = request,
            Some(None) => return no_such_session(),
            None => return stopping(),
        }
    }
    let body = match read(body, content_length, server.max_body).await {
        Ok(body) => body,
        Err(refusal) => {
            let status = refusal.status();
            tracing::warn!(content_length, %status, "cannot read the body of a request");
            return *refusal;
        }
    };
    let caller = Caller { server, session, credential, request_in_session, read_guard };
    dispatch(caller, body, version).await
}

async fn read(body: Body, content_length: Option<usize>, limit: usize) -> Result<Vec<u8>, Box<Response>> {
    let mut body = Limited::new(body, limit);
    let mut bytes = Vec::with_capacity(content_length.unwrap_or(0).min(MAX_RESERVED_BYTES));
    while let Some(frame) =
        tokio::time::timeout(MAX_BODY_PAUSE, body.frame()).await.map_err(|_| body_timeout_response())?
    {
        match frame {
            Ok(frame) => bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
            Err(error) if error.is::<LengthLimitError>() => {
                return Err(Box::new(refuse_too_large(Body::empty(), limit)));
            }
            Err(_) => return Err(Box::new(bad_request(rpc::PARSE_ERROR, "the body broke off"))),
        }
    }
    Ok(bytes)
}

fn body_timeout_response() -> Box<Response> {
    let why = "the rest of the body did not come within two minutes";
    Box::new(refusal(StatusCode::REQUEST_TIMEOUT, rpc::PARSE_ERROR, why))
}

/// Refuses at once, and keeps reading for senders that listen only after they have sent everything.
fn refuse_too_large(body: Body, limit: usize) -> Response {
    tokio::spawn(async move {
        let mut rest = Limited::new(body, MAX_DISCARDED_BYTES);
        let discard = async { while let Some(Ok(_)) = rest.frame().await {} };
        let _ = tokio::time::timeout(DISCARD_TIMEOUT, discard).await;
    });
    let why = format!("the message is larger than {limit} bytes");
    refusal(StatusCode::PAYLOAD_TOO_LARGE, rpc::INVALID_REQUEST, &why)
}

async fn dispatch(mut caller: Caller, mut json: Vec<u8>, version: &str) -> Response {
    if let Cow::Owned(fixed) = surrogates::replace_lone(&json) {
        json = fixed;
    }
    if json.len() > MAX_INLINE_BYTES
        && let Some(call) = work_on(json.len(), || large_open_diff::read(&mut json))
    {
        let LargeOpenDiff { id, file_path, text } = call;
        let call = ToolCall::OpenLarge { file_path, proposed: text.into() };
        return respond(caller.call_tool(&id, Ok(call)).await);
    }
    let is_batch = json.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if is_batch {
        return dispatch_batch(caller, &json, version).await;
    }
    match work_on(json.len(), || rpc::Message::parse(&json)) {
        Ok(Ok(message)) => respond(caller.carry_out(message).await),
        Ok(Err(invalid)) => bad_request(rpc::INVALID_REQUEST, invalid.why),
        Err(error) => bad_request(rpc::PARSE_ERROR, &format!("the body is not JSON: {error}")),
    }
}

async fn dispatch_batch(mut caller: Caller, json: &[u8], version: &str) -> Response {
    if !BATCH_VERSIONS.contains(&version) {
        let why = format!("protocol version {version} has no batches: send one message at a time");
        return bad_request(rpc::INVALID_REQUEST, &why);
    }
    let Batch(batch) = match serde_json::from_slice(json) {
        Ok(batch) => batch,
        Err(error) if error.is_data() => {
            let why = format!("a batch has {MAX_BATCH} messages at most");
            return bad_request(rpc::INVALID_REQUEST, &why);
        }
        Err(error) => return bad_request(rpc::PARSE_ERROR, &format!("the body is not JSON: {error}")),
    };
    if batch.is_empty() {
        return bad_request(rpc::INVALID_REQUEST, "the batch is empty");
    }
    let mut replies = BatchReplies::default();
    for message in batch {
        // Other requests run between two messages.
        tokio::task::yield_now().await;
        match rpc::Message::parse(message.get().as_bytes()) {
            Ok(Ok(rpc::Message::Request { id, method, .. })) if method == "initialize" => {
                let why = "initialize cannot be part of a batch";
                replies.push(&rpc::error(Some(&id), rpc::INVALID_REQUEST, why));
            }
            // This bounds the response: one batch could ask for the same large text many times.
            Ok(Ok(rpc::Message::Request { id, .. })) if replies.size() > caller.server.max_body => {
                let why = "the answer to this batch is too large already: send this by itself";
                replies.push(&rpc::error(Some(&id), rpc::INVALID_REQUEST, why));
            }
            Ok(Ok(message)) => match caller.carry_out(message).await {
                RpcResponse::Reply(reply) => replies.push(&reply),
                RpcResponse::Nothing => {}
                other => return respond(other),
            },
            Ok(Err(invalid)) => replies.push(&rpc::error(None, rpc::INVALID_REQUEST, invalid.why)),
            Err(error) => replies.push(&rpc::error(None, rpc::PARSE_ERROR, &error.to_string())),
        }
    }
    respond(replies.into_response())
}

fn respond(response: RpcResponse) -> Response {
    let json = [(CONTENT_TYPE, "application/json")];
    match response {
        // Agents open their stream only after status 202.
        RpcResponse::Nothing => StatusCode::ACCEPTED.into_response(),
        RpcResponse::Reply(reply) => (json, reply).into_response(),
        RpcResponse::SessionCreated { session, reply } => {
            ([(SESSION_HEADER, session)], json, reply).into_response()
        }
        RpcResponse::SessionRequired => session_required(),
        RpcResponse::NoSuchSession => no_such_session(),
        RpcResponse::UnsupportedProtocol(reply) => json_error(StatusCode::BAD_REQUEST, reply),
        RpcResponse::TooManySessions(reply) => json_error(StatusCode::SERVICE_UNAVAILABLE, reply),
        RpcResponse::Stopping => stopping(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Events;

    #[tokio::test]
    async fn a_dropped_post_is_reported_as_read() {
        let (events, mut inbox) = Events::channel();
        let server =
            Arc::new(Server { events, max_body: 1024, proposals: Arc::default(), context_only: false });
        let request = Request::builder().header(SESSION_HEADER, "s").body(Body::empty()).unwrap();
        {
            let response = post_messages(State(server), Extension(Credential::Nothing), request);
            tokio::select! {
                biased;
                _ = response => panic!("the main loop has not answered"),
                () = std::future::ready(()) => {}
            }
        }
        assert!(matches!(inbox.recv().await, Some(Event::RequestStarted { .. })));
        assert!(matches!(inbox.recv().await, Some(Event::RequestRead { .. })));
    }

    #[tokio::test]
    async fn a_session_over_the_limit_gets_503_with_the_limit() {
        let (events, mut inbox) = Events::channel();
        let server =
            Arc::new(Server { events, max_body: 1024, proposals: Arc::default(), context_only: false });
        let params =
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{params}}}"#);
        let request = Request::builder().body(Body::from(body)).unwrap();
        let main_loop = async {
            let Some(Event::SessionWanted { answer, .. }) = inbox.recv().await else { panic!("no session") };
            answer.send(Err(crate::agents::session::SessionRefusal::Full)).unwrap();
        };
        let response = post_messages(State(server), Extension(Credential::Token(None)), request);
        let (response, ()) = tokio::join!(response, main_loop);
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["id"], 7);
        assert!(body["error"]["message"].as_str().unwrap().contains("4096"), "{body}");
    }
}
