//! An exhaustive walk over the states of the lifecycle. Four parties join, leave, vanish and get the focus.
//! They are taken from two servers of one editor, one server of another editor, two desks and a keeper.
//! Editors end, and time passes to just before, at and after each deadline. The number of states is finite,
//! so the walk reaches every state from each start, and checks every promise in each state.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::*;

/// Half of [`GRACE`].
const TICK: Duration = Duration::from_secs(15);
const GRACE_TICKS: u8 = 2;

/// The parties that can join: the process id, the role, and whether the party belongs to an editor with that
/// process.
const PARTIES: [(u32, Role, bool); 6] = [
    (1, Role::Desk, true),
    (1, Role::Desk, true),
    (2, Role::Desk, true),
    (3, Role::Desk, false),
    (4, Role::Desk, false),
    (5, Role::Keeper, false),
];

fn party(of: usize) -> Party {
    let (pid, role, speaks) = PARTIES[of];
    let editor = speaks.then(|| editor(pid));
    Party { pid: Some(pid), role, name: pid.to_string(), editor, roots: Vec::new() }
}

fn editor(pid: u32) -> EditorProcess {
    EditorProcess { pid, name: "ed".into(), display_name: pid.to_string(), window: None }
}

fn is_editor(of: usize) -> bool {
    PARTIES[of].2
}

/// Whether both parties are desks in terminals, of which one replaces the other.
fn are_desks(one: usize, other: usize) -> bool {
    [one, other].into_iter().all(|of| !is_editor(of) && PARTIES[of].1 == Role::Desk)
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Comes(usize),
    Focuses(usize),
    Leaves(usize),
    Vanishes(usize),
    /// An editor's process ends. The host may notice the end at any time afterwards.
    Ends(u32),
    Noticed(u32),
    /// The process of an expected party without an editor ends before it has joined.
    Dies(u32),
    /// A tick passes.
    Time,
}

/// The host, and the expected facts, which are computed independently of its rules.
#[derive(Debug, Clone)]
struct World {
    lifecycle: Lifecycle,
    now: Instant,
    /// Connected servers of an editor that has ended. They do not count.
    cast: &'static [usize],
    /// The connected parties.
    there: BTreeSet<usize>,
    /// Connected servers of an editor that has ended. They do not count.
    orphaned: BTreeSet<usize>,
    /// The number of ticks for which each party has been away; [`GRACE_TICKS`] if the host does not wait for
    /// the party.
    away: [u8; PARTIES.len()],
    /// The awaited parties that started this host or were at the previous one, have not joined yet, and run.
    expected: BTreeSet<usize>,
    /// The number of ticks since the last closing of an editor.
    closed: u8,
    /// Editors whose process has ended.
    ended: BTreeSet<u32>,
    /// The process ids under which agents find the host, the most recently used first.
    found_as: Vec<u32>,
}

