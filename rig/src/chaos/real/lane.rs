//! What outlasts a round: a machine of its own, and on it a client of each release, for they are dear to
//! start. Rounds of one lane follow each other, and each begins on a machine on which nothing is left of the
//! one before.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use rustix::process::Pid;

use super::agent::Agent;
use crate::chaos::dice::Dice;
use crate::chaos::plan::Plan;
use crate::chaos::small::SmallDisk;
use crate::ide_client::RELEASES;
use crate::install::Rig;
use crate::sandbox::Sandbox;

/// An agent that has been through so many rounds is started anew: its history grows.
const ROUNDS: usize = 40;

/// See the module.
#[derive(Debug)]
pub(super) struct Lane {
    rig: Rig,
    pub(super) sandbox: Arc<Sandbox>,
    /// One of each release, and in how many rounds it was.
    agents: [Option<(Agent, usize)>; RELEASES.len()],
    started: usize,
    /// Where companions keep their state, if that can be filled.
    pub(super) small: Option<SmallDisk>,
}

impl Lane {
    pub(super) fn new(rig: Rig) -> Self {
        let sandbox = Arc::new(Sandbox::new());
        Self { rig, sandbox, agents: Default::default(), started: 0, small: SmallDisk::take() }
    }

    /// Has the state of a round lie on the small disk, if there is one.
    ///
    /// # Errors
    /// When it cannot.
    pub(super) fn lead_to_small_disk(&mut self) -> Result<()> {
        let state = self.sandbox.home().join(".local/state");
        self.small.as_mut().map_or(Ok(()), |small| small.lead(&state))
    }

    /// Which agents play in a round: as many releases as it has agents.
    pub(super) fn places(&self, plan: &Plan) -> Vec<usize> {
        let mut dice = Dice::new(plan.seed ^ 0x5eed);
        let mut places: Vec<usize> = (0..RELEASES.len()).collect();
        (0..plan.agents.min(places.len())).map(|_| places.remove(dice.index(places.len()))).collect()
    }

    /// The agent of that place, started if there is none.
    ///
    /// # Errors
    /// When its release cannot be loaded.
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

    /// An agent is gone, or is not to be used again.
    pub(super) fn lose(&mut self, place: usize) {
        self.agents[place] = None;
    }

    /// Ends those that have been through many rounds.
    pub(super) fn renew(&mut self) {
        for (agent, _) in
            self.agents.iter_mut().filter_map(|place| place.take_if(|(_, rounds)| *rounds >= ROUNDS))
        {
            agent.signal(rustix::process::Signal::KILL);
        }
    }

    /// The processes of the agents and of the shells above them.
    pub(super) fn kept(&self) -> Vec<Pid> {
        let own = self.agents.iter().flatten().filter_map(|(agent, _)| agent.pid());
        own.flat_map(|pid| [Some(pid), parent(pid)]).flatten().collect()
    }

    /// A cleaner takes what lies in the temporary directory.
    ///
    /// # Errors
    /// When it cannot.
    pub(super) fn clean(&self) -> Result<()> {
        empty(&self.sandbox.tmp())
    }

    /// Puts away what a round has left, once it was looked at.
    ///
    /// # Errors
    /// When it cannot.
    pub(super) fn tidy(&self) -> Result<()> {
        for directory in [
            self.sandbox.home().join(".local"),
            self.sandbox.home().join(".qwen"),
            self.sandbox.tmp(),
            self.sandbox.project(),
            self.sandbox.run().join("alongside"),
        ] {
            if directory.exists() {
                empty(&directory)?;
            }
        }
        Ok(())
    }
}

fn parent(pid: Pid) -> Option<Pid> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Pid::from_raw(line.trim().parse().ok()?)
}

fn empty(directory: &Path) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        // A companion may have taken it itself, or put something into it just now.
        let is_theirs = |error: &std::io::Error| {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty)
        };
        let removed = match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        match removed {
            Err(error) if !is_theirs(&error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
