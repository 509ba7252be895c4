//! An exhaustive walk over the lifecycle: two servers of one editor, one of another, two desks and a keeper
//! join, leave and vanish; editors end; time passes to just before, at and beyond each deadline. The world is
//! finite, so the walk reaches every state from each way to begin, and checks every promise in each.

use std::collections::BTreeSet;

use super::*;

/// Three ticks are [`GRACE`].
const TICK: Duration = Duration::from_secs(10);
const GRACE_TICKS: u8 = 3;

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
    Party { pid: Some(pid), role, name: of.to_string(), owner: speaks.then(|| editor(pid)) }
}

fn editor(pid: u32) -> Owner {
    Owner { pid, name: "ed".into(), display_name: "Ed".into(), window: None }
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Comes(usize),
    Leaves(usize),
    Vanishes(usize),
    /// An editor's process ends. The host may notice at any time from then on.
    Ends(u32),
    Noticed,
    /// A tick passes.
    Time,
}

/// The host and, kept apart from its rules, the facts to check them against.
#[derive(Debug, Clone)]
struct World {
    lifecycle: Lifecycle,
    now: Instant,
    /// The connected parties.
    there: BTreeSet<usize>,
    /// Connected servers of an editor that is gone. They do not count.
    orphaned: BTreeSet<usize>,
    /// Editors whose process has ended.
    ended: BTreeSet<u32>,
    /// The process under which agents find the host.
    found_as: Option<u32>,
    owner: Option<u32>,
    /// For how many ticks nobody who counts was connected, up to more than any deadline.
    alone: u8,
    /// For how many ticks the owner has had no server here, likewise.
    unserved: u8,
    /// For how many ticks the host was hidden.
    hidden: u8,
    /// Ticks since a desk vanished, until one joins.
    lost: u8,
    /// Ticks since the start, while they matter.
    age: u8,
}

impl World {
    fn begin(owner: Option<u32>, starter: u32) -> Self {
        let now = Instant::now();
        let ended = BTreeSet::from_iter(owner.filter(|_| starter != 1 && starter != 2));
        Self {
            lifecycle: Lifecycle::begin(owner.map(editor), starter, now),
            now,
            there: BTreeSet::new(),
            orphaned: BTreeSet::new(),
            // An editor that lives, and one that ended together with the host before.
            ended: if starter == 4 { ended } else { BTreeSet::new() },
            found_as: Some(owner.unwrap_or(starter)),
            owner,
            alone: 0,
            unserved: 0,
            hidden: 0,
            lost: GRACE_TICKS,
            age: 0,
        }
    }

    fn can_happen(&self) -> Vec<Action> {
        let mut can = vec![Action::Time];
        for of in 0..CAST.len() {
            if self.there.contains(&of) {
                can.extend([Action::Leaves(of), Action::Vanishes(of)]);
            } else {
                can.push(Action::Comes(of));
            }
        }
        can.extend([1, 2].into_iter().filter(|pid| !self.ended.contains(pid)).map(Action::Ends));
        if self.owner.is_some_and(|owner| self.ended.contains(&owner)) && self.found_as.is_some() {
            can.push(Action::Noticed);
        }
        can
    }

    /// The processes of connected parties that count.
    fn looking(&self) -> impl Iterator<Item = u32> {
        self.there.difference(&self.orphaned).map(|of| CAST[*of].0)
    }

    fn serves(&self, pid: u32) -> bool {
        self.looking().any(|one| one == pid)
    }

