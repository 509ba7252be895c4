//! The scenes of the bench, and the amount of work in each.

use std::time::Duration;

/// A scene that can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// The machine itself, without any companion.
    Machine,
    /// The start, until agents can find the companion.
    Starts,
    /// Memory with sessions, and after they have ended.
    Memory,
    /// Round trips of requests.
    Requests,
    /// The time from a decision until its agent has the outcome.
    Decisions,
    /// The time from a move of the cursor until agents have the context.
    Contexts,
    /// The time from a large proposal until the response, and until a desk has its hunks.
    Proposals,
    /// The time from the start of an agent's hook until a desk has its proposal.
    Hooks,
    /// Snapshots at prompts, and the changes of a turn at a desk.
    Turns,
    /// The first paint of the terminal desk, and its answer to a key, in tmux.
    Desk,
    /// The answer of line mode to a key.
    LineMode,
    /// The start-up cost of the plugins for Neovim and Vim.
    Plugins,
    /// The time for which a hook holds its agent up, without a person's time.
    HookCost,
    /// Context, proposals, problems and memory in a real Neovim.
    Neovim,
    /// The end of the companion, while agents are connected.
    Stops,
    /// The cost while nothing happens.
    Idle,
}

impl Scene {
    /// All scenes with their names, in the order of measurement.
    pub const ALL: [(&'static str, Self); 16] = [
        ("machine", Self::Machine),
        ("starts", Self::Starts),
        ("memory", Self::Memory),
        ("requests", Self::Requests),
        ("decisions", Self::Decisions),
        ("contexts", Self::Contexts),
        ("proposals", Self::Proposals),
        ("hooks", Self::Hooks),
        ("turns", Self::Turns),
        ("desk", Self::Desk),
        ("line-mode", Self::LineMode),
        ("plugins", Self::Plugins),
        ("hook-cost", Self::HookCost),
        ("neovim", Self::Neovim),
        ("stops", Self::Stops),
        ("rest", Self::Idle),
    ];
}

/// The amount of measurement.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenes to measure.
    pub scenes: Vec<Scene>,
    /// The starts of each subject whose time to be found is measured.
    pub starts: usize,
    /// The numbers of sessions at which memory and context are measured.
    pub sessions: Vec<usize>,
    /// The number of sessions that are opened and dropped.
    pub dropped: usize,
    /// The numbers of sessions at which requests are measured.
    pub request_sessions: Vec<usize>,
    /// The numbers of sessions at which decisions are measured.
    pub decision_sessions: Vec<usize>,
    /// The repetitions of a measurement, for each subject in turn.
    pub repetitions: usize,
    /// The samples in each repetition, of steps that take microseconds.
    pub samples: usize,
    /// The moves of the cursor in each repetition.
    pub moves: usize,
    /// The time for which the cursor moves without a pause.
    pub steady_moves: Duration,
    /// The sizes of proposals in bytes, each with its number of repetitions.
    pub proposals: Vec<(usize, usize)>,
    /// The numbers of files in the projects where a prompt takes a snapshot.
    pub turn_files: Vec<usize>,
    /// The number of files that a turn changes.
    pub turn_changes: usize,
    /// The sizes of the proposals that people see, in bytes.
    pub seen_sizes: Vec<usize>,
    /// The keys that a person presses in each repetition, and other steps of a person.
    pub keys: usize,
    /// The numbers of problems in files that an agent asks for.
    pub problems: Vec<usize>,
    /// The size of the proposal in Neovim after which memory is measured, in bytes.
    pub kept_proposal: usize,
    /// The time from this proposal until memory is measured.
    pub settling: Duration,
    /// The time without any work whose cost is measured.
    pub idle: Duration,
    /// The time for which a companion waits for further changes before it sends a context.
    pub debounce: Duration,
}

/// The longest wait for a response: the slowest companions need most of it for the largest proposals.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A kilobyte.
pub(super) const KB: usize = 1 << 10;
/// A megabyte.
pub(super) const MB: usize = 1 << 20;

impl Default for Plan {
    fn default() -> Self {
        Self {
            scenes: Scene::ALL.map(|(_, scene)| scene).to_vec(),
            starts: 10,
            sessions: vec![1, 50, 1000],
            dropped: 10_000,
            request_sessions: vec![1, 50, 100],
            decision_sessions: vec![1, 50],
            repetitions: 5,
            samples: 200,
            moves: 5,
            steady_moves: Duration::from_secs(3),
            proposals: vec![(MB, 10), (10 * MB, 5), (64 * MB, 3)],
            turn_files: vec![100, 5_000, 50_000],
            turn_changes: 500,
            seen_sizes: vec![10 * KB, MB, 10 * MB],
            keys: 20,
            problems: vec![0, 2_000],
            kept_proposal: 10 * MB,
            settling: Duration::from_secs(8),
            idle: Duration::from_secs(60),
            debounce: Duration::from_millis(50),
        }
    }
}

impl Plan {
    /// Returns a plan with a little of every scene, to test the bench. Its figures mean nothing.
    pub fn quick() -> Self {
        Self {
            starts: 2,
            sessions: vec![1, 5],
            dropped: 20,
            request_sessions: vec![1, 3],
            decision_sessions: vec![1, 3],
            repetitions: 2,
            samples: 5,
            moves: 1,
            steady_moves: Duration::from_millis(600),
            proposals: vec![(MB, 1)],
            turn_files: vec![20],
            turn_changes: 5,
            seen_sizes: vec![10 * KB],
            keys: 2,
            problems: vec![0, 20],
            kept_proposal: 10 * KB,
            settling: Duration::from_millis(200),
            idle: Duration::from_secs(2),
            ..Self::default()
        }
    }
}
