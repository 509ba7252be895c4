//! How long a host lives, and for whom: who is there, whose it is, and what follows when somebody comes or
//! goes.
//!
//! Only rules and no clock, no process and no socket: the [loop](super::serve) tells what happens and when,
//! and carries out the [steps](Step).

use std::collections::BTreeMap;
use std::time::Duration;

use alongside_desk::socket::{Owner, Role};
use tokio::time::Instant;

/// How long a host without anybody, or without its editor, waits for them to come back.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// Somebody who has joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Party {
    /// Its process, or its editor's.
    pub(super) pid: Option<u32>,
    pub(super) role: Role,
    /// The editor it speaks for.
    pub(super) owner: Option<Owner>,
}

/// What the host has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Be found as this editor's.
    ShowAs(Owner),
    /// The editor is gone: reject what waits and be found no more, but let agents' streams be.
    Hide,
    /// End, rejecting what waits.
    End,
}

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Life {
    owner: Option<Owner>,
    /// Whoever is there. Servers of an editor that is gone are nobody.
    parties: BTreeMap<u64, Party>,
    /// The process that agents take for the editor; none while hidden.
    shown: Option<u32>,
    /// When the last desk that vanished is given up.
    lost_until: Option<Instant>,
    /// When it ends if nobody comes.
    ends_at: Option<Instant>,
    /// When an editor counts as gone that is not connected though its process lives.
    owner_gone_at: Option<Instant>,
    /// Until when whoever started it may join and be whom agents find it as, though others were faster.
    starter_until: Option<Instant>,
}

impl Life {
    /// A host that has just been started by this process, which is about to join. It is found as its
    /// editor's, else as that of whoever started it.
    pub(super) fn begin(owner: Option<Owner>, starter: u32, now: Instant) -> Self {
        let until = now + GRACE;
        Self {
            parties: BTreeMap::new(),
            shown: Some(owner.as_ref().map_or(starter, |owner| owner.pid)),
            lost_until: None,
            ends_at: Some(until),
            // After a crash it may have been started again by a desk.
            owner_gone_at: owner.is_some().then_some(until),
            starter_until: Some(until),
            owner,
        }
    }

    /// Neither we nor anybody else could do anything for so long, as while the machine slept: nobody had that
    /// time.
    pub(super) fn stood_still(&mut self, gap: Duration) {
        let deadlines =
            [&mut self.lost_until, &mut self.ends_at, &mut self.owner_gone_at, &mut self.starter_until];
        for deadline in deadlines.into_iter().flatten() {
            *deadline += gap;
        }
    }

    /// The editor that owns the host, also while it is waited for.
    pub(super) fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// Whether it is kept only for an editor that may come back.
    pub(super) fn is_hidden(&self) -> bool {
        self.shown.is_none()
    }

    /// Somebody has joined.
    pub(super) fn joined(&mut self, id: u64, party: Party) -> Vec<Step> {
        self.ends_at = None;
        if party.role == Role::Desk {
            self.lost_until = None;
        }
        let hidden = self.is_hidden();
        let steps = match &party.owner {
            Some(new) if hidden || self.owner.is_none() || self.is_owners(&party) => {
                let known = !hidden && self.owner.as_ref() == Some(new);
                self.owner = Some(new.clone());
                self.owner_gone_at = None;
                if known { Vec::new() } else { self.show(new.clone()) }
            }
            // Another editor's, while ours lives: a desk like any other.
            Some(_) => Vec::new(),
            None if hidden => {
                self.owner = None;
                self.show(nobodys(&party))
            }
            None if self.owner.is_none() && party.pid != self.shown && !self.is_shown_for_somebody() => {
                if self.starter_until.is_some() {
                    Vec::new()
                } else {
                    self.show(nobodys(&party))
                }
            }
            None => Vec::new(),
        };
        if party.pid == self.shown {
            self.starter_until = None;
        }
        self.parties.insert(id, party);
        steps
    }

