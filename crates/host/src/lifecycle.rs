//! How long a host lives, and for whom. Rules only, without a clock, a process or a socket: the
//! [main loop](super::serve) says what happens and when, and carries out the [steps](Step).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::socket::{EditorProcess, Role};
use tokio::time::Instant;

use super::registry_entry::PartyRecord;

/// How long the host waits for a party that vanished, and for an editor that was closed.
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
    pub(super) editor: Option<EditorProcess>,
    /// Its projects.
    pub(super) roots: Vec<PathBuf>,
}

/// An action that the host has to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Publish the host under these editors, the one that the person used last first.
    Show(Vec<EditorProcess>),
    /// Nobody is there: reject waiting reviews and remove the discovery files, but keep agents' streams.
    Hide,
    /// End, rejecting waiting reviews.
    End,
}

/// A party, connected, away or expected.
#[derive(Debug, Clone)]
struct Member {
    party: Party,
    /// It is not connected, and counts as there until then.
    away_until: Option<Instant>,
    /// It has not joined yet, and its process runs as far as the host knows.
    is_expected: bool,
    /// Rises with each use of a party: the party used last has the greatest number. Zero until it joins.
    used: u64,
}

/// The state that the rules work on.
#[derive(Debug, Clone)]
pub(super) struct Lifecycle {
    members: BTreeMap<u64, Member>,
    /// The editor that was closed last, and until when the host waits for it where nobody else is there.
    closed: Option<(EditorProcess, Instant)>,
    /// The editors that the host is published as; none while it is hidden.
    shown: Vec<EditorProcess>,
    uses: u64,
}

impl Lifecycle {
    /// A host that has just been started. It waits for these parties: its starter and, after a crash, those
    /// of the host before. It is published as the first editor, else under the first party.
    pub(super) fn begin(expected: Vec<Party>, now: Instant) -> Self {
        let expect = |party| Member { party, away_until: Some(now + GRACE), is_expected: true, used: 0 };
        let expected = expected.into_iter().rev().map(expect);
        // Connected parties are numbered from below.
        let members: BTreeMap<u64, Member> = (0..u64::MAX).rev().zip(expected).collect();
        let mut lifecycle = Self { members, closed: None, shown: Vec::new(), uses: 0 };
        lifecycle.shown = lifecycle.publication();
        lifecycle.shown.truncate(1);
        lifecycle
    }

    /// Moves every deadline by the time for which the process or the machine was suspended.
    pub(super) fn postpone(&mut self, gap: Duration) {
        let away = self.members.values_mut().filter_map(|member| member.away_until.as_mut());
        away.chain(self.closed.as_mut().map(|(_, until)| until)).for_each(|until| *until += gap);
    }

    /// Whether nobody is there, and the host waits for an editor that was closed.
    pub(super) fn is_hidden(&self) -> bool {
        self.shown.is_empty()
    }

    /// The editors, the one that the person used last first; while hidden, the one that the host waits for.
    pub(super) fn editors(&self) -> Vec<EditorProcess> {
        match &self.closed {
            Some((closed, _)) if self.is_hidden() => vec![closed.clone()],
            _ => self.editors_there(),
        }
    }

    /// One editor for each process.
    fn editors_there(&self) -> Vec<EditorProcess> {
        let mut members: Vec<_> = self.members.values().collect();
        members.sort_by_key(|member| Reverse(member.used));
        let mut editors: Vec<EditorProcess> = Vec::new();
        for editor in members.into_iter().filter_map(|member| member.party.editor.as_ref()) {
            if editors.iter().all(|known| known.pid != editor.pid) {
                editors.push(editor.clone());
            }
        }
        editors
    }

    /// Everybody without an editor, for a host after this one to expect.
    pub(super) fn without_editor(&self) -> Vec<PartyRecord> {
        let parties = self.members.values().map(|Member { party, .. }| party);
        let record =
            |party: &Party| Some(PartyRecord { pid: party.pid?, role: party.role, name: party.name.clone() });
        parties.filter(|party| party.editor.is_none()).filter_map(record).collect()
    }

