//! The life of a project, a function of its seed. The order of random draws is part of every seed's meaning.

use super::change::Change;
use crate::rng::Rng;

/// The number of reviews in a life.
const REVIEWS: usize = 8;

/// A project from its first commit to its last review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Life {
    /// The seed.
    pub seed: u64,
    pub(super) repository: Repository,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// The repository of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repository {
    /// As git makes it.
    Usual,
    /// Without a commit at the first prompt.
    Unborn,
    Sha256,
    /// With settings and attributes that change line ends, and a filter that must not run.
    Converting,
    /// A second working tree of another repository.
    Worktree,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step(pub(super) Deed);

/// The event of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Change(Change),
    /// A turn begins.
    Prompt {
        session: u8,
    },
    /// A turn ends.
    End {
        session: u8,
    },
    /// A person looks at the turn at a desk, and sets marks; this number is the seed of the marks.
    Review {
        choice: u64,
    },
    /// The person looks once more. Marks stay where nothing has changed.
    LookAgain,
    /// The person finishes: alongside undoes what is marked, or asks the agent to.
    Finish {
        ask: bool,
    },
    /// The person takes back what was undone, from the drafts.
    TakeBack,
}

impl Life {
    /// The life of a seed.
    pub fn from_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x7075_726e);
        let repository = match rng.below(10) {
            0..5 => Repository::Usual,
            5 => Repository::Unborn,
            6 => Repository::Sha256,
            7..9 => Repository::Converting,
            _ => Repository::Worktree,
        };
        let mut steps = Vec::new();
        add_changes(&mut rng, 8, &mut steps);
        steps.push(Deed::Prompt { session: 0 });
        for _ in 0..REVIEWS {
            add_changes(&mut rng, 10, &mut steps);
            if rng.percent(60) {
                steps.push(Deed::End { session: 0 });
            }
            if rng.percent(30) {
                // Changes of the person, or of another agent.
                add_changes(&mut rng, 3, &mut steps);
            }
            if rng.percent(30) {
                steps.push(Deed::Prompt { session: rng.below(2) as u8 });
                add_changes(&mut rng, 4, &mut steps);
            }
            steps.push(Deed::Review { choice: rng.below(u64::MAX) });
            if rng.percent(30) {
                add_changes(&mut rng, 3, &mut steps);
                if rng.percent(50) {
                    steps.push(Deed::LookAgain);
                }
            }
            steps.push(Deed::Finish { ask: rng.percent(8) });
            if rng.percent(20) {
                steps.push(Deed::TakeBack);
            }
        }
        Self { seed, repository, steps: steps.into_iter().map(Step).collect() }
    }

    /// The number of reviews that are finished.
    pub fn reviews(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.0, Deed::Finish { .. })).count()
    }
}

fn add_changes(rng: &mut Rng, most: u64, steps: &mut Vec<Deed>) {
    for _ in 0..rng.below(most + 1) {
        steps.push(Deed::Change(Change::random(rng)));
    }
}
