//! The MCP headers of a request: its session and its protocol version.

use alongside_contract::mcp::{PROTOCOL_VERSIONS, SESSION_HEADER, VERSION_HEADER};
use alongside_contract::rpc;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::mcp::refusals::bad_request;

pub(super) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

pub(super) fn session_id(headers: &HeaderMap) -> Option<&str> {
    header(headers, SESSION_HEADER)
}

/// Returns the protocol version that a request names, or an error response if it is unknown.
pub(super) fn protocol_version(headers: &HeaderMap) -> Result<Option<&str>, Box<Response>> {
    match header(headers, VERSION_HEADER) {
        Some(version) if !PROTOCOL_VERSIONS.contains(&version) => {
            let supported = PROTOCOL_VERSIONS.join(", ");
            let why = format!("protocol version {version:?} is not spoken here, only {supported}");
            Err(Box::new(bad_request(rpc::INVALID_REQUEST, &why)))
        }
        version => Ok(version),
    }
}
