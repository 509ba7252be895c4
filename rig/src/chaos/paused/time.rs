//! How time passes in a round: between two steps every party runs until nothing moves, then the clocks
//! advance.

use std::time::Duration;

use anyhow::Result;

use super::companion::RunningCompanion;
use super::round::Round;
use super::timers::Due;
use crate::chaos::record::TroubleKind;

/// Event-loop turns of every party between two looks for activity.
const TURNS: usize = 6;
/// Rounds of turns after which a party that never falls silent is no longer waited for.
const MAX_SETTLE_ROUNDS: usize = 200;
/// The end of a trouble that is not over.
pub(super) const OPEN: u64 = u64::MAX;

impl Round<'_> {
    /// Every party takes so many turns.
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

    /// The squatter takes free ports; no token that it receives may be valid.
    fn poll_squatter(&mut self) {
        self.squatter.poll();
        // An ending companion no longer listens, so that its token is worthless.
        let live = self.companion.as_ref().filter(|companion| !companion.is_ending());
        if let Some(companion) = live.filter(|companion| self.squatter.tokens().contains(&companion.token)) {
            self.record.note_leak(companion.port);
        }
    }

    /// A count that grows with everything that moves.
    fn activity(&self) -> usize {
        let carried = self.agents.iter().filter_map(|agent| agent.proxy()).map(|proxy| proxy.carried());
        let received = self.desks.iter().map(|desk| desk.activity);
        carried.sum::<usize>() + received.sum::<usize>() + self.proposals.lock().activity
    }

    /// Every party runs until nothing moves.
    pub(super) fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..MAX_SETTLE_ROUNDS {
            let before = self.activity();
            self.world.turn(TURNS);
            if let Some(companion) = &self.companion {
                companion.turn(TURNS);
                companion.finish_blocking_work();
            }
            self.poll();
            if self.activity() == before {
                quiet += 1;
            } else {
                (quiet, self.last_activity) = (0, self.now);
            }
            // After a long silence one look is enough.
            if quiet == 2 || self.now - self.last_activity > 1_000 {
                break;
            }
        }
    }

    /// Time passes: in small pieces while something moves, in larger ones while nothing does.
    pub(super) fn pass(&mut self, until: u64) -> Result<()> {
        while self.now < until {
            self.settle();
            let grain = match self.now - self.last_activity {
                0..300 => 10,
                300..3_000 => 50,
                _ => 250,
            };
            let held = self.agents.iter().filter_map(|agent| agent.held.map(|hold| hold.until));
            let frozen = self.desks.iter().filter_map(|desk| desk.frozen_until);
            let next = self.timers.next().into_iter().chain(held).chain(frozen).min().unwrap_or(OPEN);
            let to = until.min(self.now + grain).min(next.max(self.now + 1));
            let by = Duration::from_millis(to - self.now);
            self.now = to;
            self.proposals.lock().now = to;
            self.world.advance(by);
            if let Some(companion) = &mut self.companion {
                companion.advance(by);
            }
            self.come_due()?;
        }
        Ok(())
    }

    /// Ends everything whose time is over.
    fn come_due(&mut self) -> Result<()> {
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

    /// Starts a companion, which the desks of the last one join.
    fn start_companion(&mut self) -> Result<()> {
        let companion = RunningCompanion::start(self.directory.path(), self.port_hold.take())?;
        for (desk, rejoins) in self.desks.iter_mut().zip(&mut self.rejoining) {
            if std::mem::take(rejoins)
                && !desk.has_joined()
                && let Some(seat) = companion.join()
            {
                desk.join(seat, self.now, &mut self.record);
            }
        }
        self.companion = Some(companion);
        self.last_activity = self.now;
        Ok(())
    }

    /// Whether anything still has to end by itself.
    pub(super) fn is_under_way(&self) -> bool {
        self.companion.as_ref().is_none_or(RunningCompanion::is_ending)
            || self.timers.next().is_some()
            || self.agents.iter().any(|agent| agent.held.is_some())
            || self.desks.iter().any(|desk| desk.frozen_until.is_some())
    }
}
