//! The life of a project, which its seed determines. The order of random draws determines the life and must
//! not change.

use super::change::Change;
use crate::rng::Rng;

/// The number of turn reviews in a life.
const REVIEWS: usize = 8;

/// The life of a project, from its first commit to its last turn review.
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
    /// With git's default settings.
    Usual,
    /// Without a commit at the first prompt.
    Unborn,
    Sha256,
    /// With settings and attributes that convert line endings, and a filter that must not run.
    Converting,
    /// A second working tree of another repository.
    Worktree,
}

/// A step of a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step(pub(super) Event);

/// The event of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Change(Change),
    /// A turn begins.
    Prompt {
        session: u8,
    },
    /// A turn ends.
    End {
        session: u8,
    },
    /// A person begins a turn review at a desk, and sets marks. The number is the seed of the marks.
    Review {
        marks_seed: u64,
    },
    /// The desk requests another look. Marks of unchanged files stay.
    LookAgain,
    /// The person finishes: alongside undoes the marked changes, or with `asks` asks the agent to undo them.
    Finish {
        asks: bool,
    },
    /// The person restores the undone changes from the drafts.
    RestoreDrafts,
}

impl Life {
    /// Makes the life of a seed.
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
        steps.push(Event::Prompt { session: 0 });
        for _ in 0..REVIEWS {
            add_changes(&mut rng, 10, &mut steps);
            if rng.percent(60) {
                steps.push(Event::End { session: 0 });
            }
            if rng.percent(30) {
                // Changes by the person, or by another agent.
                add_changes(&mut rng, 3, &mut steps);
            }
            if rng.percent(30) {
                steps.push(Event::Prompt { session: rng.below(2) as u8 });
                add_changes(&mut rng, 4, &mut steps);
            }
            steps.push(Event::Review { marks_seed: rng.below(u64::MAX) });
            if rng.percent(30) {
                add_changes(&mut rng, 3, &mut steps);
                if rng.percent(50) {
                    steps.push(Event::LookAgain);
                }
            }
            steps.push(Event::Finish { asks: rng.percent(8) });
            if rng.percent(20) {
                steps.push(Event::RestoreDrafts);
            }
        }
        Self { seed, repository, steps: steps.into_iter().map(Step).collect() }
    }

    /// The number of turn reviews that the person finishes.
    pub fn reviews(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.0, Event::Finish { .. })).count()
    }
}

fn add_changes(rng: &mut Rng, most: u64, steps: &mut Vec<Event>) {
    for _ in 0..rng.below(most + 1) {
        steps.push(Event::Change(Change::random(rng)));
    }
}
