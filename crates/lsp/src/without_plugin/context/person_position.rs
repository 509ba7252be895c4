//! The last known document and line of the person, proposals included.

use std::path::Path;

use alongside_desk::Position;
use serde_json::Value;

use crate::without_plugin::open_documents::document::DocumentKey;
use crate::without_plugin::open_documents::positions::{read_position, read_range};

/// The request whose range is the selection.
pub(crate) const CODE_ACTION: &str = "textDocument/codeAction";

#[derive(Debug, Default)]
pub(crate) struct PersonPosition(Option<(DocumentKey, Option<usize>)>);

impl PersonPosition {
    pub(crate) fn note(&mut self, key: &Path, line: Option<usize>) {
        self.0 = Some((key.to_owned(), line));
    }

    /// Records that the person has left this document.
    pub(crate) fn leave(&mut self, key: &Path) {
        self.0.take_if(|(place, _)| place == key);
    }

    pub(crate) fn document(&self) -> Option<&DocumentKey> {
        self.0.as_ref().map(|(key, _)| key)
    }

    /// Returns the last known line, if the person is in this document.
    pub(crate) fn line_in(&self, key: Option<&Path>) -> Option<usize> {
        let (place, line) = self.0.as_ref()?;
        line.filter(|_| key == Some(place))
    }
}

/// Returns the range that a request of the editor reveals: of the selection, for code actions, or from the
/// cursor to the cursor. A hover elsewhere than at the cursor is the mouse's.
pub(crate) fn revealed(method: &str, params: &Value, hovers_at_cursor: bool) -> Option<(Position, Position)> {
    match method {
        CODE_ACTION => read_range(params.get("range")?),
        "textDocument/hover" if !hovers_at_cursor => None,
        _ => params.get("position").and_then(read_position).map(|at| (at, at)),
    }
}

/// The trigger of a request for code actions, LSP's `CodeActionTriggerKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The editor does not say.
    Unknown,
    /// The person asked.
    Invoked,
    /// The editor asks automatically.
    Automatic,
}

impl Trigger {
    pub(crate) fn of(params: &Value) -> Self {
        match params.pointer("/context/triggerKind").and_then(Value::as_u64) {
            Some(1) => Self::Invoked,
            Some(2) => Self::Automatic,
            _ => Self::Unknown,
        }
    }
}
