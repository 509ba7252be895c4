//! The script's disturbances of a round with hooks: kills and freezes of hooks, hosts and desks.

use std::time::Duration;

use anyhow::Result;
use rustix::process::{Pid, Signal};

use super::hook_process::CallEnd;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::processes::{signal, until_back};
use crate::chaos::record::TroubleKind;
use crate::chaos::shared_record::BACK_TIMEOUT;

/// The largest number of kills in a round: desks give up on a companion that crashes more often.
const MAX_KILLS: usize = 3;

impl Round<'_> {
    pub(super) fn kill_hook(&mut self, number: usize) -> bool {
        let Some(pid) = self.hook_of(number) else { return false };
        // Begun before the kill, so that the trouble covers the end of the hook.
        let trouble = self.record.begin_trouble(TroubleKind::HookKilled, Some(number));
        signal(pid, Signal::KILL);
        self.end_trouble_after(trouble, 100, None);
        true
    }

    pub(super) fn freeze_hook(&mut self, number: usize, ms: u64) -> bool {
        let Some(pid) = self.hook_of(number) else { return false };
        let trouble = self.record.begin_trouble(TroubleKind::HookFrozen, Some(number));
        signal(pid, Signal::STOP);
        let mut running = self.agents[number].running.subscribe();
        let record = self.record.clone();
        self.tasks.spawn(async move {
            // The agent may kill the hook first.
            let ended = running.wait_for(|running| *running != Some(pid));
            if tokio::time::timeout(Duration::from_millis(ms), ended).await.is_err() {
                signal(pid, Signal::CONT);
            }
            record.end_trouble(trouble);
        });
        true
    }

    fn hook_of(&self, number: usize) -> Option<Pid> {
        *self.agents.get(number)?.running.borrow()
    }

    /// Ends an agent's call: a person cancels it, or the agent is killed and replaced by another one.
    pub(super) fn end_call(&mut self, number: usize, says_so: bool) -> bool {
        let Some(slot) = self.agents.get(number).filter(|slot| slot.is_busy()) else { return false };
        slot.end_call(if says_so { CallEnd::Cancelled } else { CallEnd::AgentKilled });
        true
    }

    pub(super) fn freeze_desk(&mut self, number: usize, ms: u64) -> bool {
        let Some(pid) = self.people.desk(number).map(|desk| desk.pid) else { return false };
        signal(pid, Signal::STOP);
        self.tasks.spawn(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            signal(pid, Signal::CONT);
        });
        true
    }

    pub(super) fn freeze_host(&mut self, ms: u64) -> bool {
        let pids = self.machine.companions();
        if pids.is_empty() {
            return false;
        }
        let trouble = self.record.begin_trouble(TroubleKind::Frozen, None);
        pids.iter().for_each(|pid| signal(*pid, Signal::STOP));
        self.end_trouble_after(trouble, ms, Some((pids, Signal::CONT)));
        true
    }

    fn end_trouble_after(&mut self, trouble: usize, ms: u64, then: Option<(Vec<Pid>, Signal)>) {
        let record = self.record.clone();
        self.tasks.spawn(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            if let Some((pids, what)) = then {
                for pid in pids {
                    signal(pid, what);
                }
            }
            record.end_trouble(trouble);
        });
    }

    /// Kills the host. The desks start it again at once; if `back` is 300 ms or more, they are frozen for
    /// that time first.
    pub(super) fn kill_host(&mut self, back: u64) -> bool {
        let killed = self.machine.companions();
        if killed.is_empty() || self.kills == MAX_KILLS {
            return false;
        }
        self.kills += 1;
        let is_held = self.people.have_port_hold();
        let desks: Vec<_> = self.people.present().map(|(_, desk)| desk.pid).collect();
        let mut troubles = vec![self.record.begin_trouble(TroubleKind::Killed, None)];
        if !is_held {
            troubles.push(self.record.begin_trouble(TroubleKind::Unserved, None));
        }
        if back >= 300 {
            desks.iter().for_each(|desk| signal(*desk, Signal::STOP));
            self.tasks.spawn(async move {
                tokio::time::sleep(Duration::from_millis(back)).await;
                for desk in desks {
                    signal(desk, Signal::CONT);
                }
            });
        }
        killed.iter().for_each(|pid| signal(*pid, Signal::KILL));
        self.end_troubles_when_back(troubles, killed);
        true
    }

    /// Ends these troubles once there is a host that is not among the killed ones.
    fn end_troubles_when_back(&mut self, troubles: Vec<usize>, killed: Vec<Pid>) {
        let machine = self.machine.clone();
        let back = async move { until_back(|| machine.companions(), &killed).await };
        self.tasks.spawn(self.record.clone().end_troubles_after(troubles, back));
    }

    pub(super) fn leave(&mut self, number: usize, says_so: bool) -> bool {
        let Some(desk) = self.people.leave(number) else { return false };
        if !self.people.have_companion()
            && self.until_desk.is_none()
            && (says_so || self.machine.companions().is_empty())
        {
            // The host ends with its last desk, or no desk holds the port of a killed host. If the desk is
            // killed and the host lives, the host waits for another desk, and hooks find the host.
            self.until_desk = Some(self.record.begin_trouble(TroubleKind::Unserved, None));
        }
        match says_so {
            true => desk.leave(),
            false => desk.kill(),
        }
        true
    }

    /// Lets a desk join again; `None` if the desk is there.
    pub(super) fn rejoin(&mut self, number: usize) -> Result<Option<Desk>> {
        if self.people.desk(number).is_some() {
            return Ok(None);
        }
        let desk = self.join(number)?;
        if let Some(trouble) = self.until_desk.take() {
            let joined = desk.clone();
            let back = async move { joined.until(BACK_TIMEOUT, |state| state.host).await };
            self.tasks.spawn(self.record.clone().end_troubles_after(vec![trouble], back));
        }
        Ok(Some(desk))
    }

    pub(super) fn join(&mut self, number: usize) -> Result<Desk> {
        let desk = Desk::start_by(&self.machine.sandbox, self.machine.alongside()?)?;
        Ok(self.people.join(number, desk))
    }
}
