//! The script's actions on hooks, hosts and desks of a round with hooks: kill, freeze, and let them come
//! back.

use std::time::Duration;

use anyhow::Result;
use rustix::process::{Pid, Signal};

use super::hook_process::Leave;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::processes::signal;
use crate::chaos::record::TroubleKind;

/// The most kills of a round: its desks would give a companion up that crashes more often.
const MAX_KILLS: usize = 3;

/// How long a desk may take to hold the port of its companion, in milliseconds.
const HOLD_DELAY: u64 = 1_000;

/// How long a companion may take to be back.
const BACK_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a companion is looked for.
const POLL: Duration = Duration::from_millis(10);

impl Round<'_> {
    pub(super) fn kill_hook(&mut self, number: usize) -> bool {
        let Some(pid) = self.hook_of(number) else { return false };
        // Noted before, so that the end of the hook falls into the trouble.
        let trouble = self.record.begin_trouble(TroubleKind::HookKilled, Some(number));
        signal(pid, Signal::KILL);
        self.end_trouble_after(trouble, 100, None);
        true
    }

    pub(super) fn freeze_hook(&mut self, number: usize, ms: u64) -> bool {
        let Some(pid) = self.hook_of(number) else { return false };
        let trouble = self.record.begin_trouble(TroubleKind::HookFrozen, Some(number));
        signal(pid, Signal::STOP);
        let running = self.agents[number].running.clone();
        let record = self.record.clone();
        self.tasks.spawn(async move {
            let until = tokio::time::Instant::now() + Duration::from_millis(ms);
            // Its agent may kill it before.
            while tokio::time::Instant::now() < until && running.pid() == Some(pid) {
                tokio::time::sleep(POLL).await;
            }
            if running.pid() == Some(pid) {
                signal(pid, Signal::CONT);
            }
            record.end_trouble(trouble);
        });
        true
    }

    fn hook_of(&self, number: usize) -> Option<Pid> {
        self.agents.get(number)?.running.pid()
    }

    /// A person breaks an agent's call off, or the agent is killed. The next call is of another one.
    pub(super) fn end_call(&mut self, number: usize, says_so: bool) -> bool {
        let Some(slot) = self.agents.get(number).filter(|slot| slot.is_busy()) else { return false };
        slot.leave(if says_so { Leave::BreaksOff } else { Leave::Dies });
        true
    }

    pub(super) fn freeze_desk(&mut self, number: usize, ms: u64) -> bool {
        let Some(pid) = self.present_desk(number).map(|desk| desk.pid) else { return false };
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

    /// The desks start the host again at once, or, if `back` is 300 ms or more, after their freeze.
    pub(super) fn kill_host(&mut self, back: u64) -> bool {
        let killed = self.machine.companions();
        if killed.is_empty() || self.kills == MAX_KILLS {
            return false;
        }
        self.kills += 1;
        let since = self.record.now().saturating_sub(HOLD_DELAY);
        let holds =
            |(number, desk): (usize, &Desk)| self.joined[number] <= since && desk.seen().host.is_some();
        let is_held = self.present_desks().any(holds);
        let desks: Vec<_> = self.present_desks().map(|(_, desk)| desk.pid).collect();
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

    /// Ends these troubles when there is a host other than the killed ones.
    fn end_troubles_when_back(&mut self, troubles: Vec<usize>, killed: Vec<Pid>) {
        let (record, machine) = (self.record.clone(), self.machine.clone());
        self.tasks.spawn(async move {
            let back = async {
                while machine.companions().iter().all(|pid| killed.contains(pid)) {
                    tokio::time::sleep(POLL).await;
                }
            };
            let _ = tokio::time::timeout(BACK_TIMEOUT, back).await;
            for trouble in troubles {
                record.end_trouble(trouble);
            }
        });
    }

    pub(super) fn leave(&mut self, number: usize, says_so: bool) -> bool {
        let Some(desk) = self.present_desk(number).cloned() else { return false };
        self.desks[number] = None;
        let is_alone = self.present_desks().all(|(_, desk)| desk.seen().host.is_none());
        if is_alone && self.until_desk.is_none() && (says_so || self.machine.companions().is_empty()) {
            // The host ends with its last desk, or nobody holds the port of one that was killed. After a
            // killed desk, the host waits for another, and hooks find it.
            self.until_desk = Some(self.record.begin_trouble(TroubleKind::Unserved, None));
        }
        match says_so {
            true => desk.leave(),
            false => desk.kill(),
        }
        true
    }

    /// A desk joins again, if it is away.
    pub(super) fn rejoin(&mut self, number: usize) -> Result<bool> {
        if number >= self.desks.len() || self.present_desk(number).is_some() {
            return Ok(false);
        }
        self.join(number)?;
        if let (Some(trouble), Some(desk)) = (self.until_desk.take(), self.desks[number].clone()) {
            let record = self.record.clone();
            self.tasks.spawn(async move {
                desk.until(BACK_TIMEOUT, |seen| seen.host).await;
                record.end_trouble(trouble);
            });
        }
        Ok(true)
    }

    pub(super) fn join(&mut self, number: usize) -> Result<()> {
        self.desks[number] = Some(Desk::start_by(&self.machine.sandbox, self.machine.alongside()?)?);
        self.joined[number] = self.record.now();
        Ok(())
    }

    /// The desks that run.
    pub(super) fn present_desks(&self) -> impl Iterator<Item = (usize, &Desk)> {
        let desks = self.desks.iter().enumerate();
        desks.filter_map(|(number, desk)| Some((number, desk.as_ref().filter(|desk| !desk.seen().ended)?)))
    }

    /// A desk, if it runs.
    pub(super) fn present_desk(&self, number: usize) -> Option<&Desk> {
        self.present_desks().find(|(present, _)| *present == number).map(|(_, desk)| desk)
    }
}
