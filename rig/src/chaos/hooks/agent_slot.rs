//! An agent of a round with hooks: its player, and the state of its present call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use super::hook_process::{CallEnd, RunningHookPid};
use super::players::Player;

/// An agent. Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct AgentSlot {
    pub(super) number: usize,
    pub(super) player: &'static Player,
    /// The process of the hook that the agent waits for.
    pub(super) running: RunningHookPid,
    is_busy: Arc<AtomicBool>,
    call_end: watch::Sender<CallEnd>,
}

impl AgentSlot {
    pub(super) fn new(number: usize, player: &'static Player) -> Self {
        let call_end = watch::Sender::new(CallEnd::Pending);
        Self { number, player, running: RunningHookPid::default(), is_busy: Arc::default(), call_end }
    }

    /// Begins a call. Returns the receiver of the way in which the script ends the call; `None` if the agent
    /// is busy.
    pub(super) fn begin_call(&self) -> Option<watch::Receiver<CallEnd>> {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.call_end.send_replace(CallEnd::Pending);
        Some(self.call_end.subscribe())
    }

    /// Makes the agent idle again.
    pub(super) fn finish_call(&self) {
        self.is_busy.store(false, Ordering::Release);
    }

    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Acquire)
    }

    /// Ends the agent's call in this way.
    pub(super) fn end_call(&self, end: CallEnd) {
        self.call_end.send_replace(end);
    }
}
