//! Counts unanswered `openDiff`s for each agent, so that one agent which hangs withholds no verdict on
//! another, and checks do not all wait in vain for the same answer.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How often `openDiff` was not answered: other checks need not wait for that again and again.
#[derive(Default)]
pub(crate) struct Unanswered {
    /// To an agent of a check after which no other one had joined. Once is no proof: it may have been what
    /// came before.
    newest: AtomicUsize,
    /// To one after which another had joined.
    older: AtomicUsize,
}

impl Unanswered {
    /// Why it is of no use to try.
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