    /// The world after an action; `None` once the host has ended.
    fn after(&self, action: Action) -> Option<Self> {
        let before = self;
        let mut next = self.clone();
        let id = |of: usize| u64::try_from(of).unwrap() + 1;
        let steps = match action {
            Action::Comes(of) => {
                next.there.insert(of);
                if CAST[of].1 == Role::Desk {
                    next.lost = GRACE_TICKS;
                }
                next.lifecycle.joined(id(of), party(of))
            }
            Action::Leaves(of) | Action::Vanishes(of) => {
                next.there.remove(&of);
                let left = matches!(action, Action::Leaves(_));
                let counted = !next.orphaned.remove(&of);
                if !left && counted && next.owner.is_none() && CAST[of].1 == Role::Desk {
                    next.lost = 0;
                }
                next.lifecycle.parted(id(of), left, next.now)
            }
            Action::Ends(pid) => {
                next.ended.insert(pid);
                Vec::new()
            }
            Action::Noticed => next.lifecycle.owner_gone(next.now),
            Action::Time => {
                next.now += TICK;
                // Counters stop where they do not matter any more, so that the world is finite.
                let later = |ticks: &mut u8, most: u8| *ticks = (*ticks + 1).min(most);
                later(&mut next.alone, 2 * GRACE_TICKS);
                for ticks in [&mut next.unserved, &mut next.hidden, &mut next.lost, &mut next.age] {
                    later(ticks, GRACE_TICKS);
                }
                // `deadline` announces everything that is due.
                assert!(
                    next.lifecycle.deadline().is_some_and(|at| at <= next.now)
                        || next.lifecycle.clone().due(next.now).is_empty(),
                    "{before:#?}"
                );
                let mut steps = Vec::new();
                while next.lifecycle.deadline().is_some_and(|at| at <= next.now) {
                    let due = next.lifecycle.due(next.now);
                    let ends = due.contains(&Step::End);
                    steps.extend(due);
                    if ends {
                        break;
                    }
                }
                steps
            }
        };
        for step in &steps {
            match step {
                Step::ShowAs(owner) => next.found_as = Some(owner.pid),
                Step::Hide => {
                    (next.found_as, next.hidden) = (None, 0);
                    let of_the_gone = |of: &&usize| CAST[**of].2 && Some(CAST[**of].0) == before.owner;
                    next.orphaned.extend(next.there.iter().filter(of_the_gone));
                }
                Step::End => {}
            }
        }
        let before_owner = next.owner;
        next.owner = next.lifecycle.owner().map(|owner| owner.pid);
        if next.looking().next().is_some() {
            next.alone = 0;
        }
        if next.owner.is_some_and(|owner| next.looking().any(|pid| pid == owner))
            || next.owner != before_owner
        {
            next.unserved = 0;
        }
        next.holds(before, action, &steps);
        (!steps.contains(&Step::End)).then_some(next)
    }

