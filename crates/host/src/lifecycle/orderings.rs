//! An exhaustive walk over the lifecycle. Four parties join, leave, vanish and get the focus; they are taken
//! from two servers of one editor, one of another, two desks and a keeper. Editors end; time passes to just
//! before, at and beyond each deadline. The world is finite, so the walk reaches every state from each way to
//! begin, and checks every promise in each.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::*;

/// Two ticks are [`GRACE`].
const TICK: Duration = Duration::from_secs(15);
const GRACE_TICKS: u8 = 2;

/// Everybody who can join: the process, the role, and whether it speaks for that process as an editor.
const CAST: [(u32, Role, bool); 6] = [
    (1, Role::Desk, true),
    (1, Role::Desk, true),
    (2, Role::Desk, true),
    (3, Role::Desk, false),
    (4, Role::Desk, false),
    (5, Role::Keeper, false),
];

fn party(of: usize) -> Party {
    let (pid, role, speaks) = CAST[of];
    let editor = speaks.then(|| editor(pid));
    Party { pid: Some(pid), role, name: pid.to_string(), editor, roots: Vec::new() }
}

fn editor(pid: u32) -> EditorProcess {
    EditorProcess { pid, name: "ed".into(), display_name: pid.to_string(), window: None }
}

fn is_editor(of: usize) -> bool {
    CAST[of].2
}

/// Whether both are desks in terminals, of which one takes the place of the other.
fn are_desks(one: usize, other: usize) -> bool {
    [one, other].into_iter().all(|of| !is_editor(of) && CAST[of].1 == Role::Desk)
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Comes(usize),
    Focuses(usize),
    Leaves(usize),
    Vanishes(usize),
    /// An editor's process ends. The host may notice at any time from then on.
    Ends(u32),
    Noticed(u32),
    /// The process of an expected party without an editor ends before it has joined.
    Dies(u32),
    /// A tick passes.
    Time,
}

/// The host and, kept apart from its rules, the facts to check them against.
#[derive(Debug, Clone)]
struct World {
    lifecycle: Lifecycle,
    now: Instant,
    /// The parties that can join.
    cast: &'static [usize],
    /// The connected parties.
    there: BTreeSet<usize>,
    /// Connected servers of an editor that is gone. They do not count.
    orphaned: BTreeSet<usize>,
    /// For how many ticks each party has been away; [`GRACE_TICKS`] for one that nobody waits for.
    away: [u8; CAST.len()],
    /// Those of them that have started this host or were at the one before, have not joined yet, and run.
    expected: BTreeSet<usize>,
    /// For how many ticks the editor that was closed last is gone.
    closed: u8,
    /// Editors whose process has ended.
    ended: BTreeSet<u32>,
    /// The processes under which agents find the host, the one used last first.
    found_as: Vec<u32>,
}

impl World {
    /// These parties are expected, the starter first among those without an editor.
    fn begin(cast: &'static [usize], expected: &[usize], ended: &[u32]) -> Self {
        let now = Instant::now();
        let mut away = [GRACE_TICKS; CAST.len()];
        expected.iter().for_each(|of| away[*of] = 0);
        let mut lifecycle = Lifecycle::begin(expected.iter().map(|of| party(*of)).collect(), now);
        // As the host begins: its start has published the first editor only.
        lifecycle.due(now);
        Self {
            found_as: lifecycle.shown.iter().map(|editor| editor.pid).collect(),
            lifecycle,
            now,
            cast,
            there: BTreeSet::new(),
            orphaned: BTreeSet::new(),
            away,
            expected: expected.iter().copied().collect(),
            closed: GRACE_TICKS,
            ended: ended.iter().copied().collect(),
        }
    }

    fn can_happen(&self) -> Vec<Action> {
        let mut can = vec![Action::Time];
        for of in self.cast.iter().copied() {
            if self.there.contains(&of) {
                can.extend([Action::Leaves(of), Action::Vanishes(of)]);
                can.extend(is_editor(of).then_some(Action::Focuses(of)));
            } else {
                can.push(Action::Comes(of));
            }
        }
        let editors =
            BTreeSet::from_iter(self.cast.iter().filter(|of| is_editor(**of)).map(|of| CAST[*of].0));
        can.extend(editors.difference(&self.ended).copied().map(Action::Ends));
        let watched = self.lifecycle.editor_processes();
        can.extend(watched.into_iter().filter(|pid| self.ended.contains(pid)).map(Action::Noticed));
        can.extend(self.lifecycle.expected_processes().into_iter().map(Action::Dies));
        can
    }

    /// The connected parties that count.
    fn looking(&self) -> impl Iterator<Item = usize> {
        self.there.difference(&self.orphaned).copied()
    }

