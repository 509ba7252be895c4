//! An agent's place in a round, which outlasts the agent's process.

use std::sync::{Arc, Mutex, MutexGuard};

use super::agent::Agent;

pub(super) struct AgentSlot {
    /// The agent's place on the machine.
    pub(super) place: usize,
    pub(super) agent: Option<Agent>,
    /// The number of its present connection.
    pub(super) connection: usize,
    /// The state of that connection, which tasks update.
    pub(super) link: SharedLink,
    /// The index of its latest proposal.
    pub(super) latest: Option<usize>,
}

impl AgentSlot {
    pub(super) fn new(place: usize, agent: Agent) -> Self {
        Self { place, agent: Some(agent), connection: 0, link: SharedLink::default(), latest: None }
    }
}

/// The state of an agent's connection. A clone is the same state.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedLink(Arc<Mutex<Link>>);

#[derive(Debug, Default)]
pub(super) struct Link {
    /// Whether the agent has found a companion.
    pub(super) is_connected: bool,
    /// Whether the agent searches for a companion.
    pub(super) is_searching: bool,
    /// When the agent last lost its stream, in milliseconds of the round.
    pub(super) lost: u64,
}

impl SharedLink {
    pub(super) fn lock(&self) -> MutexGuard<'_, Link> {
        self.0.lock().expect("no writer panics")
    }

    /// Begins a search; false if one is under way.
    pub(super) fn begin_search(&self, now: u64) -> bool {
        let mut link = self.lock();
        let begins = !link.is_searching;
        if begins {
            *link = Link { is_connected: false, is_searching: true, lost: now };
        }
        begins
    }
}
