//! One round: steps are done when their time comes, and in between everybody runs until nothing moves.

use std::time::Duration;

use alongside_companion::PortHold;
use anyhow::{Context as _, Result};

use super::agent::{Agent, Notes};
use super::clock::Clock;
use super::desk::{Deeds, Desk};
use super::disk::Disk;
use super::host::Life;
use crate::chaos::record::{Kind, Trouble};
use crate::chaos::small::SmallDisk;
use crate::chaos::squatter::Squatter;
use crate::chaos::{Bounds, Plan, Record, What};
use crate::wire::{Fault, Kind as Request, ReceiptFault, Way};

/// How many turns everybody takes before it is looked whether anything moved.
const TURNS: usize = 6;
/// Something that goes on and on is not waited for.
const LONG_ENOUGH: usize = 200;
/// How long stopping may take: agents' receipts are waited for half a second.
const STOPPED_WITHIN: u64 = 3_000;
/// Not yet over.
const OPEN: u64 = u64::MAX;

pub(super) fn play(
    plan: &Plan,
    fault: Option<ReceiptFault>,
    small: &mut Option<SmallDisk>,
    bounds: &Bounds,
) -> Result<Record> {
    let mut round = Round::begin(plan, fault, small.as_mut())?;
    for step in &plan.steps {
        round.pass(step.at)?;
        round.turn(step.turns.into());
        if round.carry_out(step.what)? {
            round.steps += 1;
        }
    }
    round.come_to_rest(bounds)?;
    round.end()
}

struct Round<'a> {
    // The world is dropped before the companion, as at the end of a round.
    world: Clock,
    life: Option<Life>,
    agents: Vec<Agent>,
    desks: Vec<Desk>,
    /// Those who sat at a companion that is gone sit down at its successor.
    was_there: Vec<bool>,
    deeds: Deeds,
    notes: Notes,
    disk: Disk,
    /// Where companions keep their state, if that can be filled.
    small: Option<&'a mut SmallDisk>,
    /// Until when it is full.
    full: Option<u64>,
    now: u64,
    /// When anything moved last.
    moved: u64,
    troubles: Vec<Trouble>,
    /// When the companion comes back, by its trouble.
    back: Option<(u64, usize)>,
    /// How long after it has ended it comes back.
    back_after: u64,
    /// When it is taken over.
    shown: Option<(u64, usize)>,
    thawed: Option<u64>,
    marks: usize,
    steps: usize,
    strays: Vec<String>,
    /// Desks hold the port of a companion that is gone.
    hold: Option<PortHold>,
    squatter: Squatter,
    /// When the squatter goes, by its trouble.
    squats: Option<(u64, usize)>,
    leaks: Vec<String>,
}

impl<'a> Round<'a> {
    fn begin(plan: &Plan, fault: Option<ReceiptFault>, mut small: Option<&'a mut SmallDisk>) -> Result<Self> {
        let disk = Disk::new(plan.files)?;
        if let Some(small) = &mut small {
            small.lead(&disk.path().join("state"))?;
        }
        let notes = Notes::new(disk.project().clone());
        let life = Life::start(disk.path(), None)?;
        let agents = (0..plan.agents).map(|number| Agent::new(number, notes.clone(), fault)).collect();
        let desks = (0..plan.desks).map(Desk::new).collect();
        let mut round = Self {
            world: Clock::new()?,
            life: Some(life),
            agents,
            desks,
            was_there: vec![false; plan.desks],
            deeds: Deeds::default(),
            notes,
            disk,
            small,
            full: None,
            now: 0,
            moved: 0,
            troubles: Vec::new(),
            back: None,
            back_after: 0,
            shown: None,
            thawed: None,
            marks: 0,
            steps: 0,
            strays: Vec::new(),
            hold: None,
            squatter: Squatter::default(),
            squats: None,
            leaks: Vec::new(),
        };
        for desk in 0..plan.desks {
            round.carry_out(What::JoinDesk { desk })?;
        }
        for agent in 0..plan.agents {
            round.carry_out(What::StartAgent { agent })?;
        }
        round.settle();
        Ok(round)
    }

