//! The last changes of a document, to put late ones in order. Helix 25.01 sends each change from a separate
//! task, so the first of three keys may arrive last; its number tells where it belongs. The log rewinds the
//! later changes, and the document applies them again after it.

use std::collections::VecDeque;

use alongside_desk::Text;
use serde_json::Value;

/// The most changes that the log holds.
const MAX_CHANGES: usize = 16;
/// The most bytes of text that it holds, unless it has only [`MIN_CHANGES`].
const MAX_BYTES: usize = 4 << 20;
const MIN_CHANGES: usize = 2;

/// The last changes, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeLog(VecDeque<AppliedChange>);

#[derive(Debug, Clone)]
struct AppliedChange {
    /// The document's number before.
    from: i32,
    number: i32,
    text: Text,
    changes: Vec<Value>,
}

/// A document before the changes that a late one precedes.
#[derive(Debug)]
pub(super) struct Rewind {
    pub(crate) text: Text,
    pub(crate) version: i32,
    /// The changes to apply again after the late one, with their numbers.
    pub(crate) later: Vec<(i32, Vec<Value>)>,
}

impl ChangeLog {
    /// Removes and returns the changes that belong after `number`, if it fills a gap. Editors that restart
    /// their numbers leave no such gap.
    pub(super) fn rewind(&mut self, number: i32) -> Option<Rewind> {
        let at = self.0.iter().position(|change| change.from < number && number < change.number)?;
        let later = self.0.split_off(at);
        let (text, version) = later.front().map(|change| (change.text.clone(), change.from))?;
        let later = later.into_iter().map(|change| (change.number, change.changes)).collect();
        Some(Rewind { text, version, later })
    }

    /// Adds a change that is about to be applied to `text`.
    pub(super) fn record(&mut self, from: i32, number: i32, text: Text, changes: &[Value]) {
        let size = text.text().len().max(1);
        self.0.push_back(AppliedChange { from, number, text, changes: changes.to_vec() });
        let is_full = |log: &VecDeque<_>| log.len() > MAX_CHANGES || log.len() * size > MAX_BYTES;
        while self.0.len() > MIN_CHANGES && is_full(&self.0) {
            self.0.pop_front();
        }
    }
}
