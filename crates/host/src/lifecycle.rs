//! The rules on how long a host lives, and for which parties. They use no clock, process or socket: the
//! [host's loop](super::serve) passes in events with their times, and carries out the [steps](Step).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::socket::{EditorProcess, Role};
use tokio::time::Instant;

use super::registry_entry::PartyRecord;

/// The time for which the host waits for a party that vanished, and for an editor that was closed.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// A desk or a keeper that has joined, or is to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Party {
    /// The process id of the party, or of its editor.
    pub(super) pid: Option<u32>,
    pub(super) role: Role,
    /// The name for people.
    pub(super) name: String,
    /// The editor for which the party works.
    pub(super) editor: Option<EditorProcess>,
    /// The projects of the party.
    pub(super) roots: Vec<PathBuf>,
}

/// The way in which a party disconnects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Departure {
    /// The party has said goodbye.
    Left,
    /// The party has vanished, and may come back.
    Vanished,
}

/// An action that the host has to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Publish the host under these editors, the most recently used editor first.
    Publish(Vec<EditorProcess>),
    /// No party is left: reject waiting reviews and remove the discovery files, but keep agents' streams.
    Hide,
    /// Reject waiting reviews, and end.
    End,
}

/// A party that is connected, away or expected.
#[derive(Debug, Clone)]
struct Member {
    party: Party,
    /// The time until which the party counts as present, although it is not connected.
    away_until: Option<Instant>,
    /// Whether the party has not joined yet, and its process still runs as far as the host knows.
    is_expected: bool,
    /// Rises with each use of a party: the party used last has the greatest number. Zero until it joins.
    last_use: u64,
}

/// The state of the rules.
#[derive(Debug, Clone)]
pub(super) struct Lifecycle {
    members: BTreeMap<u64, Member>,
    /// The editor that was closed last, and the time until which the host waits for it if no party is left.
    closed_editor: Option<(EditorProcess, Instant)>,
    /// The editors that the host is published as. Empty while the host is hidden.
    published: Vec<EditorProcess>,
    /// The number of uses so far.
    use_count: u64,
}

impl Lifecycle {
    /// Creates the state of a host that was just started. It waits for these parties: its starter and, after
    /// a crash, the parties of the previous host. It is published as the first editor, or otherwise under the
    /// first party.
    pub(super) fn begin(expected: Vec<Party>, now: Instant) -> Self {
        let expect = |party| Member { party, away_until: Some(now + GRACE), is_expected: true, last_use: 0 };
        let expected = expected.into_iter().rev().map(expect);
        // Expected parties are numbered downwards from the greatest number, so that no connected one,
        // numbered upwards from 1, gets the same.
        let members: BTreeMap<u64, Member> = (0..u64::MAX).rev().zip(expected).collect();
        let mut lifecycle = Self { members, closed_editor: None, published: Vec::new(), use_count: 0 };
        lifecycle.published = lifecycle.editors_to_publish();
        lifecycle.published.truncate(1);
        lifecycle
    }

    /// Moves every deadline by the time for which the process or the machine was suspended.
    pub(super) fn postpone(&mut self, gap: Duration) {
        let away = self.members.values_mut().filter_map(|member| member.away_until.as_mut());
        away.chain(self.closed_editor.as_mut().map(|(_, until)| until)).for_each(|until| *until += gap);
    }

    /// Whether no party is left, and the host waits for an editor that was closed.
    pub(super) fn is_hidden(&self) -> bool {
        self.published.is_empty()
    }

    /// Returns the editors, the most recently used one first. While hidden, returns the editor that the host
    /// waits for.
    pub(super) fn editors(&self) -> Vec<EditorProcess> {
        match &self.closed_editor {
            Some((editor, _)) if self.is_hidden() => vec![editor.clone()],
            _ => self.present_editors(),
        }
    }

    /// Returns the editors of all members, one for each process.
    fn present_editors(&self) -> Vec<EditorProcess> {
        let mut members: Vec<_> = self.members.values().collect();
        members.sort_by_key(|member| Reverse(member.last_use));
        let mut editors: Vec<EditorProcess> = Vec::new();
        for editor in members.into_iter().filter_map(|member| member.party.editor.as_ref()) {
            if editors.iter().all(|known| known.pid != editor.pid) {
                editors.push(editor.clone());
            }
        }
        editors
    }

