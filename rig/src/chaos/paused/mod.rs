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

use alongside_companion::Builder;
#[cfg(debug_assertions)]
use alongside_companion::faults;
#[cfg(debug_assertions)]
pub use alongside_companion::faults::Fault;
use anyhow::Result;

use super::small::SmallDisk;
use super::{Bounds, Plan, Record, Stage};

/// See the module.
#[derive(Debug)]
pub struct Paused {
    which: fn(Builder) -> Builder,
    small: Option<SmallDisk>,
}

impl Default for Paused {
    fn default() -> Self {
        Self { which: |builder| builder, small: SmallDisk::take() }
    }
}

impl Paused {
    /// Plays against companions that get receipts wrong: chaos must notice.
    #[cfg(debug_assertions)]
    pub fn with(fault: Fault) -> Self {
        let which: fn(Builder) -> Builder = match fault {
            Fault::WrittenIsDelivered => |builder| faults::with(builder, Fault::WrittenIsDelivered),
            Fault::SentAgainBlindly => |builder| faults::with(builder, Fault::SentAgainBlindly),
        };
        Self { which, ..Self::default() }
    }
}

/// On this clock nothing takes longer than it must.
const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, calm: 4_000, grain: 300 };

impl Stage for Paused {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        round::play(plan, self.which, &mut self.small, &BOUNDS)
    }

    fn bounds(&self) -> Bounds {
        BOUNDS
    }
}
