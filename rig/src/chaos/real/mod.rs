//! Rounds of chaos with the shipped agents' own clients and the real program: every party is a process,
//! killed and frozen by signals, and the machine's clock runs.
//!
//! A [`Lane`](lane::Lane) is a machine of its own on which rounds follow each other; several lanes run beside
//! each other.

mod agent;
mod desk;
mod ending;
mod hosts;
mod lane;
mod squat;
mod steps;
mod troubles;
mod world;

use anyhow::{Context as _, Result};

use super::Stage;
use super::oracle::{Bounds, Excuse, Rule};
use super::plan::Plan;
use super::record::{Kind, Outcome, Proposal, Record};
use crate::install::Rig;
use lane::Lane;
use world::World;

/// Plays rounds one after the other. Dropping it ends every process of it.
#[derive(Debug)]
pub struct Real {
    runtime: tokio::runtime::Runtime,
    lane: Lane,
}

impl Real {
    /// A machine on which nothing runs yet.
    ///
    /// # Errors
    /// When there can be no runtime.
    pub fn new(rig: Rig) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("cannot start a runtime")?;
        let _entered = runtime.enter();
        let lane = Lane::new(rig);
        drop(_entered);
        Ok(Self { runtime, lane })
    }
}

impl Stage for Real {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        self.runtime.block_on(async {
            let mut world = World::begin(&mut self.lane, plan).await?;
            world.play().await?;
            world.end().await
        })
    }

    /// Twice what clients need, and what a loaded machine takes.
    fn bounds(&self) -> Bounds {
        Bounds { delivery: 8_000, receipt: 3_000, calm: 14_000, grain: 1_000 }
    }

    fn excuses(&self) -> &[Excuse] {
        &EXCUSES
    }
}

/// What shipped clients do by themselves.
const EXCUSES: [Excuse; 2] = [
    Excuse { rule: Rule::Invented, why: LISTENS_TO_BOTH, holds: was_decided_in_an_earlier_life },
    Excuse { rule: Rule::Lost, why: LISTENS_TO_BOTH, holds: was_rejected_in_an_earlier_life },
];

const LISTENS_TO_BOTH: &str = "told `/ide enable` while its last connection lives, every release listens to both, and takes \
    what became of an older proposal of its own for the same file";

/// The older one was never told what became of it, and the companion ended under it.
fn was_rejected_in_an_earlier_life(proposal: &Proposal, record: &Record) -> bool {
    let Some((at, Outcome::Rejected)) = proposal.outcome else { return false };
    let mut untold = record.proposals.iter().filter(|earlier| {
        let is_earlier = earlier.agent == proposal.agent && earlier.life < proposal.life;
        is_earlier && earlier.path == proposal.path && earlier.outcome.is_none()
    });
    untold.any(|earlier| {
        record.troubles.iter().any(|trouble| {
            let ends = matches!(trouble.kind, Kind::Killed | Kind::HandedOver | Kind::Stopped | Kind::Hidden);
            ends && trouble.from <= at && trouble.until >= earlier.asked
        })
    })
}

fn was_decided_in_an_earlier_life(proposal: &Proposal, record: &Record) -> bool {
    let Some((_, outcome)) = &proposal.outcome else { return false };
    let earlier = record.proposals.iter().filter(|earlier| {
        earlier.agent == proposal.agent && earlier.path == proposal.path && earlier.life < proposal.life
    });
    let mut decisions = earlier.flat_map(|earlier| {
        record.decisions.iter().filter(move |decision| decision.proposal == earlier.mark)
    });
    decisions.any(|decision| match outcome {
        Outcome::Accepted(text) => decision.accept && decision.text == *text,
        Outcome::Rejected => !decision.accept,
    })
}
