//! The harness with the shipped agents' own clients and the real program. Agents, desks and companions are
//! processes, which signals kill and freeze, on the machine's clock.
//!
//! Rounds follow each other on a [`Machine`](machine::Machine); several machines may run at the same time.

mod actions;
mod agenda;
mod agent;
mod agent_actions;
mod agent_slot;
mod companion_actions;
mod desk_actions;
mod discovery_files;
mod ending;
mod leftovers;
mod machine;
mod round;
mod shared_squatter;

use anyhow::{Context as _, Result};

use super::harness::Harness;
use super::oracle::{Bounds, Excuse, Rule};
use super::plan::Plan;
use super::record::{Outcome, Proposal, Record};
use crate::install::Rig;
use machine::Machine;
use round::Round;

/// Plays rounds one after the other. Dropping the harness ends its processes.
#[derive(Debug)]
pub struct RealHarness {
    runtime: tokio::runtime::Runtime,
    machine: Machine,
}

impl RealHarness {
    /// Creates a harness with a machine on which nothing runs.
    pub fn new(rig: Rig) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("cannot start a runtime")?;
        let guard = runtime.enter();
        let machine = Machine::new(rig);
        drop(guard);
        Ok(Self { runtime, machine })
    }
}

impl Harness for RealHarness {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        self.runtime.block_on(async {
            let mut round = Round::begin(&mut self.machine, plan).await?;
            round.play().await?;
            round.end().await
        })
    }

    /// Twice the clients' own time, plus the delay of a loaded machine.
    fn bounds(&self) -> Bounds {
        Bounds { delivery: 8_000, receipt: 3_000, settle: 14_000, clock_error: 1_000 }
    }

    fn excuses(&self) -> &[Excuse] {
        &EXCUSES
    }
}

/// Known defects of shipped clients.
const EXCUSES: [Excuse; 2] = [
    Excuse { rule: Rule::Invented, why: LISTENS_TO_BOTH, applies: is_decision_of_earlier_connection },
    Excuse { rule: Rule::Lost, why: LISTENS_TO_BOTH, applies: is_rejection_of_earlier_connection },
];

const LISTENS_TO_BOTH: &str = "after `/ide enable` on a live connection, every release listens to both \
    connections and takes the outcome of its older proposal for the same file";

/// Whether the rejection may belong to an older proposal without an outcome, whose review a trouble ended.
fn is_rejection_of_earlier_connection(proposal: &Proposal, record: &Record) -> bool {
    let Some((at, Outcome::Rejected)) = proposal.outcome else { return false };
    let mut without_outcome = record.proposals.iter().filter(|earlier| {
        let is_earlier = earlier.agent == proposal.agent && earlier.connection < proposal.connection;
        is_earlier && earlier.path == proposal.path && earlier.outcome.is_none()
    });
    without_outcome.any(|earlier| {
        record.troubles.iter().any(|trouble| {
            trouble.kind.ends_reviews() && trouble.from <= at && trouble.until >= earlier.asked
        })
    })
}

/// Whether the outcome may belong to a decision on an older proposal.
fn is_decision_of_earlier_connection(proposal: &Proposal, record: &Record) -> bool {
    let Some((_, outcome)) = &proposal.outcome else { return false };
    let earlier = record.proposals.iter().filter(|earlier| {
        earlier.agent == proposal.agent
            && earlier.path == proposal.path
            && earlier.connection < proposal.connection
    });
    let mut decisions = earlier.flat_map(|earlier| {
        record.decisions.iter().filter(move |decision| decision.proposal == earlier.marker)
    });
    decisions.any(|decision| match outcome {
        Outcome::Accepted(text) => decision.accept && decision.text == *text,
        Outcome::Rejected => !decision.accept,
    })
}
