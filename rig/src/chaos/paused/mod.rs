//! The harness on a paused clock: the companion, agents, desks and proxies run in one process and on one
//! thread, on two paused clocks that advance in lock step. Agents and the companion exchange messages over
//! real sockets, for which the kernel needs no time on these clocks.

mod actions;
mod agent;
mod clock;
mod companion;
mod desk;
mod directory;
mod proposal_log;
mod round;
mod time;
mod timers;

use anyhow::Result;

use super::harness::Harness;
use super::oracle::Bounds;
use super::plan::Plan;
use super::record::Record;
use super::small_disk::SmallDisk;
use crate::wire::ReceiptFault;

/// Plays rounds on a paused clock.
#[derive(Debug)]
pub struct PausedHarness {
    fault: Option<ReceiptFault>,
    small_disk: Option<SmallDisk>,
}

impl Default for PausedHarness {
    fn default() -> Self {
        Self { fault: None, small_disk: SmallDisk::take() }
    }
}

impl PausedHarness {
    /// Creates a harness whose proxies falsify receipts, which chaos must detect.
    pub fn with(fault: ReceiptFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }
}

/// The time limits are tight, because the load of the machine does not slow a paused clock.
const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, settle: 4_000, clock_error: 300 };

impl Harness for PausedHarness {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        round::play(plan, self.fault, &mut self.small_disk, &BOUNDS)
    }

    fn bounds(&self) -> Bounds {
        BOUNDS
    }
}
