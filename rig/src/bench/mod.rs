//! Measures the cost and the speed of a companion of any maker, as agents and editors see them.
//!
//! A [`Subject`] is started in a sandbox of its own and found by its discovery files, or runs already. Each
//! scene measures the subjects in turn, pair by pair: on a machine that others use, a single figure says
//! little, and only the [ratio](report::Row::ratio) within a run counts. The measuring thread parses,
//! allocates and writes nothing while its clock runs. The scenes of what people feel measure the programs of
//! alongside beside what a person would use instead (`sides.rs`).

mod agents;
mod blocking_socket;
mod desk;
mod diagnostics_agent;
mod discovery_watch;
mod neovim;
mod person;
mod plan;
mod process;
mod repetitions;
mod report;
mod scenes;
mod sides;
mod stream_reader;
mod subject;
mod timed_screen;

use std::sync::atomic::AtomicBool;

use anyhow::Result;

pub use plan::{Plan, Scene};
use repetitions::{Bench, Table};
pub use report::{Comparison, Figure, Report, Row, Unit};
pub use subject::{Kind, Subject};

/// Measures the subjects, pair by pair, and passes lines about the progress to `report_progress`. A failure
/// of a subject is in its figures.
///
/// # Errors
///
/// Fails once `interrupted` is set, and where this machine itself cannot be measured.
pub fn run(
    plan: &Plan,
    subjects: &[Subject],
    interrupted: &AtomicBool,
    report_progress: &dyn Fn(&str),
) -> Result<Report> {
    alongside_platform::limits::raise_open_files();
    let table = Table::new(subjects.iter().map(|subject| subject.name.clone()).collect());
    let people = Table::new(sides::columns(subjects));
    let mut bench = Bench { plan, subjects, interrupted, report_progress, table, people };
    let has = |scene| plan.scenes.contains(&scene);
    // Idle companions are measured last. They start first, and run beside the other scenes.
    let idle_companions = if has(Scene::Idle) { bench.begin_idle()? } else { Vec::new() };
    let mut after_sessions = Vec::new();
    for scene in &plan.scenes {
        match scene {
            Scene::Machine => bench.machine()?,
            Scene::Starts => bench.starts()?,
            Scene::Memory => after_sessions = bench.memory()?,
            Scene::Requests => bench.requests()?,
            Scene::Decisions => bench.decisions()?,
            Scene::Contexts => bench.contexts()?,
            Scene::Proposals => bench.proposals()?,
            Scene::Hooks => bench.hooks()?,
            Scene::Turns => bench.turn_reviews()?,
            Scene::Desk => bench.desk()?,
            Scene::LineMode => bench.line_mode()?,
            Scene::Plugins => bench.plugins()?,
            Scene::HookCost => bench.hook_cost()?,
            Scene::Neovim => bench.neovim()?,
            Scene::Stops => bench.stops()?,
            Scene::Idle => {}
        }
    }
    if has(Scene::Idle) {
        bench.idle(idle_companions)?;
    }
    if has(Scene::Memory) {
        bench.memory_after(after_sessions, has(Scene::Idle))?;
    }
    let (subjects, rows) = bench.table.figures();
    let (columns, felt) = bench.people.figures();
    Ok(Report { subjects, rows, people: Comparison { columns, rows: felt } })
}
