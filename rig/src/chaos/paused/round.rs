//! A round, from its start to its record.

use std::time::Duration;

use alongside_companion::PortHold;
use anyhow::{Context as _, Result};

use super::agent::Agent;
use super::clock::Clock;
use super::companion::RunningCompanion;
use super::desk::Desk;
use super::directory::RoundDirectory;
use super::proposal_log::ProposalLog;
use super::timers::Timers;
use crate::chaos::oracle::Bounds;
use crate::chaos::plan::{Action, Plan};
use crate::chaos::record::{Record, TroubleKind};
use crate::chaos::small_disk::SmallDisk;
use crate::chaos::squatter::Squatter;
use crate::wire::ReceiptFault;

/// The longest time until a companion has stopped, in milliseconds. It waits half a second for agents'
/// receipts.
const STOP_TIMEOUT: u64 = 3_000;

pub(super) fn play(
    plan: &Plan,
    fault: Option<ReceiptFault>,
    small_disk: &mut Option<SmallDisk>,
    bounds: &Bounds,
) -> Result<Record> {
    let mut round = Round::begin(plan, fault, small_disk.as_mut())?;
    for step in &plan.steps {
        round.pass(step.at)?;
        round.turn(step.loop_turns.into());
        if round.carry_out(step.action)? {
            round.record.steps += 1;
        }
    }
    round.finish_proposals(bounds)?;
    round.end()
}

pub(super) struct Round<'a> {
    /// The clock of agents, desks and proxies. Dropped before the companion, as at the end of a round.
    pub(super) world: Clock,
    pub(super) companion: Option<RunningCompanion>,
    pub(super) agents: Vec<Agent>,
    pub(super) desks: Vec<Desk>,
    /// Whether each desk has lost its companion and will join the next one.
    pub(super) rejoining: Vec<bool>,
    pub(super) record: Record,
    pub(super) proposals: ProposalLog,
    pub(super) directory: RoundDirectory,
    /// The disk that holds the companions' state, if it can be filled.
    pub(super) small_disk: Option<&'a mut SmallDisk>,
    /// The time of the round, in milliseconds.
    pub(super) now: u64,
    /// The time of the last activity.
    pub(super) last_activity: u64,
    pub(super) timers: Timers,
    /// The time from the end of an ending companion to the start of the next one, in milliseconds.
    pub(super) restart_delay: u64,
    /// The number of unique texts so far.
    pub(super) texts: usize,
    /// The desks' hold on the port of a companion that is gone.
    pub(super) port_hold: Option<PortHold>,
    pub(super) squatter: Squatter,
}

impl<'a> Round<'a> {
    fn begin(
        plan: &Plan,
        fault: Option<ReceiptFault>,
        mut small_disk: Option<&'a mut SmallDisk>,
    ) -> Result<Self> {
        let directory = RoundDirectory::new(plan.files)?;
        if let Some(disk) = &mut small_disk {
            disk.link(&directory.path().join("state"))?;
        }
        let proposals = ProposalLog::new(directory.project().clone(), plan.unruly.then_some(plan.seed));
        let companion = RunningCompanion::start(directory.path(), None)?;
        let agents = (0..plan.agents).map(|number| Agent::new(number, proposals.clone(), fault)).collect();
        let desks = (0..plan.desks).map(Desk::new).collect();
        let mut round = Self {
            world: Clock::new()?,
            companion: Some(companion),
            agents,
            desks,
            rejoining: vec![false; plan.desks],
            record: Record::default(),
            proposals,
            directory,
            small_disk,
            now: 0,
            last_activity: 0,
            timers: Timers::default(),
            restart_delay: 0,
            texts: 0,
            port_hold: None,
            squatter: Squatter::default(),
        };
        for desk in 0..plan.desks {
            round.carry_out(Action::JoinDesk { desk })?;
        }
        for agent in 0..plan.agents {
            round.carry_out(Action::StartAgent { agent })?;
        }
        round.settle();
        Ok(round)
    }

    /// Lets every disturbance end, rejects the waiting reviews at a new desk, and lets all outcomes arrive.
    fn finish_proposals(&mut self, bounds: &Bounds) -> Result<()> {
        for agent in &self.agents {
            if let Some(proxy) = agent.proxy() {
                proxy.disarm();
            }
        }
        while self.is_disturbed() {
            self.pass(self.now + 1_000)?;
        }
        self.pass(self.now + bounds.delivery)?;
        let last = self.desks.len();
        self.desks.push(Desk::new(last));
        self.rejoining.push(false);
        self.join(last);
        self.settle();
        for pick in 0..self.desks[last].review_count() {
            self.desks[last].decide(pick, false, self.now, &mut self.record);
        }
        self.pass(self.now + bounds.settle)?;
        self.settle();
        self.proposals.lock().is_closed = true;
        Ok(())
    }

    /// Stops the companion, ends the agents, and collects the files that are left.
    fn end(mut self) -> Result<Record> {
        if let Some(companion) = &mut self.companion {
            companion.end(TroubleKind::Stopped);
        }
        let deadline = self.now + STOP_TIMEOUT;
        let is_running = |companion: &RunningCompanion| !companion.has_ended();
        while self.companion.as_ref().is_some_and(is_running) && self.now < deadline {
            self.settle();
            self.now += 10;
            self.world.advance(Duration::from_millis(10));
            if let Some(companion) = &mut self.companion {
                companion.advance(Duration::from_millis(10));
            }
        }
        let outlasts = self.companion.as_ref().is_some_and(is_running);
        drop(self.companion);
        drop(self.desks);
        drop(self.agents);
        let mut leftovers = self.directory.leftovers().context("cannot read the round's directory")?;
        if outlasts {
            leftovers.strays.push(format!("the companion did not stop within {STOP_TIMEOUT} ms"));
        }
        let proposals = std::mem::take(&mut self.proposals.lock().proposals);
        Ok(Record { proposals, squats: self.squatter.taken, leftovers, ..self.record })
    }
}