    /// Returns all parties without an editor. After a crash, the next host expects them.
    pub(super) fn parties_without_editor(&self) -> Vec<PartyRecord> {
        let parties = self.members.values().map(|Member { party, .. }| party);
        let record =
            |party: &Party| Some(PartyRecord { pid: party.pid?, role: party.role, name: party.name.clone() });
        parties.filter(|party| party.editor.is_none()).filter_map(record).collect()
    }

    /// Returns the projects of all members.
    pub(super) fn roots(&self) -> impl Iterator<Item = &PathBuf> {
        self.members.values().flat_map(|member| &member.party.roots)
    }

    /// Returns the names of the parties that keep the host and its reviews when this party leaves: desks or,
    /// if no other desk is left, keepers.
    pub(super) fn kept_by(&self, id: u64) -> Vec<String> {
        let others = || self.members.iter().filter(move |(of, _)| **of != id).map(|(_, member)| member);
        let desks = names(others().filter(|member| member.party.role == Role::Desk));
        if desks.is_empty() { names(others()) } else { desks }
    }

    /// Returns the names of all members.
    pub(super) fn member_names(&self) -> Vec<String> {
        names(self.members.values())
    }

    /// Handles that a desk or a keeper has joined.
    pub(super) fn joined(&mut self, id: u64, party: Party, now: Instant) -> Vec<Step> {
        self.members.retain(|_, member| member.away_until.is_none() || !replaces(&party, member));
        self.use_count += 1;
        let last_use = self.use_count;
        self.members.insert(id, Member { party, away_until: None, is_expected: false, last_use });
        self.settle(now)
    }

    /// Handles that the person has focused a desk.
    pub(super) fn focused(&mut self, id: u64, now: Instant) -> Vec<Step> {
        // A desk reports its focus with each move of the cursor.
        let Some(member) = self.members.get_mut(&id).filter(|member| member.last_use < self.use_count) else {
            return Vec::new();
        };
        self.use_count += 1;
        member.last_use = self.use_count;
        self.settle(now)
    }

    /// Handles that an editor has opened or closed projects.
    pub(super) fn change_roots(&mut self, id: u64, added: Vec<PathBuf>, removed: &[PathBuf]) {
        if let Some(Member { party, .. }) = self.members.get_mut(&id) {
            party.roots.retain(|root| !removed.contains(root));
            party.roots.extend(added);
        }
    }

    /// Handles that a party has disconnected.
    pub(super) fn parted(&mut self, id: u64, departure: Departure, now: Instant) -> Vec<Step> {
        let Some(mut member) = self.members.remove(&id) else {
            return Vec::new();
        };
        let editor = member.party.editor.clone();
        // The editor may have another server.
        let is_its = |other: &Member| is_same_editor(other.party.editor.as_ref(), editor.as_ref());
        let is_served = self.members.values().any(is_its);
        match (departure, editor) {
            _ if is_served => {}
            (Departure::Left, Some(editor)) => self.closed_editor = Some((editor, now + GRACE)),
            (Departure::Left, None) => {}
            (Departure::Vanished, _) => {
                member.away_until = Some(now + GRACE);
                self.members.insert(id, member);
            }
        }
        self.settle(now)
    }

    /// Returns the process ids of the editors. The end of such a process closes its editor.
    pub(super) fn editor_processes(&self) -> Vec<u32> {
        if self.is_hidden() { Vec::new() } else { self.editors().iter().map(|editor| editor.pid).collect() }
    }

    /// Handles the end of an editor's process. The servers of the editor may live for a moment, and no longer
    /// count.
    pub(super) fn editor_ended(&mut self, pid: u32, now: Instant) -> Vec<Step> {
        let is_its = |member: &Member| member.party.editor.as_ref().is_some_and(|editor| editor.pid == pid);
        let Some(ended) = self.members.values().find(|member| is_its(member)) else {
            return Vec::new();
        };
        self.closed_editor = ended.party.editor.clone().map(|editor| (editor, now + GRACE));
        self.members.retain(|_, member| !is_its(member));
        self.settle(now)
    }

    /// Returns the process ids of expected parties without an editor. A party whose process ends has
    /// vanished.
    pub(super) fn expected_processes(&self) -> Vec<u32> {
        let expected = self.members.values().filter(|member| member.is_expected).map(|member| &member.party);
        expected.filter(|party| party.editor.is_none()).filter_map(|party| party.pid).collect()
    }

    /// Handles the end of an expected party's process. The host then waits for the party as for any party
    /// that vanished, and another desk may replace it.
    pub(super) fn expected_ended(&mut self, pid: u32) {
        for member in self.members.values_mut() {
            member.is_expected &= member.party.editor.is_some() || member.party.pid != Some(pid);
        }
    }

