//! Finds the companion of the current directory for a command, and makes the error if there is none.

use std::path::Path;

use alongside_agent::find::Surroundings;
use alongside_common::failure::failure;
use alongside_desk::harmless;
use alongside_desk::socket::Report;
use alongside_host::companions::{Serving, Unserved, find_serving};

use super::waiting_host;

/// Returns another program's companion that serves the current directory; `None` if one of our hosts serves
/// it or is starting for it.
pub(super) async fn of_other_program(here: &Surroundings) -> anyhow::Result<Option<Serving>> {
    let has_host = alongside_host::serves(&here.cwd).await?;
    Ok(if has_host { None } else { find_serving(here).await.ok() })
}

/// Returns the companion that serves the current directory.
///
/// # Errors
/// If no companion serves it, or the companion does not answer.
pub(super) async fn required(here: &Surroundings) -> anyhow::Result<Serving> {
    let is_silent = match find_serving(here).await {
        Ok(serving) => return Ok(serving),
        Err(Unserved { is_silent }) => is_silent,
    };
    if !is_silent {
        return Err(unserved_error(&here.cwd, &alongside_host::reports().await));
    }
    let pid = alongside_host::process_of(std::slice::from_ref(&here.cwd));
    let problem = format!("the companion that serves {} does not answer", harmless::path(&here.cwd));
    Err(failure(problem, silence_hint(pid)))
}

/// Returns the error if no companion serves a directory. Names an editor for which one of these hosts waits.
pub(super) fn unserved_error(directory: &Path, hosts: &[Report]) -> anyhow::Error {
    let waits_here = |report: &&Report| {
        let mut roots = report.status.roots.iter();
        report.hidden && roots.any(|root| directory.starts_with(root))
    };
    let waiting = hosts.iter().find(waits_here);
    let hint = match waiting.and_then(|report| Some((report, report.editors.first()?))) {
        Some((report, editor)) => format!(
            "start {} again within {}, or `alongside` in another terminal of this project",
            harmless::name(&editor.display_name),
            waiting_host::time_left(report)
        ),
        None => "start one with `alongside` in another terminal of this project".into(),
    };
    failure(format!("no companion serves {}", harmless::path(directory)), hint)
}

/// Returns the hint for a companion that does not answer.
pub(super) fn silence_hint(pid: Option<u32>) -> String {
    let (process, pid) = match pid {
        Some(pid) => (format!("process {pid}"), pid.to_string()),
        None => ("its process".into(), "PID".into()),
    };
    format!("{process} may be stopped (resume it: `kill -CONT {pid}`) or hang (end it: `kill -KILL {pid}`)")
}
