//! The promises of a host's life, held against every order in which things can happen: two servers of one
//! editor, one of another, two desks and a run come, leave and vanish; editors end; time passes to just
//! before, at and beyond what is due. The world is finite, so it is walked to its end: each state that can be
//! reached is reached, from each way to begin.

use std::collections::BTreeSet;

use super::*;

/// Three of them are the grace.
const TICK: Duration = Duration::from_secs(10);
const GRACE_TICKS: u8 = 3;

/// Those who can be there: process, role, and whether it speaks for its process, an editor.
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
    Party { pid: Some(pid), role, owner: speaks.then(|| editor(pid)) }
}

fn editor(pid: u32) -> Owner {
    Owner { pid, name: "ed".into(), display_name: "Ed".into(), window: None }
}

#[derive(Debug, Clone, Copy)]
enum Happens {
    Comes(usize),
    Leaves(usize),
    Vanishes(usize),
    /// An editor's process, which the host may notice at any time from then on.
    Ends(u32),
    Noticed,
    /// A tick.
    Time,
}

/// The host and, beside it, what is so: nothing of it is asked of the rules that are tried.
#[derive(Debug, Clone)]
struct World {
    lifecycle: Lifecycle,
    now: Instant,
    /// Who is connected.
    there: BTreeSet<usize>,
    /// Those of them who speak for an editor that is gone: they are nobody.
    orphaned: BTreeSet<usize>,
    /// Editors whose process has ended.
    ended: BTreeSet<u32>,
    /// As whom agents find it.
    found_as: Option<u32>,
    owner: Option<u32>,
    /// For how many ticks nobody who counts has been there, up to more than anything may take.
    alone: u8,
    /// For how many ticks the editor it belongs to has had no server here, likewise.
    unserved: u8,
    /// For how many ticks it has been hidden.
    hidden: u8,
    /// How long ago a desk vanished, until one comes.
    lost: u8,
    /// Its age, while that matters.
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

    fn can_happen(&self) -> Vec<Happens> {
        let mut can = vec![Happens::Time];
        for of in 0..CAST.len() {
            if self.there.contains(&of) {
                can.extend([Happens::Leaves(of), Happens::Vanishes(of)]);
            } else {
                can.push(Happens::Comes(of));
            }
        }
        can.extend([1, 2].into_iter().filter(|pid| !self.ended.contains(pid)).map(Happens::Ends));
        if self.owner.is_some_and(|owner| self.ended.contains(&owner)) && self.found_as.is_some() {
            can.push(Happens::Noticed);
        }
        can
    }

    /// The processes of those who look at it.
    fn looking(&self) -> impl Iterator<Item = u32> {
        self.there.difference(&self.orphaned).map(|of| CAST[*of].0)
    }

    fn serves(&self, pid: u32) -> bool {
        self.looking().any(|one| one == pid)
    }