    /// Whether the host waits for a party or an editor, even if nothing happens at the end of that time, such
    /// as for a closed editor while desks are connected.
    pub(super) fn is_waiting(&self, now: Instant) -> bool {
        self.deadline().is_some() || self.closed_editor.as_ref().is_some_and(|(_, until)| *until > now)
    }

    /// Returns the time for which the host still waits for a party; `None` while a party is connected.
    pub(super) fn time_left(&self, now: Instant) -> Option<Duration> {
        let is_connected = self.members.values().any(|member| member.away_until.is_none());
        let away = self.members.values().filter_map(|member| member.away_until);
        let end = away.chain(self.closed_editor.as_ref().map(|(_, until)| *until)).max();
        end.filter(|_| !is_connected).map(|end| end.saturating_duration_since(now))
    }

    /// Returns the time at which the next step is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let closed = self.closed_editor.as_ref().filter(|_| self.is_hidden()).map(|(_, until)| *until);
        self.members.values().filter_map(|member| member.away_until).chain(closed).min()
    }

    /// Removes the members whose time is over, and returns the resulting steps.
    pub(super) fn handle_deadline(&mut self, now: Instant) -> Vec<Step> {
        self.members.retain(|_, member| member.away_until.is_none_or(|until| until > now));
        self.settle(now)
    }

    /// Returns the steps that lead to the state in which the host should be.
    fn settle(&mut self, now: Instant) -> Vec<Step> {
        let editors = self.editors_to_publish();
        if !editors.is_empty() {
            let is_new = editors != self.published;
            self.published.clone_from(&editors);
            return if is_new { vec![Step::Publish(editors)] } else { Vec::new() };
        }
        match self.closed_editor {
            Some((_, until)) if until > now => {
                let was_published = !std::mem::take(&mut self.published).is_empty();
                if was_published { vec![Step::Hide] } else { Vec::new() }
            }
            _ => vec![Step::End],
        }
    }

    /// Returns the editors under which agents are to find the host: every editor that is present. Without an
    /// editor, returns a stand-in for a member: a connected one before one that is away, and the same one as
    /// before if possible.
    fn editors_to_publish(&self) -> Vec<EditorProcess> {
        let editors = self.present_editors();
        if !editors.is_empty() {
            return editors;
        }
        let first = self.published.first();
        let is_published = |member: &Member| first.is_some_and(|editor| member.party.pid == Some(editor.pid));
        let stands_in =
            self.members.values().min_by_key(|member| (member.away_until.is_some(), !is_published(member)));
        stands_in.map(|member| stand_in(&member.party)).into_iter().collect()
    }
}

/// Returns the names of members for people, one for each editor.
fn names<'a>(members: impl Iterator<Item = &'a Member>) -> Vec<String> {
    let mut editors = Vec::new();
    let mut names = Vec::new();
    for Member { party, .. } in members {
        let is_known = editors.iter().any(|known| is_same_editor(*known, party.editor.as_ref()));
        if !is_known && !party.name.is_empty() {
            names.push(party.name.clone());
        }
        editors.push(party.editor.as_ref());
    }
    names
}

/// Whether two parties belong to the same editor.
fn is_same_editor(one: Option<&EditorProcess>, other: Option<&EditorProcess>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.pid == other.pid && one.window == other.window)
}

/// Whether a party that joins is the one that is away, or replaces it: a person who opens a desk again does
/// not wait for the desk that vanished. An expected desk still runs, and joins itself.
fn replaces(new: &Party, away: &Member) -> bool {
    let (away, has_vanished) = (&away.party, !away.is_expected);
    let is_desk = |party: &Party| party.editor.is_none() && party.role == Role::Desk;
    let is_process = new.editor.is_none() && away.editor.is_none() && new.pid == away.pid;
    let is_reopened = is_desk(new) && is_desk(away) && has_vanished;
    is_process || is_reopened || is_same_editor(new.editor.as_ref(), away.editor.as_ref())
}

/// Returns the editor as which a host without an editor is published. It names the process of a party,
/// because agents take one of their ancestors for the editor, and a process without a terminal is the
/// ancestor of no agent.
pub(super) fn stand_in(party: &Party) -> EditorProcess {
    let pid = party.pid.unwrap_or_else(std::process::id);
    EditorProcess { pid, name: "alongside".into(), display_name: "alongside".into(), window: None }
}

#[cfg(test)]
mod orderings;
#[cfg(test)]
mod tests;