    /// Somebody is not there any more: they `left`, or vanished.
    pub(super) fn parted(&mut self, id: u64, left: bool, now: Instant) -> Vec<Step> {
        let Some(party) = self.parties.remove(&id) else {
            return Vec::new();
        };
        if self.is_owners(&party) {
            let others = self.parties.values().any(|other| self.is_owners(other));
            return match (others || self.is_hidden(), left) {
                (true, _) => Vec::new(),
                (false, true) => self.owner_gone(now),
                (false, false) => {
                    self.owner_gone_at = Some(now + GRACE);
                    Vec::new()
                }
            };
        }
        if self.owner.is_some() {
            return Vec::new();
        }
        if !left && party.role == Role::Desk {
            self.lost_until = Some(now + GRACE);
        }
        if let Some(other) = self.parties.values().next() {
            return if self.is_shown_for_somebody() {
                Vec::new()
            } else {
                self.show(nobodys(&other.clone()))
            };
        }
        let waits = self.lost_until.filter(|until| *until > now && party.role == Role::Keeper);
        match (left, waits) {
            (true, None) => vec![Step::End],
            (true, Some(until)) => {
                self.ends_at = Some(until);
                Vec::new()
            }
            (false, _) => {
                self.ends_at = Some(now + GRACE);
                Vec::new()
            }
        }
    }

    /// The owner's process has ended, or the editor has closed the project.
    pub(super) fn owner_gone(&mut self, now: Instant) -> Vec<Step> {
        let Some(gone) = self.owner.clone().filter(|_| !self.is_hidden()) else {
            return Vec::new();
        };
        self.owner_gone_at = None;
        self.shown = None;
        self.parties.retain(|_, party| !party.owner.as_ref().is_some_and(|owner| is_same(owner, &gone)));
        let mut steps = vec![Step::Hide];
        // Somebody else still looks at it: it is theirs from now on, another editor's before a desk's.
        let owner = self.parties.values().find_map(|party| party.owner.clone());
        match (owner, self.parties.values().next()) {
            (Some(owner), _) => {
                self.owner = Some(owner.clone());
                steps.extend(self.show(owner));
            }
            (None, Some(party)) => {
                let party = nobodys(party);
                self.owner = None;
                steps.extend(self.show(party));
            }
            (None, None) => self.ends_at = Some(now + GRACE),
        }
        steps
    }

    /// Whether time runs out for somebody, also where nothing is due at its end.
    pub(super) fn counts(&self, now: Instant) -> bool {
        self.deadline().is_some() || self.lost_until.is_some_and(|until| until > now)
    }

    /// When something is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.ends_at.into_iter().chain(self.owner_gone_at).chain(self.starter_until).min()
    }

    /// What is due by now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Step> {
        if self.ends_at.is_some_and(|at| at <= now) {
            self.ends_at = None;
            return vec![Step::End];
        }
        if self.owner_gone_at.is_some_and(|at| at <= now) {
            return self.owner_gone(now);
        }
        if self.starter_until.is_some_and(|until| until <= now) {
            self.starter_until = None;
            if self.owner.is_none()
                && !self.is_shown_for_somebody()
                && let Some(party) = self.parties.values().next().cloned()
            {
                return self.show(nobodys(&party));
            }
        }
        Vec::new()
    }

    fn show(&mut self, owner: Owner) -> Vec<Step> {
        self.shown = Some(owner.pid);
        self.starter_until = None;
        vec![Step::ShowAs(owner)]
    }

    fn is_owners(&self, party: &Party) -> bool {
        matches!((&self.owner, &party.owner), (Some(ours), Some(theirs)) if is_same(ours, theirs))
    }

    fn is_shown_for_somebody(&self) -> bool {
        self.parties.values().any(|party| party.pid.is_some() && party.pid == self.shown)
    }
}

/// Whether two servers speak for the same editor.
fn is_same(one: &Owner, other: &Owner) -> bool {
    one.pid == other.pid && one.window == other.window
}

/// What a host without an editor is found as: it goes by the process of somebody who looks at it, for agents
/// take an ancestor of theirs for the editor, and a process of no terminal is nobody's ancestor.
pub(super) fn nobodys(party: &Party) -> Owner {
    let pid = party.pid.unwrap_or_else(std::process::id);
    Owner { pid, name: "alongside".into(), display_name: "alongside".into(), window: None }
}

#[cfg(test)]
mod orderings;
#[cfg(test)]
mod tests;
