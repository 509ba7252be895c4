//! An editor without a plugin: what it happens to leak becomes context, and a proposal becomes a document that it shows,
//! edits and decides with LSP's own means.

use std::path::Path;

use alongside_desk::{Event, Refusal, Revised};
use lsp_server::RequestId;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::Client;
use crate::io::{Asked, Io};

/// See the module.
#[derive(Debug)]
pub(crate) struct Plain {}

impl Plain {
    pub(crate) fn new(_: &Client) -> Self {
        Self {}
    }

    /// What `initialize` answers.
    pub(crate) fn capabilities(client: &Client) -> Value {
        json!({ "positionEncoding": client.encoding.name() })
    }

    pub(crate) fn joined(&mut self, _: &mut Io) {}

    pub(crate) fn notified(&mut self, _: &mut Io, _: &str, _: Value) {}

    pub(crate) fn requested(&mut self, _: &mut Io, _: &RequestId, _: &str, _: Value) -> bool {
        false
    }

    pub(crate) fn replied(&mut self, _: &mut Io, _: i32, _: Option<Value>) {}

    pub(crate) fn told(&mut self, _: &mut Io, _: Event) {}

    pub(crate) fn answered(&mut self, _: &mut Io, _: Asked, _: Result<Revised, Refusal>) {}

    pub(crate) fn gone(&mut self, _: &mut Io) {}

    pub(crate) fn deadline(&self) -> Option<Instant> {
        None
    }

    pub(crate) fn due(&mut self, _: &mut Io, _: Instant) {}

    pub(crate) fn is_own(&self, _: &Path) -> bool {
        false
    }
}
