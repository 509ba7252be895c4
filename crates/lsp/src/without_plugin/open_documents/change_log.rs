//! The last changes of a document, so that a change that arrives late can be put in its place. Helix 25.01
//! sends each change from a separate task: of three keys, the first may arrive last. The log removes the
//! changes with later versions, and the document applies them again after the late change.

use std::collections::VecDeque;

use alongside_desk::Text;
use serde_json::Value;

/// The most changes that the log holds.
const MAX_CHANGES: usize = 16;
/// The most bytes of text that the log holds, unless it has only [`MIN_CHANGES`]. The texts of one document
/// have about the same size, so the newest one stands for all.
const MAX_BYTES: usize = 4 << 20;
/// The number of changes that the log holds in any case, so that the first of three keys may arrive last.
const MIN_CHANGES: usize = 2;

/// The last changes, in the order of their versions.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeLog(VecDeque<AppliedChange>);

#[derive(Debug, Clone)]
struct AppliedChange {
    version_before: i32,
    version: i32,
    text_before: Text,
    changes: Vec<Value>,
}

/// The document as it was before the changes that come after a late one.
#[derive(Debug)]
pub(super) struct Rewind {
    pub(crate) text: Text,
    pub(crate) version: i32,
    /// The changes to apply again after the late one, with their versions.
    pub(crate) later: Vec<(i32, Vec<Value>)>,
}

impl ChangeLog {
    /// Removes and returns the changes that come after this version; `None` if it fills no gap between two
    /// versions, as after a restart of the editor's numbering.
    pub(super) fn rewind(&mut self, version: i32) -> Option<Rewind> {
        let at =
            self.0.iter().position(|change| change.version_before < version && version < change.version)?;
        let later = self.0.split_off(at);
        let (text, version) =
            later.front().map(|change| (change.text_before.clone(), change.version_before))?;
        let later = later.into_iter().map(|change| (change.version, change.changes)).collect();
        Some(Rewind { text, version, later })
    }

    /// Adds a change that is about to be applied to `text_before`.
    pub(super) fn record(&mut self, version_before: i32, version: i32, text_before: Text, changes: &[Value]) {
        let size = text_before.text().len().max(1);
        self.0.push_back(AppliedChange { version_before, version, text_before, changes: changes.to_vec() });
        let is_full = |log: &VecDeque<_>| log.len() > MAX_CHANGES || log.len() * size > MAX_BYTES;
        while self.0.len() > MIN_CHANGES && is_full(&self.0) {
            self.0.pop_front();
        }
    }
}
