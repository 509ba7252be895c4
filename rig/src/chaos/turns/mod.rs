//! The harness of turns: the real program on the machine's clock, its turn hooks, and people who then
//! comment, undo and send. Hooks are killed in the middle of a snapshot, hosts between an undo and its
//! message, desks with comments; two agents work at once; the disk of the store fills up.
//!
//! The agents are not programs here: the harness runs the hooks as agents do, and writes the files.

mod generator;
mod hook;
mod round;

use anyhow::Result;

use super::harness::Harness;
use super::oracle::Bounds;
use super::plan::Plan;
use super::record::Record;
use super::small_disk::{SmallDisk, are_mounted};
use round::Round;

/// Plays rounds one after the other.
#[derive(Debug, Default)]
pub struct TurnsHarness {
    /// The disk of the store, where small disks are mounted.
    disk: Option<SmallDisk>,
}

impl TurnsHarness {
    /// Whether the machine has git, which the rounds need.
    pub fn can_play() -> bool {
        std::process::Command::new("git").arg("--version").output().is_ok()
    }

    /// Creates a harness whose stores are on a small disk, if one is free.
    pub fn new() -> Self {
        Self { disk: are_mounted().then(SmallDisk::take).flatten() }
    }
}

impl Harness for TurnsHarness {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        let mut round = Round::begin(plan, self.disk.as_mut())?;
        round.play()?;
        round.end()
    }

    /// A turn hook gives up after 2.5 s.
    fn bounds(&self) -> Bounds {
        Bounds { delivery: 2_500, receipt: 2_500, settle: 0, clock_error: 2_000 }
    }
}