impl World {
    /// Creates a host that expects these parties, the starter first among the parties without an editor.
    fn begin(cast: &'static [usize], expected: &[usize], ended: &[u32]) -> Self {
        let now = Instant::now();
        let mut away = [GRACE_TICKS; PARTIES.len()];
        expected.iter().for_each(|of| away[*of] = 0);
        let mut lifecycle = Lifecycle::begin(expected.iter().map(|of| party(*of)).collect(), now);
        // A host begins in this way: its start has published only the first editor.
        lifecycle.handle_deadline(now);
        Self {
            found_as: lifecycle.published.iter().map(|editor| editor.pid).collect(),
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
            BTreeSet::from_iter(self.cast.iter().filter(|of| is_editor(**of)).map(|of| PARTIES[*of].0));
        can.extend(editors.difference(&self.ended).copied().map(Action::Ends));
        let watched = self.lifecycle.editor_processes();
        can.extend(watched.into_iter().filter(|pid| self.ended.contains(pid)).map(Action::Noticed));
        can.extend(self.lifecycle.expected_processes().into_iter().map(Action::Dies));
        can
    }

    /// Returns the connected parties that count.
    fn counted(&self) -> impl Iterator<Item = usize> {
        self.there.difference(&self.orphaned).copied()
    }

    /// Returns the parties for which the host waits.
    fn awaited(&self) -> impl Iterator<Item = usize> {
        (0..PARTIES.len()).filter(|of| self.away[*of] < GRACE_TICKS)
    }

    fn is_any_present(&self) -> bool {
        self.counted().chain(self.awaited()).next().is_some()
    }

    /// Returns the editors that are present.
    fn editors(&self) -> BTreeSet<u32> {
        self.counted().chain(self.awaited()).filter(|of| is_editor(*of)).map(|of| PARTIES[of].0).collect()
    }

    /// Whether another server of the editor is present.
    fn is_served(&self, of: usize) -> bool {
        is_editor(of) && self.editors().contains(&PARTIES[of].0)
    }

    /// Returns the world after an action; `None` once the host has ended.
    fn after(&self, action: Action) -> Option<Self> {
        let mut next = self.clone();
        let id = |of: usize| u64::try_from(of).unwrap() + 1;
        let steps = match action {
            Action::Comes(of) => {
                next.there.insert(of);
                for (other, away) in next.away.iter_mut().enumerate() {
                    let takes_its_place = are_desks(of, other) && !next.expected.contains(&other);
                    if PARTIES[other].0 == PARTIES[of].0 || takes_its_place {
                        *away = GRACE_TICKS;
                    }
                }
                next.forget_expected();
                next.lifecycle.joined(id(of), party(of), next.now)
            }
            Action::Focuses(of) => next.lifecycle.focused(id(of), next.now),
            Action::Leaves(of) | Action::Vanishes(of) => {
                next.there.remove(&of);
                let departure = match action {
                    Action::Leaves(_) => Departure::Left,
                    _ => Departure::Vanished,
                };
                if !next.orphaned.remove(&of) && !next.is_served(of) {
                    match departure {
                        Departure::Left if is_editor(of) => next.closed = 0,
                        Departure::Left => {}
                        Departure::Vanished => next.away[of] = 0,
                    }
                }
                next.lifecycle.parted(id(of), departure, next.now)
            }
            Action::Ends(pid) => {
                next.ended.insert(pid);
                Vec::new()
            }
            Action::Noticed(pid) => {
                next.closed = 0;
                for of in (0..PARTIES.len()).filter(|of| PARTIES[*of].0 == pid) {
                    next.away[of] = GRACE_TICKS;
                    if next.there.contains(&of) {
                        next.orphaned.insert(of);
                    }
                }
                next.lifecycle.editor_ended(pid, next.now)
            }
            Action::Dies(pid) => {
                let expected = next.expected.len();
                next.expected.retain(|of| PARTIES[*of].0 != pid);
                assert!(next.expected.len() < expected, "{self:#?}");
                next.lifecycle.expected_ended(pid);
                next.lifecycle.handle_deadline(next.now)
            }
            Action::Time => {
                next.now += TICK;
                for ticks in next.away.iter_mut().chain([&mut next.closed]) {
                    *ticks = (*ticks + 1).min(GRACE_TICKS);
                }
                next.forget_expected();
                // `deadline` announces everything that is due.
                let is_due = next.lifecycle.deadline().is_some_and(|at| at <= next.now);
                let due = next.lifecycle.handle_deadline(next.now);
                assert!(is_due || due.is_empty(), "{self:#?}");
                due
            }
        };
        for step in &steps {
            match step {
                Step::Publish(editors) => next.found_as = editors.iter().map(|editor| editor.pid).collect(),
                Step::Hide => next.found_as.clear(),
                Step::End => {}
            }
        }
        next.check_transition(self, action, &steps);
        (!steps.contains(&Step::End)).then_some(next)
    }

    /// Forgets expected parties that have joined, or have not joined in time.
    fn forget_expected(&mut self) {
        self.expected.retain(|of| self.away[*of] < GRACE_TICKS);
    }

    /// Checks every promise after an action.
    fn check_transition(&self, before: &Self, action: Action, steps: &[Step]) {
        let context = || format!("{action:?} gave {steps:?}\nbefore: {before:#?}\nafter: {self:#?}");
        assert!(steps.len() <= 1, "one step leads to the new state: {}", context());
        // The host is visible, and reviews wait, exactly while a party is present. For an editor that was
        // closed, the host lives until the end of the grace period.
        let expected = match (self.is_any_present(), self.closed < GRACE_TICKS) {
            (true, _) => "published",
            (false, true) => "hidden",
            (false, false) => "ended",
        };
        let is = match (steps.contains(&Step::End), self.found_as.is_empty()) {
            (true, _) => "ended",
            (false, true) => "hidden",
            (false, false) => "published",
        };
        assert_eq!(is, expected, "{}", context());
        if is == "ended" {
            return;
        }
        // The host never waits without a limit.
        let is_waiting = self.counted().next().is_none();
        assert_eq!(self.lifecycle.time_left(self.now).is_some(), is_waiting, "{}", context());
        assert!(!is_waiting || self.lifecycle.deadline().is_some(), "{}", context());
        assert_eq!(self.lifecycle.is_hidden(), is == "hidden", "{}", context());
        // Agents find the host under every editor that is present. Without an editor, they find it under a
        // connected party.
        let editors = self.editors();
        if !editors.is_empty() {
            assert_eq!(self.found_as.iter().copied().collect::<BTreeSet<_>>(), editors, "{}", context());
        } else if is == "published" {
            let mut counted = self.counted().map(|of| PARTIES[of].0).peekable();
            let is_there = match counted.peek() {
                Some(_) => counted.any(|pid| [pid] == *self.found_as),
                None => self.awaited().any(|of| [PARTIES[of].0] == *self.found_as),
            };
            assert!(is_there, "{}", context());
        }
        // The most recently used editor comes first.
        if let Action::Comes(of) | Action::Focuses(of) = action
            && is_editor(of)
            && !self.orphaned.contains(&of)
        {
            assert_eq!(self.found_as.first(), Some(&PARTIES[of].0), "{}", context());
        }
        // Discovery files are not rewritten without a change.
        assert!(self.found_as != before.found_as || steps.is_empty(), "{}", context());
    }

    /// Checks the promises about a state, independently of the way to it.
    fn check_state(&self) {
        // Each desk knows whether reviews end when the desk leaves.
        for of in self.counted() {
            let id = u64::try_from(of).unwrap() + 1;
            let ends = self.lifecycle.clone().parted(id, Departure::Left, self.now);
            let ends = ends.iter().any(|step| matches!(step, Step::Hide | Step::End));
            assert_eq!(self.lifecycle.kept_by(id).is_empty(), ends, "{of}: {self:#?}");
        }
        // A suspension only moves the deadlines.
        let mut slept = self.lifecycle.clone();
        let gap = 100 * TICK;
        slept.postpone(gap);
        assert_eq!(slept.deadline(), self.lifecycle.deadline().map(|at| at + gap), "{self:#?}");
    }

    /// Returns a hash that distinguishes this state from other states. Times are relative to now.
    fn key(&self) -> u64 {
        let editors = self.lifecycle.members.values().filter(|member| member.party.editor.is_some());
        let mut uses: Vec<_> = editors.map(|member| member.last_use).collect();
        uses.sort_unstable();
        let members = self.lifecycle.members.iter().map(|(id, member)| {
            let rank = member.party.editor.as_ref().and_then(|_| uses.binary_search(&member.last_use).ok());
            (*id, member.away_until.map(|until| self.left(until)), rank, member.is_expected)
        });
        let closed = self.lifecycle.closed_editor.as_ref().map(|(editor, at)| (editor.pid, self.left(*at)));
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
    // A desk, a keeper or an editor starts the host. After a crash, a desk restarts it for one or two
    // editors, of which one may have ended; or another desk, a keeper or an editor restarts it for a desk, a
    // keeper or all of them.
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
        world.check_state();
        for action in world.can_happen() {
            match world.after(action) {
                Some(next) => open.push(next),
                None => ends += 1,
            }
        }
    }
    assert!(seen.len() > 10_000 && ends > 1_000, "{} states, {ends} ends", seen.len());
}
