//! The machine on which rounds follow each other: a sandbox, and a client of each release, because a start is
//! expensive. Every round begins on a machine without leftovers of the one before.

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

/// The most rounds of one agent process, whose history grows.
const MAX_ROUNDS: usize = 40;

/// A machine. Several of them run beside each other.
#[derive(Debug)]
pub(super) struct Machine {
    rig: Rig,
    pub(super) sandbox: Arc<Sandbox>,
    /// One agent of each release, and the number of its rounds.
    agents: [Option<(Agent, usize)>; RELEASES.len()],
    started: usize,
    /// The disk that holds the companions' state, if it can be filled.
    pub(super) small_disk: Option<SmallDisk>,
}

impl Machine {
    pub(super) fn new(rig: Rig) -> Self {
        let sandbox = Arc::new(Sandbox::new());
        Self { rig, sandbox, agents: Default::default(), started: 0, small_disk: SmallDisk::take() }
    }

    /// Moves the state directory to the small disk, if there is one.
    pub(super) fn link_small_disk(&mut self) -> Result<()> {
        let state = self.sandbox.home().join(".local/state");
        self.small_disk.as_mut().map_or(Ok(()), |disk| disk.link(&state))
    }

    /// The places of the agents of a round: as many releases as it has agents.
    pub(super) fn places(&self, plan: &Plan) -> Vec<usize> {
        let mut rng = Rng::new(plan.seed ^ 0x5eed);
        let mut places: Vec<usize> = (0..RELEASES.len()).collect();
        (0..plan.agents.min(places.len())).map(|_| places.remove(rng.index(places.len()))).collect()
    }

    /// The agent of that place, started if there is none.
    pub(super) async fn agent(&mut self, place: usize) -> Result<Agent> {
        if let Some((agent, rounds)) = &mut self.agents[place] {
            *rounds += 1;
            return Ok(agent.clone());
        }
        self.started += 1;
        let agent = Agent::start(&self.rig, &self.sandbox, RELEASES[place], self.started).await?;
        self.agents[place] = Some((agent.clone(), 1));
        Ok(agent)
    }

    /// Forgets an agent that is gone or stuck.
    pub(super) fn forget(&mut self, place: usize) {
        self.agents[place] = None;
    }

    /// Ends the agents that have played many rounds.
    pub(super) fn end_old_agents(&mut self) {
        for (agent, _) in
            self.agents.iter_mut().filter_map(|place| place.take_if(|(_, rounds)| *rounds >= MAX_ROUNDS))
        {
            agent.signal(rustix::process::Signal::KILL);
        }
    }

    /// The processes that stay between rounds: the agents and the shells above them.
    pub(super) fn kept_processes(&self) -> Vec<Pid> {
        let own = self.agents.iter().flatten().map(|(agent, _)| agent.pid());
        own.flat_map(|pid| [Some(pid), parent(pid)]).flatten().collect()
    }

    /// A cleaner deletes the content of the temporary directory.
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
