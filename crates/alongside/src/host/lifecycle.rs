//! How long a host lives, and for whom. Rules only, without a clock, a process or a socket: the
//! [main loop](super::serve) says what happens and when, and carries out the [steps](Step).

use std::collections::BTreeMap;
use std::time::Duration;

use alongside_desk::socket::{Owner, Role};
use tokio::time::Instant;

/// How long a host without anybody, or without its editor, waits for them to come back.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// A desk or a keeper that has joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Party {
    /// Its process, or its editor's.
    pub(super) pid: Option<u32>,
    pub(super) role: Role,
    /// Its name for people.
    pub(super) name: String,
    /// The editor it speaks for.
    pub(super) owner: Option<Owner>,
}

/// An action that the host has to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Publish the host as this editor's.
    ShowAs(Owner),
    /// The editor is gone: reject waiting reviews and remove the discovery files, but keep agents' streams.
    Hide,
    /// End, rejecting waiting reviews.
    End,
}

/// Whose the host is.
#[derive(Debug, Clone)]
enum Ownership {
    Unowned {
        /// The process that agents take for the editor.
        shown: u32,
        /// Until when the starter may join and be that process, though others were faster.
        starter_until: Option<Instant>,
    },
    Owned {
        owner: Owner,
        /// When the editor counts as gone though its process lives: it has no connection.
        gone_at: Option<Instant>,
    },
    /// The editor is gone, nobody has joined since, and agents cannot find the host.
    Hidden { owner: Owner },
}

/// The state that the rules work on.
#[derive(Debug, Clone)]
pub(super) struct Lifecycle {
    ownership: Ownership,
    /// Everybody who has joined, except servers of an editor that is gone.
    parties: BTreeMap<u64, Party>,
    /// When the host ends if nobody joins.
    ends_at: Option<Instant>,
    /// When the last desk that vanished from an unowned host is given up.
    lost_until: Option<Instant>,
}

impl Lifecycle {
    /// A host that this process has just started and is about to join. It is published as its editor's, else
    /// under the starter.
    pub(super) fn begin(owner: Option<Owner>, starter: u32, now: Instant) -> Self {
        let until = Some(now + GRACE);
        let ownership = match owner {
            // After a crash a desk may be the starter.
            Some(owner) => Ownership::Owned { owner, gone_at: until },
            None => Ownership::Unowned { shown: starter, starter_until: until },
        };
        Self { ownership, parties: BTreeMap::new(), ends_at: until, lost_until: None }
    }

    /// Moves every deadline by the time for which the process or the machine was suspended.
    pub(super) fn postpone(&mut self, gap: Duration) {
        let mut none = None;
        let own = match &mut self.ownership {
            Ownership::Unowned { starter_until, .. } => starter_until,
            Ownership::Owned { gone_at, .. } => gone_at,
            Ownership::Hidden { .. } => &mut none,
        };
        for deadline in [own, &mut self.ends_at, &mut self.lost_until].into_iter().flatten() {
            *deadline += gap;
        }
    }

    /// The editor that owns the host, also while the host waits for it.
    pub(super) fn owner(&self) -> Option<&Owner> {
        match &self.ownership {
            Ownership::Owned { owner, .. } | Ownership::Hidden { owner } => Some(owner),
            Ownership::Unowned { .. } => None,
        }
    }

    /// Whether the host only waits for an editor that may come back.
    pub(super) fn is_hidden(&self) -> bool {
        matches!(self.ownership, Ownership::Hidden { .. })
    }

    /// Names of those who keep the host and its reviews when this party leaves: desks, and keepers only where
    /// no desk stays. Reviews end with the editor that owns the host, whoever else is there.
    pub(super) fn kept_by(&self, id: u64) -> Vec<String> {
        match &self.ownership {
            Ownership::Owned { owner, .. } => {
                let speaks = |party: &Party| party.owner.as_ref().is_some_and(|its| is_same(its, owner));
                let is_guest = self.parties.get(&id).is_none_or(|party| !speaks(party));
                let is_served = || self.parties.iter().any(|(of, party)| *of != id && speaks(party));
                let name = || owner.display_name.clone();
                (is_guest || is_served()).then(name).into_iter().collect()
            }
            Ownership::Unowned { .. } => {
                let others = self.parties.iter().filter(|(of, _)| **of != id).map(|(_, party)| party);
                let names = |others: &mut dyn Iterator<Item = &Party>| {
                    others.map(|party| party.name.clone()).collect::<Vec<_>>()
                };
                let desks = names(&mut others.clone().filter(|party| party.role == Role::Desk));
                if desks.is_empty() { names(&mut others.clone()) } else { desks }
            }
            Ownership::Hidden { .. } => Vec::new(),
        }
    }

    /// The names of all who keep the host.
    pub(super) fn keepers(&self) -> Vec<String> {
        match &self.ownership {
            Ownership::Unowned { .. } => self.parties.values().map(|party| party.name.clone()).collect(),
            // Nobody has this number.
            _ => self.kept_by(0),
        }
    }

    /// The process that agents take for the editor; `None` while hidden.
    fn shown(&self) -> Option<u32> {
        match &self.ownership {
            Ownership::Unowned { shown, .. } => Some(*shown),
            Ownership::Owned { owner, .. } => Some(owner.pid),
            Ownership::Hidden { .. } => None,
        }
    }

