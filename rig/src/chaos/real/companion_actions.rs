//! The script's actions on the companions of a round: kills, stops and replaces them, ends their editors, and
//! takes their ports.

use std::collections::BTreeSet;

use anyhow::Result;
use rustix::process::{Pid, Signal};

use super::agenda::Event;
use super::discovery_files::ports_and_tokens;
use super::round::Round;
use crate::chaos::desk::Desk;
use crate::chaos::desk_transport::Transport;
use crate::chaos::processes::{companions, signal, signal_companions, spawn_host_command, until_back};
use crate::chaos::record::TroubleKind;
use crate::chaos::shared_record::BACK_TIMEOUT;

/// The largest number of kills in a round: desks give up on a companion that crashes more often.
const MAX_KILLS: usize = 4;

impl Round<'_> {
    /// Kills the companion. The desks restart it at once; if `back` is 300 ms or more, they are frozen for
    /// that time first.
    pub(super) fn kill(&mut self, back: u64) -> bool {
        if self.kills == MAX_KILLS {
            return false;
        }
        self.is_token_burned |= !self.people.have_port_hold();
        let desks: Vec<_> = self.people.present().map(|(_, desk)| desk.pid).collect();
        if back >= 300 {
            desks.iter().for_each(|desk| signal(*desk, Signal::STOP));
            self.schedule(back, Event::Thaw(desks.clone(), None));
        }
        let killed = signal_companions(&self.machine.sandbox, Signal::KILL);
        if killed.is_empty() {
            return false;
        }
        self.kills += 1;
        let trouble = self.record.begin_trouble(TroubleKind::Killed, None);
        if desks.is_empty() {
            self.troubles_until_desk.push(trouble);
            self.schedule(back, Event::Join(0));
        } else {
            self.end_troubles_when_back(vec![trouble], killed, None);
        }
        true
    }

    /// Stops the companion, and its desks with it. When the desks are back, people type `/ide enable`.
    pub(super) fn stop(&mut self, back: u64) -> Result<bool> {
        let Some(pid) = companions(&self.machine.sandbox).into_iter().next() else { return Ok(false) };
        let mut child = spawn_host_command(&self.machine.sandbox, "--stop", pid)?;
        let trouble = self.record.begin_trouble(TroubleKind::Stopped, None);
        self.troubles_until_desk.push(trouble);
        self.tasks.spawn(async move { drop(child.wait().await) });
        let present: Vec<_> = self.people.present().map(|(number, _)| number).collect();
        let back = back.clamp(100, 2_000);
        for number in present {
            // An editor's language server does not end with the companion.
            if let Some(desk) = self.people.leave(number).filter(|desk| desk.transport == Transport::Lsp) {
                desk.kill();
            }
            self.schedule(back, Event::Join(number));
        }
        for agent in 0..self.slots.len() {
            self.schedule(back + 600, Event::Enable(agent));
        }
        Ok(true)
    }

    pub(super) fn hand_over(&mut self) -> Result<bool> {
        let Some(pid) = companions(&self.machine.sandbox).into_iter().next() else { return Ok(false) };
        let mut child = spawn_host_command(&self.machine.sandbox, "--replace", pid)?;
        let trouble = self.record.begin_trouble(TroubleKind::HandedOver, None);
        self.tasks.spawn(async move { drop(child.wait().await) });
        self.end_troubles_when_back(vec![trouble], vec![pid], None);
        Ok(true)
    }

    /// Kills the desk of an editor with the editor's process.
    pub(super) fn hide(&mut self, back: u64) -> bool {
        let editor = self.people.present().find(|(_, desk)| desk.editor.is_some()).map(|(number, _)| number);
        let Some(number) = editor else { return false };
        self.leave(number, false);
        self.schedule(back, Event::Join(number));
        true
    }

    /// Makes the present ports of companions targets of the squatter.
    pub(super) fn squat(&mut self, ms: u64) -> bool {
        let ports: BTreeSet<u16> =
            ports_and_tokens(&self.machine.sandbox).into_iter().map(|(port, _)| port).collect();
        ports.iter().for_each(|port| self.squatter.lock().add_target(*port));
        if !ports.is_empty() {
            let trouble = self.record.begin_trouble(TroubleKind::Squatted, None);
            self.schedule(ms, Event::SquatterLeaves(trouble));
        }
        !ports.is_empty()
    }

    /// Records that the token may be burned, because a desk joins or leaves while there is no companion: a
    /// new desk may start a companion without the port, and a leaving desk may have held the port last.
    pub(super) fn burn_token_unless_served(&mut self) {
        self.is_token_burned |= companions(&self.machine.sandbox).is_empty();
    }

    /// Ends these troubles once `desk` knows a companion. Without a desk: once there is a companion that is
    /// not among the killed ones.
    pub(super) fn end_troubles_when_back(
        &mut self,
        troubles: Vec<usize>,
        killed: Vec<Pid>,
        desk: Option<Desk>,
    ) {
        let sandbox = self.machine.sandbox.clone();
        let back = async move {
            match desk {
                Some(desk) => drop(desk.until(BACK_TIMEOUT, |state| state.host).await),
                None => until_back(|| companions(&sandbox), &killed).await,
            }
        };
        self.tasks.spawn(self.record.clone().end_troubles_after(troubles, back));
    }
}
