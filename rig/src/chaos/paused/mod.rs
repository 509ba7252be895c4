//! The harness on a paused clock: the companion, agents, desks and proxies run in one process and on one
//! thread. Each party has a paused clock of its own, and all are driven in lock step. Agents and companion
//! talk over real sockets, which the kernel serves at once; everything else stands still meanwhile.

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
    /// Plays with proxies that break receipts, which chaos must notice.
    pub fn with(fault: ReceiptFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }
}

/// On a paused clock nothing takes longer than it must.
const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, calm: 4_000, grain: 300 };

impl Harness for PausedHarness {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        round::play(plan, self.fault, &mut self.small_disk, &BOUNDS)
    }

    fn bounds(&self) -> Bounds {
        BOUNDS
    }
}
