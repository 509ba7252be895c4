//! Carries out the actions of a plan on the agents, desks and companion of a round.

use anyhow::Result;

use super::agent::{Agent, Hold};
use super::companion::RunningCompanion;
use super::desk::Desk;
use super::round::Round;
use super::time::OPEN;
use super::timers::Due;
use crate::chaos::large_text;
use crate::chaos::plan::Action;
use crate::chaos::record::{Record, TroubleKind};
use crate::wire::{Direction, Fault, Kind as Request};

impl Round<'_> {
    /// Carries out an action; false if it was void.
    pub(super) fn carry_out(&mut self, action: Action) -> Result<bool> {
        let now = self.now;
        self.last_activity = now;
        Ok(match action {
            Action::Propose { agent, file } => self.propose(agent, file),
            Action::Edit { desk, pick } => {
                let line = self.unique_text("typed");
                self.desk(desk).is_some_and(|(desk, record)| desk.edit(pick, &line, now, record))
            }
            Action::Decide { desk, pick, accept } => {
                self.desk(desk).is_some_and(|(desk, record)| desk.decide(pick, accept, now, record))
            }
            Action::Answer { agent } => {
                self.agents.get_mut(agent).is_some_and(|agent| agent.answer_in_prompt(&self.world))
            }
            Action::EndAgent { agent, says_so } => {
                self.agents.get_mut(agent).is_some_and(|agent| agent.end(&self.world, says_so))
            }
            Action::StartAgent { agent } => match (self.agents.get_mut(agent), &self.companion) {
                (Some(agent), Some(companion)) => agent.start(&self.world, companion.port, &companion.token),
                _ => false,
            },
            Action::LeaveDesk { desk, says_so } => {
                self.desk(desk).is_some_and(|(desk, record)| desk.leave(says_so, now, record))
            }
            Action::JoinDesk { desk } => self.join(desk),
            Action::Look { desk, file } => {
                let path = (file < self.directory.file_count()).then(|| self.directory.file(file));
                path.is_some_and(|path| self.desks.get(desk).is_some_and(|desk| desk.open_file(&path)))
            }
            Action::Rewrite { file } => {
                let line = self.unique_text("rewritten");
                file < self.directory.file_count()
                    && self.directory.rewrite(now, file, &line).map(|()| true)?
            }
            Action::Kill { back } => self.kill(back),
            Action::Stop { back } => self.end_companion(TroubleKind::Stopped, back),
            Action::HandOver { back } => self.end_companion(TroubleKind::HandedOver, back),
            Action::Hide { back } => self.hide(back),
            Action::Freeze { ms } => self.freeze(ms),
            Action::FreezeAgent { agent, ms } => self.hold(agent, ms, false, TroubleKind::AgentFrozen),
            Action::FreezeDesk { desk, ms } => {
                self.desk(desk).is_some_and(|(desk, record)| desk.freeze(now + ms, now, record))
            }
            Action::Cut { agent } => self.cut(agent),
            Action::CutAfter { agent, stream, up, bytes } => {
                let Some(proxy) = self.agents.get(agent).and_then(Agent::proxy) else { return Ok(false) };
                let kind = if stream { Request::Stream } else { Request::Post };
                proxy.arm(kind, if up { Direction::Up } else { Direction::Down }, bytes, Fault::Cut);
                true
            }
            Action::Hold { agent, ms } => self.hold(agent, ms, false, TroubleKind::Link),
            Action::Stall { agent, ms } => self.hold(agent, ms, true, TroubleKind::Link),
            Action::Clean => {
                self.trouble(TroubleKind::Cleaned, None, now);
                self.directory.clean();
                true
            }
            Action::Squat { ms } => self.squat(ms),
            Action::Call { .. }
            | Action::KillHook { .. }
            | Action::FreezeHook { .. }
            | Action::Drop { .. }
            | Action::Turn { .. }
            | Action::ReviewTurn { .. } => false,
            Action::FillDisk { ms } => {
                let fills = self.small_disk.as_mut().is_some_and(|disk| disk.fill());
                if fills {
                    self.timers.disk_freed = Some(now + ms);
                    self.trouble(TroubleKind::DiskFull, None, now + ms);
                }
                fills
            }
        })
    }

    fn trouble(&mut self, kind: TroubleKind, agent: Option<usize>, until: u64) -> usize {
        self.record.begin_trouble(kind, agent, self.now, until)
    }

    /// Returns a text that occurs nowhere else in the round.
    fn unique_text(&mut self, word: &str) -> String {
        self.texts += 1;
        format!("{word} {} of this round", self.texts)
    }

    fn desk(&mut self, desk: usize) -> Option<(&mut Desk, &mut Record)> {
        self.desks.get_mut(desk).map(|desk| (desk, &mut self.record))
    }

    fn propose(&mut self, agent: usize, file: usize) -> bool {
        if file >= self.directory.file_count() || agent >= self.agents.len() {
            return false;
        }
        let marker = self.unique_text("proposal");
        let text = format!("one\n{marker}\n2\nthree\n{}", large_text::last_lines(self.texts));
        let path = self.directory.file(file);
        self.agents[agent].propose(&self.world, &path, text, marker)
    }

    pub(super) fn join(&mut self, desk: usize) -> bool {
        let Some(desk) = self.desks.get_mut(desk).filter(|desk| !desk.has_joined()) else { return false };
        let connection = self.companion.as_ref().and_then(RunningCompanion::join);
        let joins = connection.is_some();
        if let Some(connection) = connection {
            desk.join(connection, self.now, &mut self.record);
        }
        joins
    }

    fn kill(&mut self, back: u64) -> bool {
        if self.companion.as_ref().is_none_or(RunningCompanion::is_ending) {
            return false;
        }
        self.desks_lose_companion();
        self.hold_port();
        self.companion = None;
        (self.timers.thaw, self.timers.takeover) = (None, None);
        let trouble = self.trouble(TroubleKind::Killed, None, OPEN);
        self.timers.restart = Some(Due { at: self.now + back, trouble });
        true
    }

    /// Lets the desks receive the messages that have arrived, and then lose their companion. Later messages
    /// are lost with the companion.
    pub(super) fn desks_lose_companion(&mut self) {
        for (desk, rejoins) in self.desks.iter_mut().zip(&mut self.rejoining) {
            desk.receive(self.now, &mut self.record);
            *rejoins |= desk.leave(false, self.now, &mut self.record);
        }
    }

    fn end_companion(&mut self, how: TroubleKind, back: u64) -> bool {
        self.hold_port();
        if !self.companion.as_mut().is_some_and(|companion| companion.end(how)) {
            return false;
        }
        self.restart_delay = back;
        self.trouble(how, None, OPEN);
        true
    }

    /// Holds the port of the ending companion, if desks have joined it or will rejoin.
    fn hold_port(&mut self) {
        let has_desk = self.rejoining.contains(&true) || self.desks.iter().any(Desk::has_joined);
        self.port_hold = self.companion.as_ref().filter(|_| has_desk).and_then(RunningCompanion::hold_port);
    }

    fn hide(&mut self, back: u64) -> bool {
        let hides =
            self.timers.takeover.is_none() && self.companion.as_ref().is_some_and(RunningCompanion::hide);
        if hides {
            let at = self.now + back;
            let trouble = self.trouble(TroubleKind::EditorGone, None, at);
            self.timers.takeover = Some(Due { at, trouble });
        }
        hides
    }

    fn freeze(&mut self, ms: u64) -> bool {
        let Some(companion) = self.companion.as_mut().filter(|companion| !companion.is_frozen()) else {
            return false;
        };
        companion.freeze();
        let until = self.now + ms;
        self.timers.thaw = Some(until);
        self.trouble(TroubleKind::Frozen, None, until);
        true
    }

    fn cut(&mut self, agent: Option<usize>) -> bool {
        let chosen = |number: usize| agent.is_none_or(|agent| agent == number);
        let mut cuts = false;
        for number in (0..self.agents.len()).filter(|number| chosen(*number)) {
            if let Some(proxy) = self.agents[number].proxy() {
                proxy.cut();
                cuts = true;
                self.trouble(TroubleKind::Link, Some(number), self.now);
            }
        }
        cuts
    }

    fn hold(&mut self, agent: usize, ms: u64, resets: bool, kind: TroubleKind) -> bool {
        let until = self.now + ms;
        let Some(held) = self.agents.get_mut(agent).filter(|agent| agent.held.is_none()) else {
            return false;
        };
        let Some(proxy) = held.proxy() else { return false };
        proxy.hold(true);
        held.held = Some(Hold { until, resets });
        self.trouble(kind, Some(agent), until);
        true
    }

    fn squat(&mut self, ms: u64) -> bool {
        let Some(companion) = self.companion.as_ref().filter(|_| self.timers.squatter_leaves.is_none())
        else {
            return false;
        };
        self.squatter.add_target(companion.port);
        let at = self.now + ms;
        let trouble = self.trouble(TroubleKind::Squatted, None, at);
        self.timers.squatter_leaves = Some(Due { at, trouble });
        true
    }
}
