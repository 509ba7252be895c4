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
mod plan;
mod process;
mod report;
mod scenes;
mod stream_reader;
mod subject;
mod turns;

use std::sync::atomic::AtomicBool;

use anyhow::Result;

pub use plan::{Plan, Scene};
pub use report::{Figure, Report, Row, Unit};
pub use subject::{Kind, Subject};
use turns::{Bench, Table};

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
            Scene::Turns => bench.turn_reviews()?,
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
