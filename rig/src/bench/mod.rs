//! Measures the cost and speed of a companion, as agents and editors see them: any companion, of
//! whatever make.
//!
//! A [`Subject`] is started in a sandbox of its own and found by its discovery files, or runs already. Each
//! scene measures the subjects in turn, pair by pair, for a single figure says little on a machine that
//! others use: what counts is the [ratio](report::Row::ratio) within a run. Nothing is parsed, allocated or
//! written by the measuring thread while its clock runs.

mod agents;
mod blocking_socket;
mod desk;
mod discovery_watch;
mod editor_hands;
mod process;
mod report;
mod scenes;
mod stream_reader;
mod subject;
mod turns;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Result;

pub use report::{Figure, Report, Row, Unit};
pub use subject::{Kind, Subject};
use turns::Table;

/// A scene that can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// The machine itself, without any companion.
    Machine,
    /// Until it can be found.
    Starts,
    /// Memory.
    Memory,
    /// Round trips of requests.
    Requests,
    /// Until agents hear of decisions.
    Decisions,
    /// Until they hear of the cursor.
    Contexts,
    /// Large proposals.
    Proposals,
    /// Until a desk has what an agent's hook proposes.
    Hooks,
    /// The end.
    Stops,
    /// The cost while nothing happens.
    Idle,
}

impl Scene {
    /// All of them, in the order in which they are measured, by name.
    pub const ALL: [(&'static str, Self); 10] = [
        ("machine", Self::Machine),
        ("starts", Self::Starts),
        ("memory", Self::Memory),
        ("requests", Self::Requests),
        ("decisions", Self::Decisions),
        ("contexts", Self::Contexts),
        ("proposals", Self::Proposals),
        ("hooks", Self::Hooks),
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
    /// Samples in each turn, of what takes microseconds.
    pub samples: usize,
    /// How often the cursor moves in each turn.
    pub moves: usize,
    /// For how long it moves without a pause.
    pub steady: Duration,
    /// Sizes of proposals, in bytes, and how often each is made.
    pub proposals: Vec<(usize, usize)>,
    /// How long nothing happens, to see what that costs.
    pub idle: Duration,
    /// How long a companion waits for more before it tells what has changed.
    pub debounce: Duration,
}

/// How long an answer may take: the largest proposals take the slowest companions a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// A megabyte.
const MB: usize = 1 << 20;

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
            idle: Duration::from_secs(2),
            ..Self::default()
        }
    }
}

/// Measures these, pair by pair. Ends early, with an error, once `interrupted` is set. Now and then `tell` is
/// given a line about how it goes.
/// Failures of a subject are in its row.
pub fn run(
    plan: &Plan,
    subjects: &[Subject],
    interrupted: &AtomicBool,
    tell: &dyn Fn(&str),
) -> Result<Report> {
    alongside_platform::limits::raise_open_files();
    let mut bench = Bench { plan, subjects, interrupted, tell, table: Table::new(subjects) };
    let has = |scene| plan.scenes.contains(&scene);
    // Scenes with a late look begin first, and run beside the others.
    let idling = if has(Scene::Idle) { bench.begin_idle()? } else { Vec::new() };
    let mut grown = Vec::new();
    for scene in &plan.scenes {
        match scene {
            Scene::Machine => bench.machine()?,
            Scene::Starts => bench.starts()?,
            Scene::Memory => grown = bench.memory()?,
            Scene::Requests => bench.requests()?,
            Scene::Decisions => bench.decisions()?,
            Scene::Contexts => bench.contexts()?,
            Scene::Proposals => bench.proposals()?,
            Scene::Hooks => bench.hooks()?,
            Scene::Stops => bench.stops()?,
            Scene::Idle => {}
        }
    }
    if has(Scene::Idle) {
        bench.idle(idling)?;
    }
    if has(Scene::Memory) {
        bench.memory_after(grown, has(Scene::Idle))?;
    }
    Ok(bench.table.report())
}

/// The state that all scenes share.
struct Bench<'a> {
    plan: &'a Plan,
    subjects: &'a [Subject],
    interrupted: &'a AtomicBool,
    tell: &'a dyn Fn(&str),
    table: Table,
}

impl Bench<'_> {
    /// Whether to go on.
    fn go_on(&self) -> Result<()> {
        anyhow::ensure!(!self.interrupted.load(Relaxed), "interrupted");
        Ok(())
    }

    fn sleep(&self, time: Duration) -> Result<()> {
        let until = std::time::Instant::now() + time;
        while let Some(left) = until.checked_duration_since(std::time::Instant::now()) {
            self.go_on()?;
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
        Ok(())
    }
}
