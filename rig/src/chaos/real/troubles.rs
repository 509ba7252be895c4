//! What is done to the parties of a round: killed, stopped, frozen, cut, held.

use std::time::Duration;

use anyhow::Result;
use rustix::process::{Pid, Signal};

use super::desk::{Desk, Speech, signal};
use super::hosts;
use super::world::{Act, World};
use crate::chaos::record::Kind;
use crate::wire;

/// No companion is killed more often in a round: its desks would give it up.
const MOST_KILLS: usize = 4;

impl World<'_> {
    /// The desks that are there start the companion again at once, unless they cannot for so long.
    pub(super) fn kill(&mut self, back: u64) -> bool {
        if self.kills == MOST_KILLS {
            return false;
        }
        self.burns_unless_held();
        let desks: Vec<_> = self.living().map(|(_, desk)| desk.pid).collect();
        if back >= 300 {
            desks.iter().for_each(|desk| signal(*desk, Signal::STOP));
            self.later(back, Act::Thaw(desks.clone(), None));
        }
        let killed = hosts::signal_all(&self.lane.sandbox, Signal::KILL);
        if killed.is_empty() {
            return false;
        }
        self.kills += 1;
        let trouble = self.notes.trouble(Kind::Killed, None);
        if desks.is_empty() {
            self.until_served.push(trouble);
            self.later(back, Act::Join(0));
        } else {
            self.until_back(vec![trouble], killed, None);
        }
        true
    }

    /// The desks end with it. When they are back, people type `/ide enable`.
    pub(super) fn stop(&mut self, back: u64) -> Result<bool> {
        let Some(pid) = hosts::all(&self.lane.sandbox).into_iter().next() else { return Ok(false) };
        let mut child = hosts::command(&self.lane.sandbox, "--stop", pid)?;
        let trouble = self.notes.trouble(Kind::Stopped, None);
        self.until_served.push(trouble);
        self.tasks.spawn(async move { drop(child.wait().await) });
        let there: Vec<_> = self.living().map(|(number, _)| number).collect();
        let back = back.clamp(100, 2_000);
        for number in there {
            // An editor's server would stay.
            if let Some(desk) = self.desks[number].take_if(|desk| desk.speech == Speech::Framed) {
                signal(desk.pid, Signal::KILL);
                desk.editor.into_iter().for_each(|editor| signal(editor, Signal::KILL));
            }
            self.desks[number] = None;
            self.later(back, Act::Join(number));
        }
        for agent in 0..self.seats.len() {
            self.later(back + 600, Act::Enable(agent));
        }
        Ok(true)
    }

    pub(super) fn hand_over(&mut self) -> Result<bool> {
        let Some(pid) = hosts::all(&self.lane.sandbox).into_iter().next() else { return Ok(false) };
        let mut child = hosts::command(&self.lane.sandbox, "--replace", pid)?;
        let trouble = self.notes.trouble(Kind::HandedOver, None);
        self.tasks.spawn(async move { drop(child.wait().await) });
        self.until_back(vec![trouble], vec![pid], None);
        Ok(true)
    }

    /// An editor's process ends without a word, and its server with it.
    pub(super) fn hide(&mut self, back: u64) -> bool {
        let editor = self.living().find(|(_, desk)| desk.editor.is_some()).map(|(number, _)| number);
        let Some(number) = editor else { return false };
        self.leave(number, false);
        self.later(back, Act::Join(number));
        true
    }

    pub(super) fn freeze_agent(&mut self, number: usize, ms: u64) -> bool {
        let Some(agent) = self.seats[number].agent.clone() else { return false };
        agent.signal(Signal::STOP);
        let trouble = self.notes.trouble(Kind::AgentFrozen, Some(number));
        self.later(ms, Act::Thaw(agent.pid().into_iter().collect(), Some(trouble)));
        true
    }

    pub(super) fn cut_after(&mut self, number: usize, stream: bool, up: bool, bytes: usize) -> bool {
        let kind = if stream { wire::Kind::Stream } else { wire::Kind::Post };
        let way = if up { wire::Way::Up } else { wire::Way::Down };
        let proxies = self.proxies(Some(number));
        for proxy in &proxies {
            let (mut struck, notes) = (proxy.struck(), self.notes.clone());
            proxy.arm(kind, way, bytes, wire::Fault::Cut);
            // It ends with the proxy.
            tokio::spawn(async move {
                if struck.changed().await.is_ok() {
                    let trouble = notes.trouble(Kind::Link, Some(number));
                    notes.over(trouble);
                }
            });
        }
        !proxies.is_empty()
    }

    pub(super) fn hold(&mut self, number: usize, ms: u64, cut: bool) -> bool {
        let proxies = self.proxies(Some(number));
        proxies.iter().for_each(|proxy| proxy.hold(true));
        if proxies.is_empty() {
            return false;
        }
        let trouble = self.notes.trouble(Kind::Link, Some(number));
        self.later(ms, Act::Release { agent: number, trouble, cut });
        true
    }

    /// These troubles are over when there is a companion which is none of those, or this desk knows of one.
    pub(super) fn until_back(&mut self, troubles: Vec<usize>, killed: Vec<Pid>, desk: Option<Desk>) {
        let (notes, sandbox) = (self.notes.clone(), self.lane.sandbox.clone());
        self.tasks.spawn(async move {
            let seen = async {
                match desk {
                    Some(desk) => drop(desk.until(Duration::from_secs(30), |seen| seen.host).await),
                    None => {
                        while hosts::all(&sandbox).iter().all(|pid| killed.contains(pid)) {
                            tokio::time::sleep(Duration::from_millis(10)).await;
                        }
                    }
                }
            };
            let _ = tokio::time::timeout(Duration::from_secs(30), seen).await;
            troubles.into_iter().for_each(|trouble| notes.over(trouble));
        });
    }
}
