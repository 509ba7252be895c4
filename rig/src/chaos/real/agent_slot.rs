//! An agent's place in a round, which outlasts the agent's process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::agent::Agent;

pub(super) struct AgentSlot {
    /// The agent's place on the machine.
    pub(super) place: usize,
    pub(super) agent: Option<Agent>,
    /// The number of its present connection.
    pub(super) connection: usize,
    pub(super) link: Arc<LinkState>,
    /// The index of its latest proposal.
    pub(super) latest: Option<usize>,
}

impl AgentSlot {
    pub(super) fn new(place: usize, agent: Agent) -> Self {
        Self { place, agent: Some(agent), connection: 0, link: Arc::default(), latest: None }
    }
}

/// The state of an agent's connection, which its tasks update.
#[derive(Debug, Default)]
pub(super) struct LinkState {
    is_connected: AtomicBool,
    is_searching: AtomicBool,
    /// When the agent last lost its stream, in milliseconds of the round.
    lost: AtomicU64,
}

impl LinkState {
    /// Whether the agent has found a companion.
    pub(super) fn is_connected(&self) -> bool {
        self.is_connected.load(Ordering::Acquire)
    }

    /// Whether the agent searches for a companion.
    pub(super) fn is_searching(&self) -> bool {
        self.is_searching.load(Ordering::Acquire)
    }

    /// When the agent last lost its stream, in milliseconds of the round.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Acquire)
    }

    /// Begins a search; false if one is under way.
    pub(super) fn begin_search(&self, now: u64) -> bool {
        let begins = !self.is_searching.swap(true, Ordering::AcqRel);
        if begins {
            self.note_loss(now);
            self.note_disconnected();
        }
        begins
    }

    pub(super) fn end_search(&self, is_connected: bool) {
        self.is_connected.store(is_connected, Ordering::Release);
        self.is_searching.store(false, Ordering::Release);
    }

    pub(super) fn note_disconnected(&self) {
        self.is_connected.store(false, Ordering::Release);
    }

    pub(super) fn note_loss(&self, now: u64) {
        self.lost.store(now, Ordering::Release);
    }
}
