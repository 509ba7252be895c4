//! The state that agents, desk and report share, and how much load there is.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::counters::Counters;
use crate::wire::Address;

/// The amount of load.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Sessions at once.
    pub sessions: usize,
    /// How long they play.
    pub seconds: u64,
    /// How long an agent pauses between two proposals, on average.
    pub pace: Duration,
    /// Whether some agents go without the end of their session, half of all at the end of the run. A minute
    /// goes by until the companion frees such a session.
    pub vanish: bool,
}

/// The phase of a run; phases never go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Play,
    /// Agents begin no more proposals, and wait for the end of those that are open. The person still works.
    Settle,
    /// The person pauses, so that all agents can get the same last context.
    Compare,
    /// The agents go.
    Leave,
    Over,
}

/// The state that all agents share.
#[derive(Debug)]
pub(super) struct World {
    pub(super) address: Address,
    pub(super) project: PathBuf,
    /// In milliseconds.
    pub(super) pace: u64,
    pub(super) vanish: bool,
    pub(super) phase: watch::Sender<Phase>,
    pub(super) reports: Reports,
    pub(super) counters: Counters,
    /// Proposals so far, which numbers them.
    pub(super) proposals: AtomicU64,
    /// Agents that the host says are connected.
    pub(super) agents: AtomicUsize,
    pub(super) random: AtomicU64,
}

/// The time of each change that was reported: its number is the line of the cursor.
#[derive(Debug)]
pub(super) struct Reports(watch::Sender<Vec<Instant>>);

impl Default for Reports {
    fn default() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }
}

impl Reports {
    /// Notes a change that is reported now, and returns its number.
    pub(super) fn add(&self) -> u32 {
        let mut number = 0;
        self.0.send_modify(|reports| {
            reports.push(Instant::now());
            number = u32::try_from(reports.len()).unwrap_or(u32::MAX);
        });
        number
    }

    /// When the change of this number was reported.
    pub(super) fn at(&self, number: u32) -> Option<Instant> {
        self.0.borrow().get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// The number of the newest change.
    pub(super) fn newest(&self) -> u32 {
        u32::try_from(self.0.borrow().len()).unwrap_or(u32::MAX)
    }
}
