//! The desk of an editor whose plugin speaks the desk protocol. The plugin's messages pass through among
//! LSP's own: unchanged, or by way of a [`Presentation`] for a plugin that displays the server's labels and
//! messages.

use alongside_contract::rpc::{self, Id};
use alongside_desk::socket::{PROTOCOL, wire};
use alongside_desk::{ContextReport, Event, Refusal, Request, Revised};
use alongside_presentation::{Effect, Presentation, TextParams};
use lsp_server::{Message, Notification, RequestId};
use serde_json::{Value, json};

use crate::client::Client;
use crate::editor_desk::EditorDesk;
use crate::io::{Io, RequestOrigin};
use crate::problems;

#[derive(Debug)]
pub(crate) struct PluginDesk {
    /// The last report, repeated to a companion that connects later.
    context: Option<ContextReport>,
    /// For a plugin that displays the server's labels and messages.
    presentation: Option<Presentation<RequestId>>,
}

/// Returns the capabilities in the answer to `initialize`. None is a language feature, which would compete
/// with the servers of the language.
pub(crate) fn capabilities(client: &Client) -> Value {
    let mut capability = json!({ "protocol": client.protocol.unwrap_or(PROTOCOL) });
    if client.wants_presentation {
        capability["presentation"] = true.into();
    }
    if client.wants_display {
        capability["display"] = true.into();
    }
    json!({
        "positionEncoding": client.encoding.name(),
        "textDocumentSync": { "openClose": false, "change": 0 },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        "experimental": { "alongside": capability },
    })
}

impl PluginDesk {
    pub(crate) fn new(client: &Client) -> Self {
        let presentation = match client.wants_presentation {
            true => Some(Presentation::default()),
            false => client.wants_display.then(Presentation::of_exact_texts),
        };
        Self { context: None, presentation }
    }

    /// Forwards a message of the plugin; false if its method is not part of the desk protocol.
    fn forward(&mut self, io: &mut Io, id: Option<&RequestId>, method: &str, params: &Value) -> bool {
        if !method.starts_with("alongside/") {
            return false;
        }
        if let Some(presentation) = &mut self.presentation
            && let Some(text) = TextParams::read(method, params)
        {
            match (text, id) {
                (Ok(text), id) => carry_out(io, presentation.on_plugin_text(id.cloned(), &text)),
                (Err(error), Some(id)) => io.refuse(id.clone(), rpc::INVALID_PARAMS, error.to_string(), None),
                (Err(error), None) => tracing::warn!(method, %error, "cannot read a message of the plugin"),
            }
            return true;
        }
        let params = serde_json::value::to_raw_value(params).ok().filter(|params| params.get() != "null");
        let request = wire::read_request(method, params.as_deref());
        if let Ok(Some(Request::ChangeContext(context))) = &request {
            self.context = Some(context.clone());
        }
        match (request, id) {
            (Ok(Some(request)), Some(id)) => {
                if let Some(presentation) = &mut self.presentation {
                    presentation.on_plugin_request(id, &request);
                }
                io.request(RequestOrigin::Plugin(id.clone()), request);
            }
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

impl EditorDesk for PluginDesk {
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

    /// Takes the plugin's reply to `flush`, after which it has nothing more to send before a decision, or to
    /// a question for diagnostics.
    fn handle_forwarded_response(&mut self, io: &mut Io, id: &RequestId, result: Option<Value>) {
        let id = match serde_json::to_value(id) {
            Ok(Value::String(id)) => Id::Text(id),
            _ => return,
        };
        let result = result.and_then(|result| serde_json::value::to_raw_value(&result).ok());
        match (wire::read_reply(&id, result.as_deref()), &mut self.presentation) {
            (Some(Request::Flushed { id }), Some(presentation)) => carry_out(io, presentation.on_flushed(id)),
            (Some(request), _) => io.request(RequestOrigin::Unawaited, request),
            (None, _) => {}
        }
    }

    fn handle_event(&mut self, io: &mut Io, event: Event) {
        match &mut self.presentation {
            Some(presentation) => {
                carry_out(io, presentation.present(event));
                presentation.pack_texts();
            }
            None => send(io, serde_json::from_str(&wire::event(&event))),
        }
    }

    fn handle_reply(&mut self, io: &mut Io, origin: RequestOrigin, reply: Result<Revised, Refusal>) {
        match (origin, &mut self.presentation) {
            (RequestOrigin::Plugin(id), presentation) => {
                if let Some(presentation) = presentation {
                    presentation.on_request_reply(&id);
                }
                send_reply(io, id, reply);
            }
            (RequestOrigin::Edit(id), Some(presentation)) => {
                carry_out(io, presentation.on_text_reply(id, reply));
            }
            _ => {}
        }
    }
}

fn carry_out(io: &mut Io, effects: Vec<Effect<RequestId>>) {
    for effect in effects {
        match effect {
            Effect::Tell(message) => send_presented(io, message),
            Effect::Answer(id, reply) => send_reply(io, id, reply),
            Effect::PassOn(Some(id), request) => io.request(RequestOrigin::Plugin(id), request),
            Effect::PassOn(None, request) => io.request(RequestOrigin::Unawaited, request),
            Effect::SendText(id, request) => io.request(RequestOrigin::Edit(id), request),
        }
    }
}

/// Sends the plugin an event with its labels. A notification, as at every key press, is built without parsing
/// it again.
fn send_presented(io: &Io, mut message: Value) {
    match message["method"].as_str().map(str::to_owned) {
        Some(method) if message.get("id").is_none() => {
            io.send(Message::Notification(Notification { method, params: message["params"].take() }));
        }
        _ => send(io, serde_json::from_value(message)),
    }
}

/// Sends the plugin an event.
fn send(io: &Io, message: Result<Message, serde_json::Error>) {
    match message {
        Ok(message) => io.send(message),
        Err(error) => tracing::error!(%error, "cannot write an event"),
    }
}

/// Answers a request of the plugin.
fn send_reply(io: &Io, id: RequestId, reply: Result<Revised, Refusal>) {
    match reply {
        Ok(revised) => io.reply(id, revised),
        Err(refusal) => {
            let data = serde_json::to_value(&refusal).unwrap_or_default();
            io.refuse(id, wire::REQUEST_FAILED, refusal.to_string(), Some(data));
        }
    }
}

#[cfg(test)]
mod tests;
