//! The state of an agent in a round. It outlives the agent's process.

use std::sync::{Arc, Mutex, MutexGuard};

use super::agent::Agent;

pub(super) struct AgentSlot {
    /// The index of the agent's release.
    pub(super) release_index: usize,
    pub(super) agent: Option<Agent>,
    /// The number of the present connection.
    pub(super) connection: usize,
    /// The state of the present connection, which tasks update.
    pub(super) link: SharedLink,
    /// The index of the latest proposal.
    pub(super) latest: Option<usize>,
}

impl AgentSlot {
    pub(super) fn new(release_index: usize, agent: Agent) -> Self {
        Self { release_index, agent: Some(agent), connection: 0, link: SharedLink::default(), latest: None }
    }
}

/// The state of an agent's connection. Clones share the state.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedLink(Arc<Mutex<Link>>);

#[derive(Debug, Default)]
pub(super) struct Link {
    /// Whether the agent has found a companion.
    pub(super) is_connected: bool,
    /// Whether the agent searches for a companion.
    pub(super) is_searching: bool,
    /// The time at which the agent last lost its stream, in milliseconds of the round.
    pub(super) lost_at: u64,
}

impl SharedLink {
    pub(super) fn lock(&self) -> MutexGuard<'_, Link> {
        self.0.lock().expect("no writer panics")
    }

    /// Begins a search. Returns false if a search is in progress.
    pub(super) fn begin_search(&self, now: u64) -> bool {
        let mut link = self.lock();
        let begins = !link.is_searching;
        if begins {
            *link = Link { is_connected: false, is_searching: true, lost_at: now };
        }
        begins
    }
}
