//! The headers that identify an agent: endpoint, token, session, and version.

use std::fmt;
use std::sync::Arc;

use alongside_contract::mcp::{SESSION_HEADER, VERSION_HEADER};

use super::Request;
use crate::endpoint::Endpoint;

/// An agent that sends requests to the MCP endpoint. Its `Debug` form omits the token.
#[derive(Clone)]
pub struct Caller {
    /// The companion.
    pub endpoint: Endpoint,
    /// The bearer token, if there is one.
    pub token: Option<Arc<str>>,
    /// The session id, if there is a session.
    pub session: Option<String>,
    /// The negotiated version of MCP, if there is a session.
    pub version: Option<String>,
}

impl Caller {
    /// Makes an agent without a session.
    pub fn new(endpoint: Endpoint, token: Option<&str>) -> Self {
        Self { endpoint, token: token.map(Arc::from), session: None, version: None }
    }

    /// Makes a request as agents do, with `Accept`, and for a POST with `Content-Type`.
    pub fn request(&self, method: &'static str) -> Request {
        let request = self.bare_request(method);
        match method {
            "GET" => request.with("accept", "text/event-stream"),
            "POST" => request
                .with("accept", "application/json, text/event-stream")
                .with("content-type", "application/json"),
            _ => request.with("accept", "application/json, text/event-stream"),
        }
    }

    /// Makes a request with only the headers that identify the caller.
    pub fn bare_request(&self, method: &'static str) -> Request {
        let headers = [
            ("authorization", self.token.as_ref().map(|token| format!("Bearer {token}"))),
            (SESSION_HEADER, self.session.clone()),
            (VERSION_HEADER, self.version.clone()),
        ];
        let request = Request::new(method, "/mcp").with("host", self.endpoint.authority());
        headers.into_iter().fold(request, |request, (name, value)| match value {
            Some(value) => request.with(name, value),
            None => request,
        })
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, session, version, token: _ } = self;
        let mut debug = f.debug_struct("Caller");
        debug.field("endpoint", endpoint).field("session", session).field("version", version);
        debug.finish_non_exhaustive()
    }
}
