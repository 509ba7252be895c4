//! Counts unanswered `openDiff`s for each agent, so that one agent which hangs withholds no verdict on
//! another, and checks do not all wait in vain for the same answer.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bench::{Case, Checked, skip};
use crate::peer::Peer;

/// How often `openDiff` was not answered: other checks need not wait for that again and again.
#[derive(Default)]
pub(crate) struct Hangs {
    /// To an agent of a check after which no other one had joined. Once is no proof: it may have been what
    /// came before.
    newest: AtomicUsize,
    /// To one after which another had joined.
    older: AtomicUsize,
}

impl Hangs {
    /// Why it is of no use to try.
    fn why(&self, is_newest: bool) -> Option<&'static str> {
        match is_newest {
            true => (self.newest.load(Ordering::Relaxed) > 1).then_some("openDiff is not answered"),
            false => (self.older.load(Ordering::Relaxed) > 0)
                .then_some("with two agents connected, openDiff of the first one is not answered"),
        }
    }

    fn count(&self, is_newest: bool) {
        let count = if is_newest { &self.newest } else { &self.older };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Case<'_> {
    /// Remembers who joined last: some companions answer nobody else.
    pub(crate) fn joins(&self, peer: &Peer) {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&peer.session);
    }

    fn is_newest(&self, peer: &Peer) -> bool {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) == peer.session
    }

    /// Goes on only where this agent may expect an answer to `openDiff`.
    pub(crate) fn may_open(&self, peer: &Peer) -> Checked {
        self.bench.hangs.why(self.is_newest(peer)).map_or(Ok(()), skip)
    }

    /// `openDiff` of this agent was not answered.
    pub(crate) fn hung(&self, peer: &Peer) {
        self.bench.hangs.count(self.is_newest(peer));
    }
}
