//! An editor whose plugin speaks the desk protocol: its messages are carried over as they are, among LSP's
//! own.

use alongside_contract::rpc::Id;
use alongside_desk::socket::wire;
use alongside_desk::{ContextReport, Event, Request};
use lsp_server::{Message, RequestId};
use serde_json::{Value, json};

use crate::client::Client;
use crate::io::{Asked, Io};
use crate::session::stopped;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Plugin {
    /// What was reported last: a companion that is reached later has to hear it.
    context: Option<ContextReport>,
}

/// What `initialize` answers: none of LSP's own features, which would only compete with those of other
/// servers.
pub(crate) fn capabilities(client: &Client) -> Value {
    json!({
        "positionEncoding": client.encoding.name(),
        "textDocumentSync": { "openClose": false, "change": 0 },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        "experimental": { "alongside": { "protocol": alongside_desk::socket::PROTOCOL } },
    })
}

impl Plugin {
    /// The companion is there.
    pub(crate) fn joined(&mut self, io: &mut Io) {
        if let Some(context) = self.context.clone() {
            io.request(Asked::Nobody, Request::ChangeContext(context));
        }
    }

    /// The editor says or asks something of ours; true if it was.
    pub(crate) fn heard(&mut self, io: &mut Io, id: Option<&RequestId>, method: &str, params: Value) -> bool {
        if !method.starts_with("alongside/") {
            return false;
        }
        let params = serde_json::value::to_raw_value(&params).ok().filter(|params| params.get() != "null");
        let request = wire::read_request(method, params.as_deref());
        if let Ok(Some(Request::ChangeContext(context))) = &request {
            self.context = Some(context.clone());
        }
        match (request, id) {
            (Ok(Some(request)), Some(id)) => io.request(Asked::Plugin(id.clone()), request),
            (Ok(Some(request)), None) => io.request(Asked::Nobody, request),
            (Err(error), Some(id)) => io.refuse(id.clone(), error.code, error.message, None),
            (Ok(None), Some(id)) => io.reply(id.clone(), Value::Null),
            (Err(error), None) => {
                tracing::warn!(method, error = error.message, "the editor's plugin is not understood");
            }
            (Ok(None), None) => {}
        }
        true
    }

    /// The editor has answered one of our requests: it has nothing more to send.
    pub(crate) fn flushed(&self, io: &mut Io, id: &RequestId) {
        let id = match serde_json::to_value(id) {
            Ok(Value::String(id)) => Id::Text(id),
            _ => return,
        };
        if let Some(id) = wire::read_flushed(&id) {
            io.request(Asked::Nobody, Request::Flushed { id });
        }
    }

    /// The companion says something.
    pub(crate) fn told(&self, io: &Io, event: &Event) {
        match serde_json::from_str::<Message>(&wire::event(event)) {
            Ok(message) => io.send(message),
            Err(error) => tracing::error!(%error, "an event cannot be told"),
        }
    }

    /// The companion has stopped.
    pub(crate) fn gone(&self, io: &Io) {
        self.told(io, &Event::Problem(stopped()));
    }

    /// The companion has answered.
    pub(crate) fn answered(
        &self,
        io: &Io,
        id: RequestId,
        answer: Result<alongside_desk::Revised, alongside_desk::Refusal>,
    ) {
        match answer {
            Ok(revised) => io.reply(id, revised),
            Err(refusal) => {
                let data = serde_json::to_value(&refusal).ok();
                io.refuse(id, wire::REQUEST_FAILED, refusal.to_string(), data);
            }
        }
    }
}
