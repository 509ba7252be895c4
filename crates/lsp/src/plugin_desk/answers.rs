//! Answers to the requests of a plugin.

use alongside_desk::Refusal;
use alongside_desk::socket::wire;
use lsp_server::RequestId;
use serde_json::Value;

use crate::io::Io;

/// Refuses a request of the plugin. `text` is the one that the review has, if the plugin has another one.
pub(super) fn refuse(io: &Io, id: RequestId, refusal: &Refusal, text: Option<Value>) {
    let mut data = serde_json::to_value(refusal).unwrap_or_default();
    if let Some(text) = text {
        data["text"] = text;
    }
    io.refuse(id, wire::REQUEST_FAILED, refusal.to_string(), Some(data));
}