    /// The parties that are waited for.
    fn awaited(&self) -> impl Iterator<Item = usize> {
        (0..CAST.len()).filter(|of| self.away[*of] < GRACE_TICKS)
    }

    fn is_anybody_there(&self) -> bool {
        self.looking().chain(self.awaited()).next().is_some()
    }

    /// The editors that are there.
    fn editors(&self) -> BTreeSet<u32> {
        self.looking().chain(self.awaited()).filter(|of| is_editor(*of)).map(|of| CAST[of].0).collect()
    }

    /// Whether another server of the editor is there.
    fn is_served(&self, of: usize) -> bool {
        is_editor(of) && self.editors().contains(&CAST[of].0)
    }

    /// The world after an action; `None` once the host has ended.
    fn after(&self, action: Action) -> Option<Self> {
        let mut next = self.clone();
        let id = |of: usize| u64::try_from(of).unwrap() + 1;
        let steps = match action {
            Action::Comes(of) => {
                next.there.insert(of);
                for (other, away) in next.away.iter_mut().enumerate() {
                    let takes_its_place = are_desks(of, other) && !next.expected.contains(&other);
                    if CAST[other].0 == CAST[of].0 || takes_its_place {
                        *away = GRACE_TICKS;
                    }
                }
                next.forget_expected();
                next.lifecycle.joined(id(of), party(of), next.now)
            }
            Action::Focuses(of) => next.lifecycle.focused(id(of), next.now),
            Action::Leaves(of) | Action::Vanishes(of) => {
                next.there.remove(&of);
                let left = matches!(action, Action::Leaves(_));
                if !next.orphaned.remove(&of) && !next.is_served(of) {
                    match left {
                        true if is_editor(of) => next.closed = 0,
                        true => {}
                        false => next.away[of] = 0,
                    }
                }
                next.lifecycle.parted(id(of), left, next.now)
            }
            Action::Ends(pid) => {
                next.ended.insert(pid);
                Vec::new()
            }
            Action::Noticed(pid) => {
                next.closed = 0;
                for of in (0..CAST.len()).filter(|of| CAST[*of].0 == pid) {
                    next.away[of] = GRACE_TICKS;
                    if next.there.contains(&of) {
                        next.orphaned.insert(of);
                    }
                }
                next.lifecycle.editor_ended(pid, next.now)
            }
            Action::Dies(pid) => {
                let expected = next.expected.len();
                next.expected.retain(|of| CAST[*of].0 != pid);
                assert!(next.expected.len() < expected, "{self:#?}");
                next.lifecycle.expected_ended(pid);
                next.lifecycle.due(next.now)
            }
            Action::Time => {
                next.now += TICK;
                for ticks in next.away.iter_mut().chain([&mut next.closed]) {
                    *ticks = (*ticks + 1).min(GRACE_TICKS);
                }
                next.forget_expected();
                // `deadline` announces everything that is due.
                let is_due = next.lifecycle.deadline().is_some_and(|at| at <= next.now);
                let due = next.lifecycle.due(next.now);
                assert!(is_due || due.is_empty(), "{self:#?}");
                due
            }
        };
        for step in &steps {
            match step {
                Step::Show(editors) => next.found_as = editors.iter().map(|editor| editor.pid).collect(),
                Step::Hide => next.found_as.clear(),
                Step::End => {}
            }
        }
        next.holds(self, action, &steps);
        (!steps.contains(&Step::End)).then_some(next)
    }

    /// Nobody is expected any more who has come, or has not come in time.
    fn forget_expected(&mut self) {
        self.expected.retain(|of| self.away[*of] < GRACE_TICKS);
    }