    /// Checks every promise.
    fn holds(&self, before: &Self, action: Action, steps: &[Step]) {
        let context = || format!("{action:?} gave {steps:?}\nbefore: {before:#?}\nafter: {self:#?}");
        let looking: Vec<u32> = self.looking().collect();
        let hides = steps.contains(&Step::Hide);
        if steps.contains(&Step::End) {
            assert_eq!(steps.last(), Some(&Step::End), "nothing follows the end: {}", context());
            assert!(looking.is_empty(), "the host ends under somebody: {}", context());
            // A vanished desk, and an editor that may come back, get the whole grace.
            match action {
                Action::Leaves(of) if before.owner.is_none() => {
                    assert!(CAST[of].1 == Role::Desk || before.lost >= GRACE_TICKS, "{}", context());
                }
                Action::Time if before.owner.is_none() => {
                    assert!(self.alone >= GRACE_TICKS || self.lost >= GRACE_TICKS, "{}", context());
                }
                Action::Time => {
                    assert!(
                        self.hidden >= GRACE_TICKS || self.age >= GRACE_TICKS && self.alone == self.age,
                        "{}",
                        context()
                    );
                }
                _ => panic!("this does not end the host: {}", context()),
            }
            return;
        }
        // The host lives on for nobody at most for the grace, and for the grace again with an owner.
        let at_most = if self.owner.is_none() { GRACE_TICKS } else { 2 * GRACE_TICKS };
        assert!(self.alone < at_most, "for nobody: {}", context());
        assert!(
            self.alone == 0 || self.lifecycle.deadline().is_some(),
            "for nobody, for good: {}",
            context()
        );
        // The host hides only while nobody is connected and its editor may come back, for the grace at most.
        assert_eq!(self.found_as, self.lifecycle.shown(), "{}", context());
        if self.lifecycle.is_hidden() {
            assert!(looking.is_empty() && self.owner.is_some() && self.hidden < GRACE_TICKS, "{}", context());
        }
        // Agents find an owned host under its owner, and an unowned one under a connected party.
        match (self.found_as, self.owner) {
            (None, _) => {}
            (Some(shown), Some(owner)) => assert_eq!(shown, owner, "{}", context()),
            (Some(shown), None) => {
                let starter = self.age < GRACE_TICKS && !before.lifecycle.is_hidden();
                assert!(looking.is_empty() || looking.contains(&shown) || starter, "{}", context());
            }
        }
        // An editor is gone at once when its process ends; one that lives only if it leaves, or has no
        // server.
        if let (Action::Noticed, Some(gone)) = (action, before.owner) {
            assert!(hides && (self.owner != Some(gone) || self.lifecycle.is_hidden()), "{}", context());
        }
        if hides && let Some(gone) = before.owner {
            let says_so = matches!(action, Action::Leaves(of) if CAST[of].0 == gone && !self.serves(gone));
            let unserved = before.unserved + 1 >= GRACE_TICKS && matches!(action, Action::Time);
            assert!(says_so || unserved || matches!(action, Action::Noticed), "{}", context());
        }
        // No editor takes the host of a living one.
        if let (Some(was), false, false) = (before.owner, hides, before.lifecycle.is_hidden()) {
            assert_eq!(self.owner, Some(was), "{}", context());
        }
        // The first editor that joins a free host owns it.
        if let Action::Comes(of) = action
            && CAST[of].2
            && (before.owner.is_none() || before.lifecycle.is_hidden())
        {
            assert_eq!(self.owner, Some(CAST[of].0), "{}", context());
        }
        // No connected editor is a mere guest of an unowned host.
        let is_editor = |pid: &u32| CAST.iter().any(|(of, _, speaks)| of == pid && *speaks);
        assert!(self.owner.is_some() || !looking.iter().any(is_editor), "{}", context());
        // Discovery files are not rewritten without a change.
        if !hides && self.found_as == before.found_as && self.owner == before.owner {
            assert_eq!(steps, [], "{}", context());
        }
        // Each desk knows whether reviews end when it leaves; a keeper never ends those of a desk that
        // vanished.
        for of in self.there.difference(&self.orphaned) {
            let id = u64::try_from(*of).unwrap() + 1;
            let steps = self.lifecycle.clone().parted(id, true, self.now);
            let ends = steps.iter().any(|step| matches!(step, Step::Hide | Step::End));
            let kept = !self.lifecycle.kept_by(id).is_empty();
            assert!(kept != ends || !ends && CAST[*of].1 == Role::Keeper, "{of}: {}", context());
        }
        // A suspension only moves the deadlines.
        let mut slept = self.lifecycle.clone();
        let gap = 100 * TICK;
        slept.postpone(gap);
        assert_eq!(slept.deadline(), self.lifecycle.deadline().map(|at| at + gap), "{}", context());
    }

    /// Tells this state from others. Times count from now.
    fn key(&self) -> String {
        let from_now = |at: Option<Instant>| {
            at.map(|at| {
                i128::from(at > self.now) * at.saturating_duration_since(self.now).as_millis().cast_signed()
            })
        };
        let (ownership, own) = match &self.lifecycle.ownership {
            Ownership::Unowned { shown, starter_until } => (format!("unowned {shown}"), *starter_until),
            Ownership::Owned { owner, gone_at } => (format!("owned {}", owner.pid), *gone_at),
            Ownership::Hidden { owner } => (format!("hidden {}", owner.pid), None),
        };
        let parties: Vec<_> = self.lifecycle.parties.keys().collect();
        let times = [own, self.lifecycle.lost_until, self.lifecycle.ends_at].map(from_now);
        let counts = [self.alone, self.unserved, self.hidden, self.lost, self.age];
        format!(
            "{parties:?} {ownership} {times:?} {:?} {:?} {:?} {counts:?}",
            self.there, self.ended, self.found_as,
        )
    }
}

#[test]
fn every_order_of_events_keeps_every_promise() {
    // Started by a desk, a keeper, an editor; restarted for its editor by a desk, which may find it dead.
    let beginnings = [(None, 3), (None, 5), (Some(1), 1), (Some(1), 3), (Some(1), 4)];
    let mut seen = BTreeSet::new();
    let mut open: Vec<World> =
        beginnings.into_iter().map(|(owner, starter)| World::begin(owner, starter)).collect();
    let mut ends = 0_usize;
    while let Some(world) = open.pop() {
        if !seen.insert(world.key()) {
            continue;
        }
        for action in world.can_happen() {
            match world.after(action) {
                Some(next) => open.push(next),
                None => ends += 1,
            }
        }
    }
    assert!(seen.len() > 10_000 && ends > 1_000, "{} states, {ends} ends", seen.len());
}
