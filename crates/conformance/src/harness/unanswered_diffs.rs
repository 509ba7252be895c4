//! Counts unanswered `openDiff`s for each agent: a hanging agent must not prevent the verdict on another one,
//! and checks must not all wait in vain for the same answer.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of calls of `openDiff` without an answer, so that other checks need not wait for one again.
#[derive(Default)]
pub(crate) struct Unanswered {
    /// The calls of the agent that joined last. A single one proves nothing, because an earlier request may
    /// be the reason.
    newest: AtomicUsize,
    /// The calls of an agent after which another one joined.
    older: AtomicUsize,
}

impl Unanswered {
    /// Returns the reason why another call is of no use, if there is one.
    pub(crate) fn why(&self, is_newest: bool) -> Option<&'static str> {
        match is_newest {
            true => (self.newest.load(Ordering::Relaxed) > 1).then_some("openDiff is not answered"),
            false => (self.older.load(Ordering::Relaxed) > 0)
                .then_some("with two agents connected, openDiff of the first one is not answered"),
        }
    }

    pub(crate) fn count(&self, is_newest: bool) {
        let count = if is_newest { &self.newest } else { &self.older };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
