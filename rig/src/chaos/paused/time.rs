//! The passing of time in a round: between two steps, companion, agents and desks run until nothing happens
//! any more, and then the clocks advance.

use std::time::Duration;

use anyhow::Result;

use super::companion::RunningCompanion;
use super::round::Round;
use super::timers::Due;
use crate::chaos::record::TroubleKind;

/// The turns of each event loop between two checks for activity.
const TURNS_PER_CHECK: usize = 6;
/// The largest number of checks, in case that the activity never ends.
const MAX_CHECKS: usize = 200;
/// The end time of a trouble that is not over.
pub(super) const OPEN: u64 = u64::MAX;

impl Round<'_> {
    /// Runs each event loop for so many turns.
    pub(super) fn turn(&mut self, turns: usize) {
        for _ in 0..turns {
            self.world.turn(1);
            if let Some(companion) = &self.companion {
                companion.turn(1);
            }
            self.poll();
        }
    }

    fn poll(&mut self) {
        self.poll_squatter();
        for desk in &mut self.desks {
            desk.receive(self.now, &mut self.record);
        }
        for (number, agent) in self.agents.iter_mut().enumerate() {
            agent.poll(&self.world);
            if agent.take_faults() > 0 {
                self.record.begin_trouble(TroubleKind::Link, Some(number), self.now, self.now);
            }
        }
    }

    /// Lets the squatter take free ports, and records the valid tokens that it received.
    fn poll_squatter(&mut self) {
        self.squatter.poll();
        // A companion that is ending does not listen any more, so its token is worthless.
        let live = self.companion.as_ref().filter(|companion| !companion.is_ending());
        if let Some(companion) = live.filter(|companion| self.squatter.tokens().contains(&companion.token)) {
            self.record.add_leak(companion.port);
        }
    }

    /// Returns a count that grows with every byte, event and reply.
    fn activity(&self) -> usize {
        let carried = self.agents.iter().filter_map(|agent| agent.proxy()).map(|proxy| proxy.carried());
        let received = self.desks.iter().map(|desk| desk.activity);
        carried.sum::<usize>() + received.sum::<usize>() + self.proposals.lock().activity
    }

    /// Runs each event loop until nothing happens any more.
    pub(super) fn settle(&mut self) {
        let mut checks_without_activity = 0;
        for _ in 0..MAX_CHECKS {
            let before = self.activity();
            self.world.turn(TURNS_PER_CHECK);
            if let Some(companion) = &self.companion {
                companion.turn(TURNS_PER_CHECK);
                companion.finish_blocking_work();
            }
            self.poll();
            if self.activity() == before {
                checks_without_activity += 1;
            } else {
                (checks_without_activity, self.last_activity) = (0, self.now);
            }
            // After a second without activity, one check is enough.
            if checks_without_activity == 2 || self.now - self.last_activity > 1_000 {
                break;
            }
        }
    }

    /// Lets time pass until `until`: in small steps while there is activity, in larger steps without.
    pub(super) fn pass(&mut self, until: u64) -> Result<()> {
        while self.now < until {
            self.settle();
            let step = match self.now - self.last_activity {
                0..300 => 10,
                300..3_000 => 50,
                _ => 250,
            };
            let hold_ends = self.agents.iter().filter_map(|agent| agent.held.map(|hold| hold.until));
            let freeze_ends = self.desks.iter().filter_map(|desk| desk.frozen_until);
            let next =
                self.timers.next().into_iter().chain(hold_ends).chain(freeze_ends).min().unwrap_or(OPEN);
            let to = until.min(self.now + step).min(next.max(self.now + 1));
            let by = Duration::from_millis(to - self.now);
            self.now = to;
            self.proposals.lock().now = to;
            self.world.advance(by);
            if let Some(companion) = &mut self.companion {
                companion.advance(by);
            }
            self.end_due_troubles()?;
        }
        Ok(())
    }

    /// Ends every trouble whose time is over.
    fn end_due_troubles(&mut self) -> Result<()> {
        let now = self.now;
        if self.timers.thaw.take_if(|at| *at <= now).is_some() {
            if let Some(companion) = &mut self.companion {
                companion.thaw();
            }
            self.last_activity = now;
        }
        if let Some(disk) = &mut self.small_disk {
            if self.timers.disk_freed.take_if(|at| *at <= now).is_some() {
                disk.free();
            }
            disk.fill_again();
        }
        for agent in &mut self.agents {
            if agent.held.is_some_and(|hold| hold.until <= now) {
                agent.release();
                self.last_activity = now;
            }
        }
        for desk in &mut self.desks {
            if desk.thaw(now, &mut self.record) {
                self.last_activity = now;
            }
        }
        if let Some(due) = self.timers.takeover.take_if(|due| due.at <= now) {
            self.record.troubles[due.trouble].until = now;
            if let Some(companion) = &self.companion {
                companion.take_over();
            }
            self.last_activity = now;
        }
        if let Some(due) = self.timers.squatter_leaves.take_if(|due| due.at <= now) {
            self.squatter.leave();
            self.record.troubles[due.trouble].until = now;
            self.last_activity = now;
        }
        if self.companion.as_ref().is_some_and(RunningCompanion::has_ended) {
            self.desks_lose_companion();
            self.companion = None;
            let troubles = &self.record.troubles;
            let last = troubles.len() - 1;
            let trouble = troubles.iter().rposition(|trouble| trouble.until == OPEN).unwrap_or(last);
            self.timers.restart = Some(Due { at: now + self.restart_delay, trouble });
        }
        if let Some(due) = self.timers.restart.take_if(|due| due.at <= now) {
            self.record.troubles[due.trouble].until = now;
            self.start_companion()?;
        }
        Ok(())
    }

    /// Starts a companion, and lets the desks of the last companion join it.
    fn start_companion(&mut self) -> Result<()> {
        let companion = RunningCompanion::start(self.directory.path(), self.port_hold.take())?;
        for (desk, rejoins) in self.desks.iter_mut().zip(&mut self.rejoining) {
            if std::mem::take(rejoins)
                && !desk.has_joined()
                && let Some(connection) = companion.join()
            {
                desk.join(connection, self.now, &mut self.record);
            }
        }
        self.companion = Some(companion);
        self.last_activity = self.now;
        Ok(())
    }

    /// Whether the companion is missing or ending, or a trouble is not over.
    pub(super) fn is_disturbed(&self) -> bool {
        self.companion.as_ref().is_none_or(RunningCompanion::is_ending)
            || self.timers.next().is_some()
            || self.agents.iter().any(|agent| agent.held.is_some())
            || self.desks.iter().any(|desk| desk.frozen_until.is_some())
    }
}
