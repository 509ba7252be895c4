//! The text in the results for a step that failed.

use super::results::Cell;
use super::stage::Stage;

/// Prints an error, and returns the cell for it.
pub(super) fn failure(error: &anyhow::Error, stage: &Stage<'_>) -> Cell {
    eprintln!("{error:#}");
    Cell::Fails(first_line(error, stage))
}

/// Returns the part of an error that is the same in every run: its first line, and Node's import error.
pub(super) fn first_line(error: &anyhow::Error, stage: &Stage<'_>) -> String {
    let text = format!("{error:#}");
    let line = text.lines().next().unwrap_or_default();
    let node_error = text.lines().find(|line| line.starts_with("Error [")).unwrap_or_default();
    let node_error = node_error.split(" imported from ").next().unwrap_or_default();
    format!("{line} {node_error}")
        .trim_end()
        .replace(&stage.sandbox.project().display().to_string(), "PROJECT")
        .chars()
        .take(300)
        .collect()
}
