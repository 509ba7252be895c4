//! An agent of a round: the player, and the call that it is busy with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use super::hook_process::{Leave, Running};
use super::players::Player;

/// An agent. A clone is the same agent.
#[derive(Debug, Clone)]
pub(super) struct AgentSlot {
    pub(super) number: usize,
    pub(super) player: &'static Player,
    /// The hook that it waits for.
    pub(super) running: Running,
    is_busy: Arc<AtomicBool>,
    leave: watch::Sender<Leave>,
}

impl AgentSlot {
    pub(super) fn new(number: usize, player: &'static Player) -> Self {
        let leave = watch::Sender::new(Leave::No);
        Self { number, player, running: Running::default(), is_busy: Arc::default(), leave }
    }

    /// Makes it busy with a call that ends when the receiver says so; `None` if it is busy.
    pub(super) fn begin(&self) -> Option<watch::Receiver<Leave>> {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.leave.send_replace(Leave::No);
        Some(self.leave.subscribe())
    }

    /// It is idle again.
    pub(super) fn end(&self) {
        self.is_busy.store(false, Ordering::Release);
    }

    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Acquire)
    }

    /// Ends its call in this way.
    pub(super) fn leave(&self, how: Leave) {
        self.leave.send_replace(how);
    }
}
