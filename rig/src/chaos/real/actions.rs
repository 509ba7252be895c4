//! Handles the events of a round, and carries out the actions of its plan.

use anyhow::Result;
use rustix::process::Signal;

use super::agenda::Event;
use super::round::{ORIGINAL, Round};
use crate::chaos::plan::Action;
use crate::chaos::processes::{signal, signal_companions};
use crate::chaos::record::TroubleKind;
use crate::chaos::small_disk::SmallDisk;

impl Round<'_> {
    /// Handles an event.
    pub(super) async fn handle(&mut self, event: Event) -> Result<()> {
        self.machine.small_disk.iter().for_each(SmallDisk::fill_again);
        match event {
            Event::Step(action) => {
                let was_carried_out = self.carry_out(action).await?;
                self.record.lock().steps += usize::from(was_carried_out);
            }
            Event::Thaw(pids, trouble) => {
                for pid in pids {
                    signal(pid, Signal::CONT);
                }
                if let Some(trouble) = trouble {
                    self.record.end_trouble(trouble);
                }
            }
            Event::Release { agent, trouble, cut } => {
                for proxy in self.proxies(Some(agent)) {
                    if cut {
                        proxy.cut();
                    }
                    proxy.hold(false);
                }
                self.record.end_trouble(trouble);
            }
            Event::SquatterLeaves(trouble) => {
                self.squatter.lock().leave();
                self.record.end_trouble(trouble);
            }
            Event::Join(desk) => self.rejoin(desk)?,
            Event::FreeDisk(trouble) => {
                self.machine.small_disk.iter_mut().for_each(SmallDisk::free);
                self.record.end_trouble(trouble);
            }
            Event::Enable(agent) => {
                if self.waiting(agent).is_none() {
                    self.enable(agent);
                }
            }
        }
        Ok(())
    }

    /// Carries out an action. Returns false if it was void.
    async fn carry_out(&mut self, action: Action) -> Result<bool> {
        Ok(match action {
            Action::Propose { agent, file } => self.propose(agent, file),
            Action::Edit { desk, pick } => self.people.edit(desk, pick),
            Action::Decide { desk, pick, accept } => self.people.decide(desk, pick, accept),
            Action::Answer { agent } => self.answer_in_prompt(agent),
            Action::EndAgent { agent, says_so } => self.end_agent(agent, says_so),
            Action::StartAgent { agent } => self.start_agent(agent).await?,
            Action::LeaveDesk { desk, says_so } => self.leave(desk, says_so),
            Action::JoinDesk { desk } => {
                let is_away = self.people.desk(desk).is_none();
                if is_away {
                    self.rejoin(desk)?;
                }
                is_away
            }
            Action::Look { desk, file } => self.open_file(desk, file),
            Action::Rewrite { file } => {
                let text = format!("{ORIGINAL}rewritten {}\n", self.people.next_text());
                self.record.project.write(self.record.now(), &self.files[file], &text)?;
                true
            }
            Action::Kill { back } => self.kill(back),
            Action::Stop { back } => self.stop(back)?,
            Action::HandOver { .. } => self.hand_over()?,
            Action::Hide { back } => self.hide(back),
            Action::Freeze { ms } => {
                let pids = signal_companions(&self.machine.sandbox, Signal::STOP);
                let trouble = self.record.begin_trouble(TroubleKind::Frozen, None);
                self.schedule(ms, Event::Thaw(pids, Some(trouble)));
                true
            }
            Action::FreezeAgent { agent, ms } => self.freeze_agent(agent, ms),
            Action::FreezeDesk { desk, ms } => {
                let pid = self.people.desk(desk).map(|desk| desk.pid);
                if let Some(pid) = pid {
                    signal(pid, Signal::STOP);
                    self.schedule(ms, Event::Thaw(vec![pid], None));
                }
                pid.is_some()
            }
            Action::Cut { agent } => {
                let trouble = self.record.begin_trouble(TroubleKind::Link, agent);
                self.proxies(agent).iter().for_each(|proxy| proxy.cut());
                self.record.end_trouble(trouble);
                true
            }
            Action::CutAfter { agent, stream, up, bytes } => self.cut_after(agent, stream, up, bytes),
            Action::Hold { agent, ms } => self.hold(agent, ms, false),
            Action::Stall { agent, ms } => self.hold(agent, ms, true),
            Action::Clean => {
                let trouble = self.record.begin_trouble(TroubleKind::Cleaned, None);
                self.machine.clean()?;
                self.record.end_trouble(trouble);
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
                let fills = self.machine.small_disk.as_mut().is_some_and(|disk| disk.fill());
                if fills {
                    let trouble = self.record.begin_trouble(TroubleKind::DiskFull, None);
                    self.schedule(ms, Event::FreeDisk(trouble));
                }
                fills
            }
        })
    }
}