    /// A desk or a keeper has joined.
    pub(super) fn joined(&mut self, id: u64, party: Party) -> Vec<Step> {
        self.ends_at = None;
        let steps = match (&self.ownership, &party.owner) {
            (Ownership::Owned { owner, .. }, Some(new)) if is_same(owner, new) => {
                let is_known = owner == new;
                let steps = self.own(new.clone());
                if is_known { Vec::new() } else { steps }
            }
            // Also a desk of another editor, which is a guest like any other.
            (Ownership::Owned { .. }, _) => Vec::new(),
            (_, Some(new)) => self.own(new.clone()),
            (Ownership::Hidden { .. }, None) => self.show(&party),
            (Ownership::Unowned { shown, starter_until, .. }, None) => {
                let fits = party.pid == Some(*shown) || self.is_shown_for_somebody();
                if fits || starter_until.is_some() { Vec::new() } else { self.show(&party) }
            }
        };
        if let Ownership::Unowned { shown, starter_until } = &mut self.ownership
            && party.pid == Some(*shown)
        {
            *starter_until = None;
        }
        if party.role == Role::Desk {
            self.lost_until = None;
        }
        self.parties.insert(id, party);
        steps
    }

    /// A party has `left`, or vanished.
    pub(super) fn parted(&mut self, id: u64, left: bool, now: Instant) -> Vec<Step> {
        let Some(party) = self.parties.remove(&id) else {
            return Vec::new();
        };
        match &mut self.ownership {
            Ownership::Owned { owner, gone_at } => {
                let speaks = |party: &Party| party.owner.as_ref().is_some_and(|its| is_same(its, owner));
                if !speaks(&party) || self.parties.values().any(speaks) {
                    return Vec::new();
                }
                if left {
                    return self.owner_gone(now);
                }
                *gone_at = Some(now + GRACE);
                Vec::new()
            }
            Ownership::Unowned { .. } => {
                if !left && party.role == Role::Desk {
                    self.lost_until = Some(now + GRACE);
                }
                if !self.parties.is_empty() {
                    return self.show_for_somebody();
                }
                // A keeper that leaves does not shorten the time of a desk that vanished before.
                let waits = self.lost_until.filter(|until| *until > now && party.role == Role::Keeper);
                self.ends_at = if left { waits } else { Some(now + GRACE) };
                if self.ends_at.is_none() { vec![Step::End] } else { Vec::new() }
            }
            Ownership::Hidden { .. } => Vec::new(),
        }
    }

    /// The owner's process has ended, or the editor has closed the project.
    pub(super) fn owner_gone(&mut self, now: Instant) -> Vec<Step> {
        let Ownership::Owned { owner: gone, .. } = &self.ownership else {
            return Vec::new();
        };
        let gone = gone.clone();
        self.parties.retain(|_, party| !party.owner.as_ref().is_some_and(|owner| is_same(owner, &gone)));
        self.ownership = Ownership::Hidden { owner: gone };
        let mut steps = vec![Step::Hide];
        // A remaining party inherits the host, another editor before a desk.
        let heir = self.parties.values().find_map(|party| party.owner.clone());
        match (heir, self.parties.values().next().cloned()) {
            (Some(owner), _) => steps.extend(self.own(owner)),
            (None, Some(party)) => steps.extend(self.show(&party)),
            (None, None) => self.ends_at = Some(now + GRACE),
        }
        steps
    }

    /// Whether time runs out for somebody, also where nothing is due at its end.
    pub(super) fn counts(&self, now: Instant) -> bool {
        self.deadline().is_some() || self.lost_until.is_some_and(|until| until > now)
    }

    /// How long the host waits for somebody to come back; `None` while somebody is there.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        self.ends_at.map(|end| end.saturating_duration_since(now))
    }

    /// When something is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let own = match self.ownership {
            Ownership::Unowned { starter_until, .. } => starter_until,
            Ownership::Owned { gone_at, .. } => gone_at,
            Ownership::Hidden { .. } => None,
        };
        self.ends_at.into_iter().chain(own).min()
    }

    /// Carries out whatever is due by now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Step> {
        if self.ends_at.take_if(|at| *at <= now).is_some() {
            return vec![Step::End];
        }
        match &mut self.ownership {
            Ownership::Owned { gone_at: Some(at), .. } if *at <= now => self.owner_gone(now),
            Ownership::Unowned { starter_until, .. } => match starter_until.take_if(|until| *until <= now) {
                Some(_) => self.show_for_somebody(),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn own(&mut self, owner: Owner) -> Vec<Step> {
        self.ownership = Ownership::Owned { owner: owner.clone(), gone_at: None };
        self.lost_until = None;
        vec![Step::ShowAs(owner)]
    }

    fn show(&mut self, party: &Party) -> Vec<Step> {
        let owner = stand_in(party);
        self.ownership = Ownership::Unowned { shown: owner.pid, starter_until: None };
        vec![Step::ShowAs(owner)]
    }

    /// Publishes an unowned host under somebody who is there.
    fn show_for_somebody(&mut self) -> Vec<Step> {
        match self.parties.values().next().cloned() {
            Some(party) if !self.is_shown_for_somebody() => self.show(&party),
            _ => Vec::new(),
        }
    }

    fn is_shown_for_somebody(&self) -> bool {
        self.parties.values().any(|party| party.pid.is_some() && party.pid == self.shown())
    }
}

/// Whether two servers speak for the same editor.
fn is_same(one: &Owner, other: &Owner) -> bool {
    one.pid == other.pid && one.window == other.window
}

/// The editor that an unowned host is published as. It names the process of somebody who looks at the host:
/// agents take one of their ancestors for the editor, and a process without a terminal is nobody's ancestor.
pub(super) fn stand_in(party: &Party) -> Owner {
    let pid = party.pid.unwrap_or_else(std::process::id);
    Owner { pid, name: "alongside".into(), display_name: "alongside".into(), window: None }
}

#[cfg(test)]
mod orderings;
#[cfg(test)]
mod tests;
