//! Where a companion listens and what lets an agent in.

use alongside_agent::Endpoint;
use alongside_agent::wire::Caller;

use super::VERSION;

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
    pub(crate) fn call(&self, session: &str, tool: &str, arguments: &serde_json::Value) -> Vec<u8> {
        let params = serde_json::json!({ "name": tool, "arguments": arguments });
        let call = serde_json::json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.request(session, Some(call.to_string().as_bytes()))
    }
}
