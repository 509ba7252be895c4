//! The HTTP responses that refuse a request, each with a JSON-RPC error as its body.

use alongside_contract::rpc;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

pub(super) fn json_error(status: StatusCode, body: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}

pub(super) fn refusal(status: StatusCode, code: i64, why: &str) -> Response {
    json_error(status, rpc::error(None, code, why))
}

pub(super) fn bad_request(code: i64, why: &str) -> Response {
    refusal(StatusCode::BAD_REQUEST, code, why)
}

pub(super) fn no_such_session() -> Response {
    let why = "there is no such session here: initialize a new one";
    refusal(StatusCode::NOT_FOUND, rpc::SESSION_NOT_FOUND, why)
}

pub(super) fn session_required() -> Response {
    bad_request(rpc::INVALID_REQUEST, "the Mcp-Session-Id header is required")
}

pub(super) fn stopping() -> Response {
    refusal(StatusCode::SERVICE_UNAVAILABLE, rpc::INVALID_REQUEST, "the companion is stopping")
}