    /// Checks every promise.
    fn holds(&self, before: &Self, action: Action, steps: &[Step]) {
        let context = || format!("{action:?} gave {steps:?}\nbefore: {before:#?}\nafter: {self:#?}");
        assert!(steps.len() <= 1, "one step leads to the new state: {}", context());
        // The host is visible, and reviews wait, exactly while somebody is there. It lives on for an editor
        // that was closed, for the grace, and then ends.
        let expected = match (self.is_anybody_there(), self.closed < GRACE_TICKS) {
            (true, _) => "shown",
            (false, true) => "hidden",
            (false, false) => "ended",
        };
        let is = match (steps.contains(&Step::End), self.found_as.is_empty()) {
            (true, _) => "ended",
            (false, true) => "hidden",
            (false, false) => "shown",
        };
        assert_eq!(is, expected, "{}", context());
        if is == "ended" {
            return;
        }
        // Nobody waits for good.
        let is_waiting = self.looking().next().is_none();
        assert_eq!(self.lifecycle.time_left(self.now).is_some(), is_waiting, "{}", context());
        assert!(!is_waiting || self.lifecycle.deadline().is_some(), "{}", context());
        assert_eq!(self.lifecycle.is_hidden(), is == "hidden", "{}", context());
        // Agents find the host under every editor that is there; without one, under somebody connected.
        let editors = self.editors();
        if !editors.is_empty() {
            assert_eq!(self.found_as.iter().copied().collect::<BTreeSet<_>>(), editors, "{}", context());
        } else if is == "shown" {
            let mut looking = self.looking().map(|of| CAST[of].0).peekable();
            let is_there = match looking.peek() {
                Some(_) => looking.any(|pid| [pid] == *self.found_as),
                None => self.awaited().any(|of| [CAST[of].0] == *self.found_as),
            };
            assert!(is_there, "{}", context());
        }
        // The editor that the person used last comes first.
        if let Action::Comes(of) | Action::Focuses(of) = action
            && is_editor(of)
            && !self.orphaned.contains(&of)
        {
            assert_eq!(self.found_as.first(), Some(&CAST[of].0), "{}", context());
        }
        // Discovery files are not rewritten without a change.
        assert!(self.found_as != before.found_as || steps.is_empty(), "{}", context());
    }

    /// Checks the promises about a state, however it was reached.
    fn state_holds(&self) {
        // Each desk knows whether reviews end when it leaves.
        for of in self.looking() {
            let id = u64::try_from(of).unwrap() + 1;
            let ends = self.lifecycle.clone().parted(id, true, self.now);
            let ends = ends.iter().any(|step| matches!(step, Step::Hide | Step::End));
            assert_eq!(self.lifecycle.kept_by(id).is_empty(), ends, "{of}: {self:#?}");
        }
        // A suspension only moves the deadlines.
        let mut slept = self.lifecycle.clone();
        let gap = 100 * TICK;
        slept.postpone(gap);
        assert_eq!(slept.deadline(), self.lifecycle.deadline().map(|at| at + gap), "{self:#?}");
    }

    /// Tells this state from others. Times count from now.
    fn key(&self) -> u64 {
        let editors = self.lifecycle.members.values().filter(|member| member.party.editor.is_some());
        let mut used: Vec<_> = editors.map(|member| member.used).collect();
        used.sort_unstable();
        let members = self.lifecycle.members.iter().map(|(id, member)| {
            let rank = member.party.editor.as_ref().and_then(|_| used.binary_search(&member.used).ok());
            (*id, member.away_until.map(|until| self.left(until)), rank, member.is_expected)
        });
        let closed = self.lifecycle.closed.as_ref().map(|(editor, at)| (editor.pid, self.left(*at)));
        let facts = (self.cast, &self.there, &self.orphaned, &self.ended, &self.found_as);
        let ages = (self.away, &self.expected, self.closed);
        let mut hasher = DefaultHasher::new();
        (members.collect::<Vec<_>>(), closed, facts, ages).hash(&mut hasher);
        hasher.finish()
    }

    fn left(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.now).as_secs()
    }
}

#[test]
fn every_order_of_events_keeps_every_promise() {
    // Started by a desk, a keeper, an editor; restarted for one or two editors by a desk, which may find one
    // dead; restarted for a desk, a keeper or all of them by another desk, a keeper or an editor.
    let beginnings: [(&[usize], &[u32]); 12] = [
        (&[3], &[]),
        (&[5], &[]),
        (&[0], &[]),
        (&[0, 3], &[]),
        (&[0, 4], &[1]),
        (&[2, 0, 3], &[]),
        (&[3, 4], &[]),
        (&[4, 3], &[]),
        (&[3, 5], &[]),
        (&[5, 3], &[]),
        (&[0, 3, 4], &[]),
        (&[2, 0, 3, 5], &[]),
    ];
    let casts: [&'static [usize]; 3] = [&[0, 1, 3, 5], &[0, 2, 3, 4], &[0, 2, 3, 5]];
    let mut seen = HashSet::new();
    let mut open: Vec<World> = Vec::new();
    for cast in casts {
        let worlds = beginnings.iter().filter(|(expected, _)| expected.iter().all(|of| cast.contains(of)));
        open.extend(worlds.map(|(expected, ended)| World::begin(cast, expected, ended)));
    }
    let mut ends = 0_usize;
    while let Some(world) = open.pop() {
        if !seen.insert(world.key()) {
            continue;
        }
        world.state_holds();
        for action in world.can_happen() {
            match world.after(action) {
                Some(next) => open.push(next),
                None => ends += 1,
            }
        }
    }
    assert!(seen.len() > 10_000 && ends > 1_000, "{} states, {ends} ends", seen.len());
}
