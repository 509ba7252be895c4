//! The scenes, and how much each measures.

use std::time::Duration;

/// A scene that can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// The machine itself, without any companion.
    Machine,
    /// The start, until agents can find the companion.
    Starts,
    /// Memory.
    Memory,
    /// Round trips of requests.
    Requests,
    /// The time from a decision until its agent hears of it.
    Decisions,
    /// The time from a move of the cursor until agents hear of it.
    Contexts,
    /// Large proposals.
    Proposals,
    /// The time from the start of an agent's hook until a desk has its proposal.
    Hooks,
    /// Snapshots at prompts, and the changes of a turn at a desk.
    Turns,
    /// The end.
    Stops,
    /// The cost while nothing happens.
    Idle,
}

impl Scene {
    /// All of them, in the order in which they are measured, by name.
    pub const ALL: [(&'static str, Self); 11] = [
        ("machine", Self::Machine),
        ("starts", Self::Starts),
        ("memory", Self::Memory),
        ("requests", Self::Requests),
        ("decisions", Self::Decisions),
        ("contexts", Self::Contexts),
        ("proposals", Self::Proposals),
        ("hooks", Self::Hooks),
        ("turns", Self::Turns),
        ("stops", Self::Stops),
        ("rest", Self::Idle),
    ];
}

/// How much is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenes to measure.
    pub scenes: Vec<Scene>,
    /// How often each is started, to be found.
    pub starts: usize,
    /// At how many sessions memory and context are looked at.
    pub sessions: Vec<usize>,
    /// How many sessions are opened and dropped.
    pub dropped: usize,
    /// At how many sessions requests are made.
    pub asking: Vec<usize>,
    /// At how many sessions decisions are made.
    pub deciding: Vec<usize>,
    /// How often the subjects take turns.
    pub turns: usize,
    /// Samples in each turn, of steps that take microseconds.
    pub samples: usize,
    /// How often the cursor moves in each turn.
    pub moves: usize,
    /// For how long it moves without a pause.
    pub steady: Duration,
    /// Sizes of proposals, in bytes, and how often each is made.
    pub proposals: Vec<(usize, usize)>,
    /// How many files are in the projects of prompts.
    pub turn_files: Vec<usize>,
    /// How many files a turn changes.
    pub turn_changes: usize,
    /// The length of the rest, whose cost is measured.
    pub idle: Duration,
    /// How long a companion waits for more before it tells what has changed.
    pub debounce: Duration,
}

/// How long an answer may take: the largest proposals take the slowest companions a while.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A megabyte.
pub(super) const MB: usize = 1 << 20;

impl Default for Plan {
    fn default() -> Self {
        Self {
            scenes: Scene::ALL.map(|(_, scene)| scene).to_vec(),
            starts: 10,
            sessions: vec![1, 50, 1000],
            dropped: 10_000,
            asking: vec![1, 50, 100],
            deciding: vec![1, 50],
            turns: 5,
            samples: 200,
            moves: 5,
            steady: Duration::from_secs(3),
            proposals: vec![(MB, 10), (10 * MB, 5), (64 * MB, 3)],
            turn_files: vec![100, 5_000, 50_000],
            turn_changes: 500,
            idle: Duration::from_secs(60),
            debounce: Duration::from_millis(50),
        }
    }
}

impl Plan {
    /// A slice of everything, to see that it works. Its figures mean nothing.
    pub fn quick() -> Self {
        Self {
            starts: 2,
            sessions: vec![1, 5],
            dropped: 20,
            asking: vec![1, 3],
            deciding: vec![1, 3],
            turns: 2,
            samples: 5,
            moves: 1,
            steady: Duration::from_millis(600),
            proposals: vec![(MB, 1)],
            turn_files: vec![20],
            turn_changes: 5,
            idle: Duration::from_secs(2),
            ..Self::default()
        }
    }
}
