//! The port and the token of a companion.

use alongside_agent::Endpoint;
use alongside_agent::wire::Caller;
use serde_json::{Value, json};

/// The version of MCP that shipped agents propose.
pub const VERSION: &str = "2025-06-18";

/// The message that an agent sends after the response to [`initialize`].
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Returns the message with which a client of this name and release begins a session.
pub(crate) fn initialize(name: &str, release: &str, protocol: &str) -> String {
    let client = json!({ "name": name, "version": release });
    let params = json!({ "protocolVersion": protocol, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

/// A companion's port on this machine, and its token.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Address {
    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::local(self.port)
    }

    /// Returns the caller for this session; for an empty id, a caller without a session.
    pub(crate) fn caller(&self, session: &str) -> Caller {
        let caller = Caller::new(self.endpoint(), Some(&self.token));
        if session.is_empty() {
            return caller;
        }
        Caller { session: Some(session.to_owned()), version: Some(VERSION.to_owned()), ..caller }
    }

    /// Returns a whole request: with a body a POST, without one the GET of the stream.
    pub(crate) fn request(&self, session: &str, body: Option<&[u8]>) -> Vec<u8> {
        match body {
            Some(body) => self.caller(session).request("POST").body(body).bytes(),
            None => self.caller(session).request("GET").bytes(),
        }
    }

    /// Returns the request that calls a tool.
    pub(crate) fn call(&self, session: &str, tool: &str, arguments: &Value) -> Vec<u8> {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.request(session, Some(call.to_string().as_bytes()))
    }
}