    /// The projects of everybody who is there.
    pub(super) fn roots(&self) -> impl Iterator<Item = &PathBuf> {
        self.members.values().flat_map(|member| &member.party.roots)
    }

    /// Names of those who keep the host and its reviews when this party leaves: desks, and keepers only where
    /// no desk stays.
    pub(super) fn kept_by(&self, id: u64) -> Vec<String> {
        let others = || self.members.iter().filter(move |(of, _)| **of != id).map(|(_, member)| member);
        let desks = names(others().filter(|member| member.party.role == Role::Desk));
        if desks.is_empty() { names(others()) } else { desks }
    }

    /// The names of all who keep the host.
    pub(super) fn keepers(&self) -> Vec<String> {
        names(self.members.values())
    }

    /// A desk or a keeper has joined.
    pub(super) fn joined(&mut self, id: u64, party: Party, now: Instant) -> Vec<Step> {
        self.members.retain(|_, member| member.away_until.is_none() || !replaces(&party, member));
        self.uses += 1;
        self.members.insert(id, Member { party, away_until: None, is_expected: false, used: self.uses });
        self.settle(now)
    }

    /// The person has turned to a desk.
    pub(super) fn focused(&mut self, id: u64, now: Instant) -> Vec<Step> {
        // Each move of the cursor comes here.
        let Some(member) = self.members.get_mut(&id).filter(|member| member.used < self.uses) else {
            return Vec::new();
        };
        self.uses += 1;
        member.used = self.uses;
        self.settle(now)
    }

    /// An editor has opened or closed projects.
    pub(super) fn change_roots(&mut self, id: u64, added: Vec<PathBuf>, removed: &[PathBuf]) {
        if let Some(Member { party, .. }) = self.members.get_mut(&id) {
            party.roots.retain(|root| !removed.contains(root));
            party.roots.extend(added);
        }
    }

    /// A party has `left`, or vanished.
    pub(super) fn parted(&mut self, id: u64, left: bool, now: Instant) -> Vec<Step> {
        let Some(mut member) = self.members.remove(&id) else {
            return Vec::new();
        };
        let editor = member.party.editor.clone();
        // One of several servers of an editor.
        let is_its = |other: &Member| is_same(other.party.editor.as_ref(), editor.as_ref());
        let is_served = self.members.values().any(is_its);
        match editor {
            _ if is_served => {}
            Some(editor) if left => self.closed = Some((editor, now + GRACE)),
            _ if left => {}
            _ => {
                member.away_until = Some(now + GRACE);
                self.members.insert(id, member);
            }
        }
        self.settle(now)
    }

    /// The processes of editors: the end of one of them closes its editor.
    pub(super) fn editor_processes(&self) -> Vec<u32> {
        if self.is_hidden() { Vec::new() } else { self.editors().iter().map(|editor| editor.pid).collect() }
    }

    /// An editor's process has ended. Its servers may live for a moment, and do not count any more.
    pub(super) fn editor_ended(&mut self, pid: u32, now: Instant) -> Vec<Step> {
        let is_its = |member: &Member| member.party.editor.as_ref().is_some_and(|editor| editor.pid == pid);
        let Some(ended) = self.members.values().find(|member| is_its(member)) else {
            return Vec::new();
        };
        self.closed = ended.party.editor.clone().map(|editor| (editor, now + GRACE));
        self.members.retain(|_, member| !is_its(member));
        self.settle(now)
    }

    /// The processes of expected parties without an editor: one that ends has vanished.
    pub(super) fn expected_processes(&self) -> Vec<u32> {
        let expected = self.members.values().filter(|member| member.is_expected).map(|member| &member.party);
        expected.filter(|party| party.editor.is_none()).filter_map(|party| party.pid).collect()
    }

    /// The process of an expected party has ended. The host waits for it as for any that vanished, and
    /// another desk takes its place.
    pub(super) fn expected_ended(&mut self, pid: u32) {
        for member in self.members.values_mut() {
            member.is_expected &= member.party.editor.is_some() || member.party.pid != Some(pid);
        }
    }

