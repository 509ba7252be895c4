//! The amount of load, and the state that agents, desk and report share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::counters::Counters;
use crate::wire::Address;

/// The amount of load.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The number of sessions that are open at once.
    pub sessions: usize,
    /// The length of the run, in seconds.
    pub seconds: u64,
    /// The average pause of an agent between two proposals.
    pub pace: Duration,
    /// Whether some agents end without the end of their session, and half of all agents at the end of the
    /// run. The companion frees such a session only after a minute.
    pub vanish: bool,
}

/// The phase of a run; phases never go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Play,
    /// Agents make no new proposals, and wait for the end of their open diffs. The person still moves the
    /// cursor.
    Settle,
    /// The person pauses, so that all agents can get the same last context.
    Compare,
    /// The agents end.
    Leave,
    Over,
}

/// The state that all agents share.
#[derive(Debug)]
pub(super) struct World {
    pub(super) address: Address,
    pub(super) project: PathBuf,
    /// The average pause between two proposals, in milliseconds.
    pub(super) pace: u64,
    pub(super) vanish: bool,
    pub(super) phase: watch::Sender<Phase>,
    pub(super) reports: Reports,
    pub(super) counters: Counters,
    /// The number of proposals so far, which is the number of the next one.
    pub(super) proposals: AtomicU64,
    /// The number of connected agents that the host has reported.
    pub(super) agents: AtomicUsize,
    pub(super) random: AtomicU64,
}

/// The time of each change that the desk has reported. The number of a change is the line of its cursor.
#[derive(Debug)]
pub(super) struct Reports(watch::Sender<Vec<Instant>>);

impl Default for Reports {
    fn default() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }
}

impl Reports {
    /// Adds a change that is reported now, and returns its number.
    pub(super) fn add(&self) -> u32 {
        let mut number = 0;
        self.0.send_modify(|reports| {
            reports.push(Instant::now());
            number = u32::try_from(reports.len()).unwrap_or(u32::MAX);
        });
        number
    }

    /// The time at which the change of this number was reported.
    pub(super) fn at(&self, number: u32) -> Option<Instant> {
        self.0.borrow().get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// The number of the newest change.
    pub(super) fn newest(&self) -> u32 {
        u32::try_from(self.0.borrow().len()).unwrap_or(u32::MAX)
    }
}
