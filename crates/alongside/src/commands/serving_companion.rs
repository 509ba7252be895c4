//! The companion that a command takes for the current directory, and what to do where there is none.

use std::path::Path;

use alongside_agent::find::Surroundings;

use crate::companions::{Serving, Unserved, find_serving};
use crate::failure::failure;
use crate::host;

/// Another program's companion that serves the current directory; `None` if one of our hosts serves it, or is
/// being started for it.
pub(super) async fn of_other_program(here: &Surroundings) -> anyhow::Result<Option<Serving>> {
    let has_host = host::serves(std::slice::from_ref(&here.cwd)).await?;
    Ok(if has_host { None } else { find_serving(here).await.ok() })
}

/// The companion that serves the current directory.
///
/// # Errors
/// When none serves it, or the one that does is silent.
pub(super) async fn required(here: &Surroundings) -> anyhow::Result<Serving> {
    find_serving(here).await.map_err(|Unserved { is_silent }| {
        let cwd = here.cwd.display();
        if is_silent {
            let pid = host::process_of(std::slice::from_ref(&here.cwd));
            failure(format!("the companion that serves {cwd} does not answer"), silence_hint(pid))
        } else {
            none(&here.cwd)
        }
    })
}

/// The error where no companion serves a directory.
pub(super) fn none(directory: &Path) -> anyhow::Error {
    failure(
        format!("no companion serves {}", directory.display()),
        "start one with `alongside` in another terminal of this project",
    )
}

/// The hint for a companion that does not answer.
pub(super) fn silence_hint(pid: Option<u32>) -> String {
    let (process, pid) = match pid {
        Some(pid) => (format!("process {pid}"), pid.to_string()),
        None => ("its process".into(), "PID".into()),
    };
    format!("{process} may be stopped (resume it: `kill -CONT {pid}`) or hang (end it: `kill -KILL {pid}`)")
}