    /// Everybody takes so many turns.
    fn turn(&mut self, turns: usize) {
        for _ in 0..turns {
            self.world.turn(1);
            if let Some(life) = &self.life {
                life.turn(1);
            }
            self.hear();
        }
    }

    fn hear(&mut self) {
        self.squat();
        for desk in &mut self.desks {
            desk.hear(self.now, &mut self.deeds);
        }
        for number in 0..self.agents.len() {
            self.agents[number].look(&self.world);
            if self.agents[number].struck() > 0 {
                self.trouble(Kind::Link, Some(number), self.now);
            }
        }
    }

    /// The squatter takes what it can have, and may know nothing that is good.
    fn squat(&mut self) {
        self.squatter.poll();
        // One that is ending does not listen any more, and its token is good for nothing.
        let Some(life) = self.life.as_ref().filter(|life| !life.is_ending()) else { return };
        if self.squatter.heard().contains(&life.token) {
            let leak = format!("the token of the companion on port {} is known to a squatter", life.port);
            if !self.leaks.contains(&leak) {
                self.leaks.push(leak);
            }
        }
    }

    /// Whatever can be seen to move.
    fn activity(&self) -> usize {
        let carried = self.agents.iter().filter_map(|agent| agent.proxy()).map(|proxy| proxy.carried());
        let heard = self.desks.iter().map(|desk| desk.news);
        carried.sum::<usize>() + heard.sum::<usize>() + self.notes.book().news
    }