    /// Whether time runs out for somebody, also where nothing is due at its end.
    pub(super) fn counts(&self, now: Instant) -> bool {
        self.deadline().is_some() || self.closed.as_ref().is_some_and(|(_, until)| *until > now)
    }

    /// How long the host waits for somebody to come back; `None` while somebody is connected.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        let is_connected = self.members.values().any(|member| member.away_until.is_none());
        let away = self.members.values().filter_map(|member| member.away_until);
        let end = away.chain(self.closed.as_ref().map(|(_, until)| *until)).max();
        end.filter(|_| !is_connected).map(|end| end.saturating_duration_since(now))
    }

    /// When something is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let closed = self.closed.as_ref().filter(|_| self.is_hidden()).map(|(_, until)| *until);
        self.members.values().filter_map(|member| member.away_until).chain(closed).min()
    }

    /// Carries out whatever is due by now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Step> {
        self.members.retain(|_, member| member.away_until.is_none_or(|until| until > now));
        self.settle(now)
    }

    /// The steps that lead to the state that the host should be in.
    fn settle(&mut self, now: Instant) -> Vec<Step> {
        let shown = self.publication();
        if !shown.is_empty() {
            let is_new = shown != self.shown;
            self.shown.clone_from(&shown);
            return if is_new { vec![Step::Show(shown)] } else { Vec::new() };
        }
        match self.closed {
            Some((_, until)) if until > now => {
                let was_shown = !std::mem::take(&mut self.shown).is_empty();
                if was_shown { vec![Step::Hide] } else { Vec::new() }
            }
            _ => vec![Step::End],
        }
    }

    /// The editors that agents are to find the host as: every editor that is there; without one, somebody who
    /// is there, connected before away, and not another one than before.
    fn publication(&self) -> Vec<EditorProcess> {
        let editors = self.editors_there();
        if !editors.is_empty() {
            return editors;
        }
        let is_shown =
            |member: &Member| self.shown.first().is_some_and(|shown| member.party.pid == Some(shown.pid));
        let stands_in =
            self.members.values().min_by_key(|member| (member.away_until.is_some(), !is_shown(member)));
        stands_in.map(|member| stand_in(&member.party)).into_iter().collect()
    }
}

/// Names for people, one for each editor.
fn names<'a>(members: impl Iterator<Item = &'a Member>) -> Vec<String> {
    let mut editors = Vec::new();
    let mut names = Vec::new();
    for Member { party, .. } in members {
        let is_known = editors.iter().any(|known| is_same(*known, party.editor.as_ref()));
        if !is_known && !party.name.is_empty() {
            names.push(party.name.clone());
        }
        editors.push(party.editor.as_ref());
    }
    names
}

/// Whether two parties speak for one editor.
fn is_same(one: Option<&EditorProcess>, other: Option<&EditorProcess>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.pid == other.pid && one.window == other.window)
}

/// Whether a party that joins is the one that is away, or takes its place: a person who opens a desk again
/// waits for no other one that vanished. An expected desk still runs, and comes itself.
fn replaces(new: &Party, away: &Member) -> bool {
    let (away, has_vanished) = (&away.party, !away.is_expected);
    let is_desk = |party: &Party| party.editor.is_none() && party.role == Role::Desk;
    let is_process = new.editor.is_none() && away.editor.is_none() && new.pid == away.pid;
    let is_reopened = is_desk(new) && is_desk(away) && has_vanished;
    is_process || is_reopened || is_same(new.editor.as_ref(), away.editor.as_ref())
}

/// The editor that a host without one is published as. It names the process of somebody who looks at the
/// host: agents take one of their ancestors for the editor, and a process without a terminal is nobody's
/// ancestor.
pub(super) fn stand_in(party: &Party) -> EditorProcess {
    let pid = party.pid.unwrap_or_else(std::process::id);
    EditorProcess { pid, name: "alongside".into(), display_name: "alongside".into(), window: None }
}

#[cfg(test)]
mod orderings;
#[cfg(test)]
mod tests;
