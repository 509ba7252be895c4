//! An editor whose plugin speaks the desk protocol. Its messages pass through unchanged, among LSP's own.

use alongside_contract::rpc::Id;
use alongside_desk::socket::{PROTOCOL, wire};
use alongside_desk::{ContextReport, Event, Refusal, Request, Revised};
use lsp_server::{Message, RequestId};
use serde_json::{Value, json};

use crate::client::Client;
use crate::frontend::Frontend;
use crate::io::{Io, RequestOrigin};
use crate::problems;

#[derive(Debug, Default)]
pub(crate) struct PluginDesk {
    /// The last report, repeated to a companion that connects later.
    context: Option<ContextReport>,
}

/// The capabilities in the answer to `initialize`. LSP's own features would compete with other servers.
pub(crate) fn capabilities(client: &Client) -> Value {
    json!({
        "positionEncoding": client.encoding.name(),
        "textDocumentSync": { "openClose": false, "change": 0 },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        "experimental": { "alongside": { "protocol": PROTOCOL } },
    })
}

impl PluginDesk {
    /// Forwards a message of the plugin; false if it is none of the desk protocol.
    fn forward(&mut self, io: &mut Io, id: Option<&RequestId>, method: &str, params: &Value) -> bool {
        if !method.starts_with("alongside/") {
            return false;
        }
        let params = serde_json::value::to_raw_value(params).ok().filter(|params| params.get() != "null");
        let request = wire::read_request(method, params.as_deref());
        if let Ok(Some(Request::ChangeContext(context))) = &request {
            self.context = Some(context.clone());
        }
        match (request, id) {
            (Ok(Some(request)), Some(id)) => io.request(RequestOrigin::Plugin(id.clone()), request),
            (Ok(Some(request)), None) => io.request(RequestOrigin::Unawaited, request),
            (Err(error), Some(id)) => io.refuse(id.clone(), error.code, error.message, None),
            (Ok(None), Some(id)) => io.reply(id.clone(), Value::Null),
            (Err(error), None) => {
                tracing::warn!(method, error = error.message, "cannot read a message of the plugin");
            }
            (Ok(None), None) => {}
        }
        true
    }
}

impl Frontend for PluginDesk {
    fn connected(&mut self, io: &mut Io) {
        if let Some(context) = self.context.clone() {
            io.request(RequestOrigin::Unawaited, Request::ChangeContext(context));
        }
    }

    fn disconnected(&mut self, io: &mut Io) {
        self.handle_event(io, Event::Problem(problems::companion_stopped()));
    }

    fn handle_notification(&mut self, io: &mut Io, method: &str, params: Value) {
        self.forward(io, None, method, &params);
    }

    fn handle_request(&mut self, io: &mut Io, id: &RequestId, method: &str, params: Value) -> bool {
        self.forward(io, Some(id), method, &params)
    }

    /// The plugin has nothing more to send before a decision.
    fn handle_forwarded_response(&mut self, io: &mut Io, id: &RequestId) {
        let id = match serde_json::to_value(id) {
            Ok(Value::String(id)) => Id::Text(id),
            _ => return,
        };
        if let Some(id) = wire::read_flushed(&id) {
            io.request(RequestOrigin::Unawaited, Request::Flushed { id });
        }
    }

    fn handle_event(&mut self, io: &mut Io, event: Event) {
        match serde_json::from_str::<Message>(&wire::event(&event)) {
            Ok(message) => io.send(message),
            Err(error) => tracing::error!(%error, "cannot write an event"),
        }
    }

    fn handle_reply(&mut self, io: &mut Io, origin: RequestOrigin, reply: Result<Revised, Refusal>) {
        let RequestOrigin::Plugin(id) = origin else { return };
        match reply {
            Ok(revised) => io.reply(id, revised),
            Err(refusal) => {
                let data = serde_json::to_value(&refusal).ok();
                io.refuse(id, wire::REQUEST_FAILED, refusal.to_string(), data);
            }
        }
    }
}