    /// Everybody runs until nothing moves.
    fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..LONG_ENOUGH {
            let before = self.activity();
            self.world.turn(TURNS);
            if let Some(life) = &self.life {
                life.turn(TURNS);
                life.until_written();
            }
            self.hear();
            if self.activity() == before {
                quiet += 1;
            } else {
                (quiet, self.moved) = (0, self.now);
            }
            // After a long silence one look is enough.
            if quiet == 2 || self.now - self.moved > 1_000 {
                break;
            }
        }
    }

    /// Time passes: in small pieces while something goes on, in larger ones while nothing does.
    fn pass(&mut self, until: u64) -> Result<()> {
        while self.now < until {
            // What the last step began takes its course.
            self.settle();
            let grain = match self.now - self.moved {
                0..300 => 10,
                300..3_000 => 50,
                _ => 250,
            };
            let (squats, full) = (self.squats.map(|(at, _)| at), self.full);
            let [back, shown] = [self.back, self.shown].map(|due| due.map(|(at, _)| at));
            let next = [back, shown, self.thawed, squats, full];
            let held = self.agents.iter().filter_map(|agent| agent.held.map(|(until, _)| until));
            let frozen = self.desks.iter().filter_map(|desk| desk.frozen_until);
            let next = next.into_iter().flatten().chain(held).chain(frozen).min().unwrap_or(OPEN);
            let to = until.min(self.now + grain).min(next.max(self.now + 1));
            let by = Duration::from_millis(to - self.now);
            self.now = to;
            self.notes.book().now = to;
            self.world.advance(by);
            if let Some(life) = &mut self.life {
                life.advance(by);
            }
            self.come_due()?;
        }
        Ok(())
    }

    /// Whatever was to last so long is over.
    fn come_due(&mut self) -> Result<()> {
        let now = self.now;
        if self.thawed.is_some_and(|at| at <= now) {
            self.thawed = None;
            if let Some(life) = &mut self.life {
                life.thaw();
            }
            self.moved = now;
        }
        if let Some(small) = &mut self.small {
            if self.full.take_if(|until| *until <= now).is_some() {
                small.free();
            }
            small.fill_again();
        }
        for agent in &mut self.agents {
            if agent.held.is_some_and(|(until, _)| until <= now) {
                agent.let_go();
                self.moved = now;
            }
        }
        for desk in &mut self.desks {
            if desk.frozen_until.is_some_and(|until| until <= now) {
                desk.frozen_until = None;
                self.moved = now;
            }
        }
        if let Some((at, trouble)) = self.shown
            && at <= now
        {
            self.shown = None;
            self.troubles[trouble].until = now;
            if let Some(life) = &self.life {
                life.show();
            }
            self.moved = now;
        }
        if let Some((_, trouble)) = self.squats.take_if(|(at, _)| *at <= now) {
            self.squatter.leave();
            self.troubles[trouble].until = now;
            self.moved = now;
        }
        if self.life.as_ref().is_some_and(Life::has_ended) {
            self.life = None;
            let ended = self.troubles.len() - 1;
            let trouble = self.troubles.iter().rposition(|one| one.until == OPEN).unwrap_or(ended);
            self.back = Some((now + self.back_after, trouble));
        }
        if let Some((at, trouble)) = self.back
            && at <= now
        {
            self.back = None;
            self.troubles[trouble].until = now;
            self.start()?;
        }
        Ok(())
    }

    /// A companion comes, and those who sat at the last one.
    fn start(&mut self) -> Result<()> {
        let life = Life::start(self.disk.path(), self.hold.take())?;
        for (desk, was_there) in self.desks.iter_mut().zip(&mut self.was_there) {
            if std::mem::take(was_there)
                && !desk.is_there()
                && let Some(seat) = life.join()
            {
                desk.sit(seat);
            }
        }
        self.life = Some(life);
        self.moved = self.now;
        Ok(())
    }

    /// The companion is gone, or will be: who sits there loses the seat.
    fn unseat(&mut self) {
        for (desk, was_there) in self.desks.iter_mut().zip(&mut self.was_there) {
            desk.hear(self.now, &mut self.deeds);
            *was_there |= desk.leave(false, self.now, &mut self.deeds);
        }
    }

    fn trouble(&mut self, kind: Kind, agent: Option<usize>, until: u64) -> usize {
        self.troubles.push(Trouble { kind, agent, from: self.now, until });
        self.troubles.len() - 1
    }

    fn mark(&mut self, what: &str) -> String {
        self.marks += 1;
        format!("{what} {} of this round", self.marks)
    }

    /// Whether a companion lives that is not on its way out.
    fn lives(&self) -> bool {
        self.life.as_ref().is_some_and(|life| !life.is_ending())
    }

    /// Does a step; false if it was void.
    fn carry_out(&mut self, what: What) -> Result<bool> {
        let now = self.now;
        self.moved = now;
        Ok(match what {
            What::Propose { agent, file } => self.propose(agent, file),
            What::Edit { desk, pick } => {
                let mark = self.mark("typed");
                self.desk(desk).is_some_and(|(desk, deeds)| desk.edit(pick, &mark, now, deeds))
            }
            What::Decide { desk, pick, accept } => {
                self.desk(desk).is_some_and(|(desk, deeds)| desk.decide(pick, accept, now, deeds))
            }
            What::Answer { agent } => {
                self.agents.get_mut(agent).is_some_and(|agent| agent.answer(&self.world))
            }
            What::EndAgent { agent, says_so } => {
                self.agents.get_mut(agent).is_some_and(|agent| agent.end(&self.world, says_so))
            }
            What::StartAgent { agent } => {
                let Some((agent, life)) = self.agents.get_mut(agent).zip(self.life.as_ref()) else {
                    return Ok(false);
                };
                agent.start(&self.world, life.port, &life.token)
            }
            What::LeaveDesk { desk, says_so } => {
                self.desk(desk).is_some_and(|(desk, deeds)| desk.leave(says_so, now, deeds))
            }
            What::JoinDesk { desk } => self.join(desk),
            What::Look { desk, file } => {
                let path = (file < self.files()).then(|| self.disk.file(file));
                path.is_some_and(|path| self.desks.get(desk).is_some_and(|desk| desk.look_at(&path)))
            }
            What::Rewrite { file } => {
                let mark = self.mark("rewritten");
                file < self.files() && self.disk.rewrite(self.now, file, &mark).map(|()| true)?
            }
            What::Kill { back } => self.kill(back),
            What::Stop { back } => self.end_companion(Kind::Stopped, back),
            What::HandOver { back } => self.end_companion(Kind::HandedOver, back),
            What::Hide { back } => {
                let hides = self.shown.is_none() && self.life.as_ref().is_some_and(Life::hide);
                if hides {
                    let trouble = self.trouble(Kind::Hidden, None, now + back);
                    self.shown = Some((now + back, trouble));
                }
                hides
            }
            What::Freeze { ms } => {
                let Some(life) = self.life.as_mut().filter(|life| !life.is_frozen()) else {
                    return Ok(false);
                };
                life.freeze();
                self.thawed = Some(now + ms);
                self.trouble(Kind::Frozen, None, now + ms);
                true
            }
            What::FreezeAgent { agent, ms } => self.hold(agent, ms, false, Kind::AgentFrozen),
            What::FreezeDesk { desk, ms } => {
                let desk = self.desks.get_mut(desk).filter(|desk| desk.frozen_until.is_none());
                desk.is_some_and(|desk| {
                    desk.frozen_until = Some(now + ms);
                    true
                })
            }
            What::Cut { agent } => self.cut(agent),
            What::CutAfter { agent, stream, up, bytes } => {
                let Some(proxy) = self.agents.get(agent).and_then(Agent::proxy) else { return Ok(false) };
                let kind = if stream { Request::Stream } else { Request::Post };
                proxy.arm(kind, if up { Way::Up } else { Way::Down }, bytes, Fault::Cut);
                true
            }
            What::Hold { agent, ms } => self.hold(agent, ms, false, Kind::Link),
            What::Stall { agent, ms } => self.hold(agent, ms, true, Kind::Link),
            What::Clean => {
                self.trouble(Kind::Cleaned, None, now);
                self.disk.clean();
                true
            }
            What::Squat { ms } => {
                let Some(life) = self.life.as_ref().filter(|_| self.squats.is_none()) else {
                    return Ok(false);
                };
                self.squatter.want(life.port);
                let trouble = self.trouble(Kind::Squatted, None, now + ms);
                self.squats = Some((now + ms, trouble));
                true
            }
            What::FillDisk { ms } => {
                let fills = self.small.as_mut().is_some_and(|small| small.fill());
                if fills {
                    self.full = Some(now + ms);
                    self.trouble(Kind::DiskFull, None, now + ms);
                }
                fills
            }
        })
    }

    fn files(&self) -> usize {
        self.disk.files()
    }

    fn desk(&mut self, desk: usize) -> Option<(&mut Desk, &mut Deeds)> {
        self.desks.get_mut(desk).map(|desk| (desk, &mut self.deeds))
    }

    fn propose(&mut self, agent: usize, file: usize) -> bool {
        if file >= self.files() || agent >= self.agents.len() {
            return false;
        }
        let mark = self.mark("proposal");
        let (path, text) = (self.disk.file(file), format!("one\n{mark}\n2\nthree\n"));
        self.agents[agent].propose(&self.world, &path, text, mark)
    }

    fn join(&mut self, desk: usize) -> bool {
        let free = self.desks.get(desk).is_some_and(|desk| !desk.is_there());
        let Some(seat) = self.life.as_ref().filter(|_| free).and_then(Life::join) else { return false };
        self.desks[desk].sit(seat);
        true
    }

    fn kill(&mut self, back: u64) -> bool {
        if !self.lives() {
            return false;
        }
        // Told what it was told; the rest is lost with the companion.
        self.unseat();
        self.hold_port();
        self.life = None;
        (self.thawed, self.shown) = (None, None);
        let trouble = self.trouble(Kind::Killed, None, OPEN);
        self.back = Some((self.now + back, trouble));
        true
    }

    /// Desks that are there, or were until now, go on holding the port.
    fn hold_port(&mut self) {
        let any = self.was_there.iter().any(|was| *was) || self.desks.iter().any(Desk::is_there);
        self.hold = self.life.as_ref().filter(|_| any).and_then(Life::hold);
    }

    fn end_companion(&mut self, how: Kind, back: u64) -> bool {
        self.hold_port();
        if !self.life.as_mut().is_some_and(|life| life.end(how)) {
            return false;
        }
        self.was_there = self.desks.iter().map(Desk::is_there).collect();
        self.back_after = back;
        self.trouble(how, None, OPEN);
        true
    }

    fn cut(&mut self, agent: Option<usize>) -> bool {
        let chosen = |number: usize| agent.is_none_or(|agent| agent == number);
        let mut cut = false;
        for number in 0..self.agents.len() {
            if let Some(proxy) = self.agents[number].proxy().filter(|_| chosen(number)) {
                proxy.cut();
                cut = true;
                self.trouble(Kind::Link, Some(number), self.now);
            }
        }
        cut
    }

    fn hold(&mut self, agent: usize, ms: u64, resets: bool, kind: Kind) -> bool {
        let until = self.now + ms;
        let Some(held) = self.agents.get_mut(agent).filter(|agent| agent.held.is_none()) else {
            return false;
        };
        let Some(proxy) = held.proxy() else { return false };
        proxy.hold(true);
        held.held = Some((until, resets));
        self.trouble(kind, Some(agent), until);
        true
    }

    /// Whatever is under way comes to its end; what still waits is rejected by a desk that comes; everything
    /// arrives.
    fn come_to_rest(&mut self, bounds: &Bounds) -> Result<()> {
        for agent in &self.agents {
            if let Some(proxy) = agent.proxy() {
                proxy.disarm();
            }
        }
        while self.is_under_way() {
            self.pass(self.now + 1_000)?;
        }
        self.pass(self.now + bounds.delivery)?;
        let last = self.desks.len();
        self.desks.push(Desk::new(last));
        self.was_there.push(false);
        self.join(last);
        self.settle();
        for pick in 0..self.desks[last].shows() {
            self.desks[last].decide(pick, false, self.now, &mut self.deeds);
        }
        self.pass(self.now + bounds.calm)?;
        self.settle();
        self.notes.book().is_closed = true;
        Ok(())
    }

    fn is_under_way(&self) -> bool {
        let ends = self.life.as_ref().is_none_or(Life::is_ending);
        let held = self.agents.iter().any(|agent| agent.held.is_some());
        let frozen = self.desks.iter().any(|desk| desk.frozen_until.is_some());
        ends || held
            || frozen
            || self.full.is_some()
            || self.thawed.is_some()
            || self.shown.is_some()
            || self.back.is_some()
            || self.squats.is_some()
    }

    /// The companion stops, agents go, and the disk is looked at.
    fn end(mut self) -> Result<Record> {
        if let Some(life) = &mut self.life {
            life.end(Kind::Stopped);
        }
        let patience = self.now + STOPPED_WITHIN;
        while self.life.as_ref().is_some_and(|life| !life.has_ended()) && self.now < patience {
            self.settle();
            self.now += 10;
            self.world.advance(Duration::from_millis(10));
            if let Some(life) = &mut self.life {
                life.advance(Duration::from_millis(10));
            }
        }
        if self.life.as_ref().is_some_and(|life| !life.has_ended()) {
            self.strays.push(format!("the companion did not stop within {STOPPED_WITHIN} ms"));
        }
        drop(self.life);
        drop(self.desks);
        drop(self.agents);
        let mut left = self.disk.left().context("the round's directory cannot be read")?;
        left.strays.append(&mut self.strays);
        let proposals = std::mem::take(&mut self.notes.book().proposals);
        let Deeds { edits, decisions } = self.deeds;
        let (troubles, steps, leaks, squats) = (self.troubles, self.steps, self.leaks, self.squatter.taken);
        Ok(Record { proposals, edits, decisions, troubles, squats, leaks, steps, left, aside: Vec::new() })
    }
}
