//! The stage on which time is ours: the companion, agents, desks and proxies in one process and on one
//! thread, each party on a paused clock of its own, driven in lock step. Everything between agents and
//! companion goes over real sockets, which a kernel passes on at once; the rest of the world stands still
//! meanwhile.

mod agent;
mod clock;
mod desk;
mod disk;
mod host;
mod round;

use anyhow::Result;

use super::small::SmallDisk;
use super::{Bounds, Plan, Record, Stage};
use crate::wire::ReceiptFault;

/// See the module.
#[derive(Debug)]
pub struct Paused {
    fault: Option<ReceiptFault>,
    small: Option<SmallDisk>,
}

impl Default for Paused {
    fn default() -> Self {
        Self { fault: None, small: SmallDisk::take() }
    }
}

impl Paused {
    /// Plays with proxies that get receipts wrong: chaos must notice.
    pub fn with(fault: ReceiptFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }
}

/// On this clock nothing takes longer than it must.
const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, calm: 4_000, grain: 300 };

impl Stage for Paused {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        round::play(plan, self.fault, &mut self.small, &BOUNDS)
    }

    fn bounds(&self) -> Bounds {
        BOUNDS
    }
}
