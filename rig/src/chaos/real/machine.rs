//! The machine on which rounds follow each other: a sandbox, and a client of each release, which stays
//! because its start takes a second. Every round begins without leftovers of the previous round.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use alongside_platform::process::look_up;
use anyhow::Result;
use rustix::process::Pid;

use super::agent::Agent;
use crate::chaos::plan::Plan;
use crate::chaos::small_disk::SmallDisk;
use crate::install::Rig;
use crate::release::RELEASES;
use crate::rng::Rng;
use crate::sandbox::Sandbox;

/// The largest number of rounds of an agent's process, because the agent's history grows.
const MAX_ROUNDS: usize = 40;

/// A machine. Several machines may run at the same time.
#[derive(Debug)]
pub(super) struct Machine {
    rig: Rig,
    pub(super) sandbox: Arc<Sandbox>,
    /// The agent of each release, with the number of its rounds.
    agents: [Option<(Agent, usize)>; RELEASES.len()],
    started_agents: usize,
    /// The disk that holds the companions' state, if it can be filled.
    pub(super) small_disk: Option<SmallDisk>,
}

impl Machine {
    pub(super) fn new(rig: Rig) -> Self {
        let sandbox = Arc::new(Sandbox::new());
        Self { rig, sandbox, agents: Default::default(), started_agents: 0, small_disk: SmallDisk::take() }
    }

    /// Moves the state directory to the small disk, if there is one.
    pub(super) fn link_small_disk(&mut self) -> Result<()> {
        let state = self.sandbox.home().join(".local/state");
        self.small_disk.as_mut().map_or(Ok(()), |disk| disk.link(&state))
    }

    /// Draws the releases of the agents of a round, each at most once. Returns their indices.
    pub(super) fn draw_releases(&self, plan: &Plan) -> Vec<usize> {
        let mut rng = Rng::new(plan.seed ^ 0x5eed);
        let mut indices: Vec<usize> = (0..RELEASES.len()).collect();
        (0..plan.agents.min(indices.len())).map(|_| indices.remove(rng.index(indices.len()))).collect()
    }

    /// Returns the agent of a release. Starts it if there is none.
    pub(super) async fn agent(&mut self, release_index: usize) -> Result<Agent> {
        if let Some((agent, rounds)) = &mut self.agents[release_index] {
            *rounds += 1;
            return Ok(agent.clone());
        }
        self.started_agents += 1;
        let agent =
            Agent::start(&self.rig, &self.sandbox, RELEASES[release_index], self.started_agents).await?;
        self.agents[release_index] = Some((agent.clone(), 1));
        Ok(agent)
    }

    /// Removes an agent that has ended or is to be killed.
    pub(super) fn remove_agent(&mut self, release_index: usize) {
        self.agents[release_index] = None;
    }

    /// Ends the agents that have played many rounds.
    pub(super) fn end_old_agents(&mut self) {
        for (agent, _) in
            self.agents.iter_mut().filter_map(|agent| agent.take_if(|(_, rounds)| *rounds >= MAX_ROUNDS))
        {
            agent.signal(rustix::process::Signal::KILL);
        }
    }

    /// Returns the processes that stay between rounds: the agents and their parents.
    pub(super) fn kept_processes(&self) -> Vec<Pid> {
        let own = self.agents.iter().flatten().map(|(agent, _)| agent.pid());
        own.flat_map(|pid| [Some(pid), parent(pid)]).flatten().collect()
    }

    /// Deletes the content of the temporary directory as a cleaner.
    pub(super) fn clean(&self) -> Result<()> {
        empty(&self.sandbox.tmp())
    }

    /// Deletes the leftovers of a round.
    pub(super) fn tidy(&self) -> Result<()> {
        for directory in [
            self.sandbox.home().join(".local"),
            self.sandbox.home().join(".qwen"),
            self.sandbox.tmp(),
            self.sandbox.project(),
            self.sandbox.hosts(),
        ] {
            if directory.exists() {
                empty(&directory)?;
            }
        }
        Ok(())
    }
}

fn parent(pid: Pid) -> Option<Pid> {
    let process = look_up(pid.as_raw_nonzero().get().try_into().ok()?)?;
    Pid::from_raw(process.parent.try_into().ok()?)
}

fn empty(directory: &Path) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // A companion may delete entries or add new ones meanwhile.
        let is_race = |error: &std::io::Error| {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty)
        };
        let removed = match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        match removed {
            Err(error) if !is_race(&error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