    /// What comes of it; `None` once the host has ended.
    fn after(&self, what: Happens) -> Option<Self> {
        let before = self;
        let mut next = self.clone();
        let id = |of: usize| u64::try_from(of).unwrap();
        let steps = match what {
            Happens::Comes(of) => {
                next.there.insert(of);
                if CAST[of].1 == Role::Desk {
                    next.lost = GRACE_TICKS;
                }
                next.lifecycle.joined(id(of), party(of))
            }
            Happens::Leaves(of) | Happens::Vanishes(of) => {
                next.there.remove(&of);
                let left = matches!(what, Happens::Leaves(_));
                let counted = !next.orphaned.remove(&of);
                if !left && counted && next.owner.is_none() && CAST[of].1 == Role::Desk {
                    next.lost = 0;
                }
                next.lifecycle.parted(id(of), left, next.now)
            }
            Happens::Ends(pid) => {
                next.ended.insert(pid);
                Vec::new()
            }
            Happens::Noticed => next.lifecycle.owner_gone(next.now),
            Happens::Time => {
                next.now += TICK;
                // Up to where it does not matter any more, so that the world is finite.
                let later = |ticks: &mut u8, most: u8| *ticks = (*ticks + 1).min(most);
                later(&mut next.alone, 2 * GRACE_TICKS);
                for ticks in [&mut next.unserved, &mut next.hidden, &mut next.lost, &mut next.age] {
                    later(ticks, GRACE_TICKS);
                }
                // Nothing is ever due without being announced.
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
        next.holds(before, what, &steps);
        (!steps.contains(&Step::End)).then_some(next)
    }

    /// Every promise.
    fn holds(&self, before: &Self, what: Happens, steps: &[Step]) {
        let told = || format!("{what:?} gave {steps:?}\nbefore: {before:#?}\nafter: {self:#?}");
        let looking: Vec<u32> = self.looking().collect();
        let hides = steps.contains(&Step::Hide);
        if steps.contains(&Step::End) {
            assert_eq!(steps.last(), Some(&Step::End), "nothing follows the end: {}", told());
            assert!(looking.is_empty(), "it ends under somebody: {}", told());
            // Nobody who vanished is given less time than they were promised, nor an editor that may come
            // back.
            match what {
                Happens::Leaves(of) if before.owner.is_none() => {
                    assert!(CAST[of].1 == Role::Desk || before.lost >= GRACE_TICKS, "{}", told());
                }
                Happens::Time if before.owner.is_none() => {
                    assert!(self.alone >= GRACE_TICKS || self.lost >= GRACE_TICKS, "{}", told());
                }
                Happens::Time => {
                    assert!(
                        self.hidden >= GRACE_TICKS || self.age >= GRACE_TICKS && self.alone == self.age,
                        "{}",
                        told()
                    );
                }
                _ => panic!("this does not end it: {}", told()),
            }
            return;
        }
        // It does not live on for nobody: half a minute, and as much again for an editor.
        let at_most = if self.owner.is_none() { GRACE_TICKS } else { 2 * GRACE_TICKS };
        assert!(self.alone < at_most, "for nobody: {}", told());
        assert!(self.alone == 0 || self.lifecycle.deadline().is_some(), "for nobody, for good: {}", told());
        // Hidden is it while nobody is there and an editor may come back, and then only for half a minute.
        assert_eq!(self.found_as, self.lifecycle.shown(), "{}", told());
        if self.lifecycle.is_hidden() {
            assert!(looking.is_empty() && self.owner.is_some() && self.hidden < GRACE_TICKS, "{}", told());
        }
        // An editor's is found as that editor's, and one without as somebody's who is there.
        match (self.found_as, self.owner) {
            (None, _) => {}
            (Some(shown), Some(owner)) => assert_eq!(shown, owner, "{}", told()),
            (Some(shown), None) => {
                let starter = self.age < GRACE_TICKS && !before.lifecycle.is_hidden();
                assert!(looking.is_empty() || looking.contains(&shown) || starter, "{}", told());
            }
        }
        // An editor that was noticed to end is gone at once; one that lives and is served never is, unless it
        // says so.
        if let (Happens::Noticed, Some(gone)) = (what, before.owner) {
            assert!(hides && (self.owner != Some(gone) || self.lifecycle.is_hidden()), "{}", told());
        }
        if hides && let Some(gone) = before.owner {
            let says_so = matches!(what, Happens::Leaves(of) if CAST[of].0 == gone && !self.serves(gone));
            let unserved = before.unserved + 1 >= GRACE_TICKS && matches!(what, Happens::Time);
            assert!(says_so || unserved || matches!(what, Happens::Noticed), "{}", told());
        }
        // No editor takes what is another's that is there.
        if let (Some(was), false, false) = (before.owner, hides, before.lifecycle.is_hidden()) {
            assert_eq!(self.owner, Some(was), "{}", told());
        }
        // Whoever comes first to a host that is free has it: an editor as its owner.
        if let Happens::Comes(of) = what
            && CAST[of].2
            && (before.owner.is_none() || before.lifecycle.is_hidden())
        {
            assert_eq!(self.owner, Some(CAST[of].0), "{}", told());
        }
        // Nor is an editor that is there a mere guest where there is no owner.
        let is_editor = |pid: &u32| CAST.iter().any(|(of, _, speaks)| of == pid && *speaks);
        assert!(self.owner.is_some() || !looking.iter().any(is_editor), "{}", told());
        // What is the same stays the same: agents' files are not rewritten for nothing.
        if !hides && self.found_as == before.found_as && self.owner == before.owner {
            assert_eq!(steps, [], "{}", told());
        }
        // A sleep of the machine changes nothing.
        let mut slept = self.lifecycle.clone();
        let gap = 100 * TICK;
        slept.postpone(gap);
        assert_eq!(slept.deadline(), self.lifecycle.deadline().map(|at| at + gap), "{}", told());
    }

    /// What tells this state from others: times count from now.
    fn key(&self) -> String {
        let from_now = |at: Option<Instant>| {
            at.map(|at| {
                i128::from(at > self.now) * at.saturating_duration_since(self.now).as_millis().cast_signed()
            })
        };
        let (ownership, own) = match &self.lifecycle.ownership {
            Ownership::Unowned { shown, starter_until, lost_until } => {
                (format!("unowned {shown}"), [*starter_until, *lost_until])
            }
            Ownership::Owned { owner, gone_at } => (format!("owned {}", owner.pid), [*gone_at, None]),
            Ownership::Hidden { owner } => (format!("hidden {}", owner.pid), [None, None]),
        };
        let parties: Vec<_> = self.lifecycle.parties.keys().collect();
        let times = [own[0], own[1], self.lifecycle.ends_at].map(from_now);
        let counts = [self.alone, self.unserved, self.hidden, self.lost, self.age];
        format!(
            "{parties:?} {ownership} {times:?} {:?} {:?} {:?} {counts:?}",
            self.there, self.ended, self.found_as,
        )
    }
}

#[test]
fn every_order_of_coming_going_and_waiting_keeps_every_promise() {
    // Started by a desk, a run, an editor; started again for its editor by a desk, which may find that editor
    // dead.
    let beginnings = [(None, 3), (None, 5), (Some(1), 1), (Some(1), 3), (Some(1), 4)];
    let mut seen = BTreeSet::new();
    let mut open: Vec<World> =
        beginnings.into_iter().map(|(owner, starter)| World::begin(owner, starter)).collect();
    let mut ends = 0_usize;
    while let Some(world) = open.pop() {
        if !seen.insert(world.key()) {
            continue;
        }
        for what in world.can_happen() {
            match world.after(what) {
                Some(next) => open.push(next),
                None => ends += 1,
            }
        }
    }
    assert!(seen.len() > 10_000 && ends > 1_000, "{} states, {ends} ends", seen.len());
}
