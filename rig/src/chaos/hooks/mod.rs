//! The harness of agents with hooks: the real program in a mount namespace, its desk for scripts, and agents
//! that run `alongside hook` and obey it by the rules that were measured with each agent.
//!
//! The agents are not programs here: a [`Player`](players::Player) has a row of the table of agents, and the
//! harness writes the files. So the script can make an agent disobey its hook, or give it a second hook. The
//! stories prove how the shipped agents handle an answer.

mod agent_slot;
mod answers;
mod call;
mod ending;
mod fault;
mod generator;
mod hook_process;
mod machine;
mod patches;
mod players;
mod retry;
mod round;
mod tools;
mod troubles;

use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::harness::Harness;
use super::oracle::Bounds;
use super::plan::Plan;
use super::record::Record;
pub use fault::HookFault;
use machine::Machine;
use round::Round;

/// Plays rounds one after the other. Dropping the harness ends its processes.
#[derive(Debug)]
pub struct HooksHarness {
    runtime: tokio::runtime::Runtime,
    machine: Arc<Machine>,
}

impl HooksHarness {
    /// Whether this user may make the mount namespace that the rounds need.
    pub fn can_play() -> bool {
        machine::can_be_made()
    }

    /// Creates a harness with a machine on which nothing runs.
    pub fn new() -> Result<Self> {
        Self::with(None)
    }

    /// Creates a harness whose hooks have this fault.
    pub fn with(fault: Option<HookFault>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("cannot start a runtime")?;
        let machine = Arc::new(runtime.block_on(Machine::new(fault))?);
        Ok(Self { runtime, machine })
    }
}

impl Harness for HooksHarness {
    fn play(&mut self, plan: &Plan) -> Result<Record> {
        self.runtime.block_on(async {
            let mut round = Round::begin(&self.machine, plan).await?;
            round.play().await?;
            round.end().await
        })
    }

    /// A killed host is back after a second, and hooks search for it for 3 s. The limits are twice that time,
    /// plus the delay of a loaded machine.
    fn bounds(&self) -> Bounds {
        Bounds { delivery: 8_000, receipt: 3_000, settle: 24_000, clock_error: 1_000 }
    }
}
