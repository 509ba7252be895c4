//! Which companion serves this directory: found as agents find one, and asked whether it is really there.

use std::path::PathBuf;
use std::time::Duration;

use alongside_agent::find::{self, Found, Surroundings};
use alongside_agent::{Endpoint, get_status};
use alongside_contract::discovery::{Record, WRITER};
use alongside_contract::family::FAMILIES;
use alongside_desk::{Problem, Status};
use anyhow::Context;

use crate::failure::{Hint, failure};
use crate::host;

/// How long a companion on this machine may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A companion that is there.
#[derive(Debug)]
pub(super) struct Serving {
    /// How to connect.
    pub(super) record: Record,
    /// The process that agents shall take for the editor, if it is known.
    pub(super) pid: Option<u32>,
}

/// What an agent that started here would see.
pub(super) fn surroundings() -> anyhow::Result<Surroundings> {
    Surroundings::of_this_process().context("the current directory is gone").hint("cd into a project")
}

/// The companion that serves the current directory: ours if there is one, else the first that answers.
pub(super) async fn here(here: &Surroundings) -> Option<Serving> {
    among(here, |_| true).await
}

async fn among(here: &Surroundings, wanted: impl Fn(&Record) -> bool) -> Option<Serving> {
    let mut found: Vec<Found> = Vec::new();
    for candidate in FAMILIES.iter().flat_map(|family| find::candidates(family, here).found) {
        let same = |known: &Found| known.record.is_same_companion(&candidate.record);
        // An override names any workspace; it serves this directory only if it says so.
        let holds = find::holds(&candidate.record.workspace_path, &here.cwd);
        if holds && wanted(&candidate.record) && !found.iter().any(same) {
            found.push(candidate);
        }
    }
    // Stable: apart from that, the order of the agents.
    found.sort_by_key(|found| found.record.writer.as_deref() != Some(WRITER));
    for candidate in found {
        if let Some(answer) = ask(&candidate.record).await {
            let named = || candidate.path.as_deref().and_then(pid_in_name);
            // The editor's process, which need not be the companion's.
            let pid = candidate.record.ppid.or_else(|| answer.map(|status| status.pid)).or_else(named);
            return Some(Serving { record: candidate.record, pid });
        }
    }
    None
}

/// The companion of another program that serves the current directory, where no host of ours does or is being started.
pub(super) async fn of_others(surroundings: &Surroundings) -> anyhow::Result<Option<Serving>> {
    let ours = host::serves(std::slice::from_ref(&surroundings.cwd)).await?;
    Ok(if ours { None } else { here(surroundings).await })
}

/// The same, or an error that says what to do.
pub(super) async fn here_or_error(surroundings: &Surroundings) -> anyhow::Result<Serving> {
    here(surroundings).await.ok_or_else(|| {
        failure(
            format!("no companion serves {}", surroundings.cwd.display()),
            "start one with `alongside` in another terminal of this project",
        )
    })
}

/// Companions of other programs that serve these roots: an agent connects to one, and it may be that.
pub(crate) async fn foreign(roots: &[PathBuf]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for root in roots {
        let Ok(mut surroundings) = surroundings() else {
            continue;
        };
        surroundings.cwd.clone_from(root);
        let Some(other) = among(&surroundings, |record| record.writer.as_deref() != Some(WRITER)).await
        else {
            continue;
        };
        let pid = other.pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
        problems.push(Problem {
            what: format!(
                "another companion{pid} serves {} already; agents may connect to it instead",
                root.display()
            ),
            hint: Some("`alongside status` shows both; end the one you do not want".into()),
        });
    }
    problems
}

/// Whether something answers at the record's port, and what it says of itself if it is one of ours.
pub(super) async fn ask(record: &Record) -> Option<Option<Status>> {
    let endpoint = Endpoint::local(record.port);
    let asked = tokio::time::timeout(PATIENCE, get_status(&endpoint, record.auth_token.as_deref())).await;
    if let Ok(Ok(status)) = asked {
        return Some(serde_json::from_value(status).ok());
    }
    if record.writer.as_deref() == Some(WRITER) {
        // One of ours always answers with its own token: whoever has the port now is somebody else.
        return None;
    }
    listens("127.0.0.1", record.port, PATIENCE).await.then_some(None)
}

/// Whether anything listens there, and says so in time.
pub(super) async fn listens(host: &str, port: u16, patience: Duration) -> bool {
    let dialled = tokio::net::TcpStream::connect((host, port));
    matches!(tokio::time::timeout(patience, dialled).await, Ok(Ok(_)))
}

/// The process that a record's file is named after.
pub(super) fn pid_in_name(path: &std::path::Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    FAMILIES.iter().flat_map(|family| family.files).find_map(|row| row.pid_in(name))
}
