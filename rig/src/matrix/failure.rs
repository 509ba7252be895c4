//! The words of the table for a step that failed.

use super::results::Cell;
use super::stage::Stage;
pub(super) fn failure(error: &anyhow::Error, stage: &Stage<'_>) -> Cell {
    eprintln!("{error:#}");
    Cell::Fails(first_line(error, stage))
}

/// The part of an error that is the same in every run: the awaited thing, and Node's cause of death.
pub(super) fn first_line(error: &anyhow::Error, stage: &Stage<'_>) -> String {
    let said = format!("{error:#}");
    let line = said.lines().next().unwrap_or_default();
    let died = said.lines().find(|line| line.starts_with("Error [")).unwrap_or_default();
    let imported = died.split(" imported from ").next().unwrap_or_default();
    format!("{line} {imported}")
        .trim_end()
        .replace(&stage.sandbox.project().display().to_string(), "PROJECT")
        .chars()
        .take(300)
        .collect()
}
