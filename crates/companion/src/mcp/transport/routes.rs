//! The routes of the endpoint. On `/mcp`, POST carries an agent's messages, GET opens its stream and DELETE
//! ends its session; on `/`, an agent opens its WebSocket; `/status` reports to our own tools whether a
//! companion lives, and its state. No request makes the companion use many times the request's size in
//! memory.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};

use super::headers::{protocol_version, session_id};
use super::post::post_messages;
use super::{stream, websocket};
use crate::agents::identity::Credential;
use crate::events::Event;
use crate::mcp::listening::gate::{Gate, gate};
use crate::mcp::refusals::{no_such_session, session_required, stopping};
use crate::mcp::server::Server;

/// Returns the routes behind the gate.
pub(crate) fn router(server: Arc<Server>, gatekeeper: Arc<Gate>) -> Router {
    Router::new()
        .route("/mcp", post(post_messages).get(open_stream).delete(end_session).head(refuse_head))
        .route("/status", get(status))
        .route("/", get(websocket::open))
        .with_state(server)
        .layer(middleware::from_fn_with_state(gatekeeper, gate))
}

async fn open_stream(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = protocol_version(&headers) {
        return *refusal;
    }
    let Some(session) = session_id(&headers) else {
        return session_required();
    };
    match server.events.ask(|answer| Event::StreamWanted { session: session.to_owned(), answer }).await {
        Some(Some(open)) => stream::response(open),
        Some(None) => no_such_session(),
        None => stopping(),
    }
}

/// Refuses HEAD, which would run the handler of GET and so take the stream from the agent.
async fn refuse_head() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, POST, DELETE")]).into_response()
}

async fn end_session(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    let Some(session) = session_id(&headers) else {
        return session_required();
    };
    match server.events.ask(|answer| Event::SessionEnded { session: session.to_owned(), answer }).await {
        Some(true) => StatusCode::OK.into_response(),
        Some(false) => no_such_session(),
        None => stopping(),
    }
}

/// Answers with the state as desks see it, without variables; without a token, also without the person's
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
