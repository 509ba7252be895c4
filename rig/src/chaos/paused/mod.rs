//! The stage on which time is ours: the companion, agents, desks and proxies in one process and on one thread, each party on
//! a paused clock of its own, driven in lock step. Everything between agents and companion goes over real sockets, which
//! a kernel passes on at once; the rest of the world stands still meanwhile.

mod agent;
mod clock;
mod desk;
mod disk;
mod host;
mod round;

use anyhow::Result;

use super::{Bounds, Plan, Record, Stage};

/// See the module.
#[derive(Debug, Default)]
pub struct Paused;

/// On this clock nothing takes longer than it must.
const BOUNDS: Bounds = Bounds { delivery: 3_000, receipt: 1_000, calm: 4_000, grain: 300 };

impl Stage for Paused {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        round::play(plan, &BOUNDS)
    }

    fn bounds(&self) -> Bounds {
        BOUNDS
    }
}
