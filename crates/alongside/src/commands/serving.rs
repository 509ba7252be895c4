//! Which companion a command takes for the current directory, and what to do where there is none.

use alongside_agent::find::Surroundings;

use crate::companions::Unserved;
use crate::failure::failure;
use crate::host;

pub(super) use crate::companions::{
    Answer, Serving, ask, find_serving, guard, listens, pid_in_name, surroundings, whose,
};

/// The companion of another program that serves the current directory, where no host of ours does or is being
/// started.
pub(super) async fn of_others(surroundings: &Surroundings) -> anyhow::Result<Option<Serving>> {
    let ours = host::serves(std::slice::from_ref(&surroundings.cwd)).await?;
    Ok(if ours { None } else { find_serving(surroundings).await.ok() })
}

/// The same, or an error that says what to do.
pub(super) async fn here_or_error(surroundings: &Surroundings) -> anyhow::Result<Serving> {
    find_serving(surroundings).await.map_err(|Unserved { is_silent }| {
        let here = surroundings.cwd.display();
        if is_silent {
            let roots = std::slice::from_ref(&surroundings.cwd);
            failure(
                format!("the companion that serves {here} does not answer"),
                silence(host::process_of(roots)),
            )
        } else {
            failure(
                format!("no companion serves {here}"),
                "start one with `alongside` in another terminal of this project",
            )
        }
    })
}

/// What may be wrong with a companion that says nothing, and what helps.
pub(super) fn silence(pid: Option<u32>) -> String {
    let (process, pid) = pid
        .map_or(("its process".into(), "PID".into()), |pid| (format!("its process {pid}"), pid.to_string()));
    format!(
        "{process} may be stopped (`kill -CONT {pid}` lets it go on) or hang (`kill -KILL {pid}` ends it)"
    )
}
