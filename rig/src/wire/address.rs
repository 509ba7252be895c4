//! Where a companion listens and what lets an agent in.

use alongside_agent::Endpoint;
use alongside_agent::wire::Caller;
use serde_json::{Value, json};

/// The version of MCP that shipped agents propose.
pub const VERSION: &str = "2025-06-18";

/// The message that follows the answer to [`initialize`].
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The message with which a client of this name and release begins a session.
pub(crate) fn initialize(name: &str, release: &str, protocol: &str) -> String {
    let client = json!({ "name": name, "version": release });
    let params = json!({ "protocolVersion": protocol, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

/// A port of this machine, and the token that goes with it.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Address {
    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::local(self.port)
    }

    /// The agent of this session; without one, for an empty id.
    pub(crate) fn caller(&self, session: &str) -> Caller {
        let caller = Caller::new(self.endpoint(), Some(&self.token));
        if session.is_empty() {
            return caller;
        }
        Caller { session: Some(session.to_owned()), version: Some(VERSION.to_owned()), ..caller }
    }

    /// A whole request: a POST if there is a body, a GET of the stream otherwise.
    pub(crate) fn request(&self, session: &str, body: Option<&[u8]>) -> Vec<u8> {
        match body {
            Some(body) => self.caller(session).request("POST").body(body).bytes(),
            None => self.caller(session).request("GET").bytes(),
        }
    }

    /// A call of a tool, as a request.
    pub(crate) fn call(&self, session: &str, tool: &str, arguments: &Value) -> Vec<u8> {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.request(session, Some(call.to_string().as_bytes()))
    }
}
