//! The log into which agents' tasks write their proposals, with the present time of the round.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::chaos::project::Project;
use crate::chaos::record::{Departure, Proposal};

/// The log of proposals. Clones share the log.
#[derive(Debug, Clone)]
pub(super) struct ProposalLog {
    inner: Arc<Mutex<Inner>>,
    /// The files that agents write.
    pub(super) project: Project,
    /// The seed that chooses the agents that write another text than the decided one; `None` for none.
    pub(super) unruly: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    /// The time of the round, in milliseconds.
    pub(super) now: u64,
    pub(super) proposals: Vec<Proposal>,
    /// The number of changes so far.
    pub(super) activity: usize,
    /// Whether the round is over, so that later changes do not count.
    pub(super) is_closed: bool,
}

impl ProposalLog {
    pub(super) fn new(project: Project, unruly: Option<u64>) -> Self {
        Self { inner: Arc::default(), project, unruly }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the proposal with this index, unless the round is over. `change` gets the present time.
    pub(super) fn update(&self, proposal: usize, change: impl FnOnce(u64, &mut Proposal)) {
        let mut inner = self.lock();
        if !inner.is_closed {
            inner.activity += 1;
            let now = inner.now;
            change(now, &mut inner.proposals[proposal]);
        }
    }

    /// Records why an agent waits no longer, unless a reason is recorded.
    pub(super) fn record_departure(&self, proposal: usize, why: Departure) {
        self.update(proposal, |now, proposal| {
            proposal.departed.get_or_insert((now, why));
        });
    }
}
