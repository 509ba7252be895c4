//! Finds the companion that serves a directory, as agents find it, and asks whether it responds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_agent::find::{self, Found, Surroundings};
use alongside_agent::{Endpoint, get_status, prove};
use alongside_common::failure::{Hint, failure};
use alongside_companion::PortHold;
use alongside_contract::agents::{discovery_files, with_family};
use alongside_contract::discovery::{Record, WRITER};
use alongside_desk::socket::Report;
use alongside_desk::{Problem, Status};
use alongside_platform::listener::{self, ListenerOwner};
use alongside_platform::process;
use alongside_platform::untrusted::{self, Whose};
use anyhow::Context;

/// The time limit for the response of a companion on this machine.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The largest file that is read as a record, in bytes. A record has a few hundred bytes.
pub const MAX_RECORD_BYTES: u64 = 1 << 20;

/// A companion that responds.
#[derive(Debug)]
pub struct Serving {
    /// The record with which agents connect to it.
    pub record: Record,
    /// The process id that agents are to take for the editor's, if it is known.
    pub pid: Option<u32>,
}

/// Whether a companion that does not respond may still run: a process that its record or one of its files
/// names is in another network namespace, whose ports this process cannot reach.
pub fn is_in_other_network<'p>(record: &Record, files: impl IntoIterator<Item = &'p Path>) -> bool {
    let in_names = files.into_iter().filter_map(pid_in_name);
    record.ppid.into_iter().chain(in_names).any(process::is_in_other_network)
}

/// Returns the ports of our hosts that answer on their socket, but on whose port no program listens: such a
/// host is in another network namespace.
pub async fn ports_of_other_networks(reports: &[Report]) -> Vec<u16> {
    let mut ports = Vec::new();
    for report in reports {
        let port = report.status.port;
        if !listens("127.0.0.1", port, ANSWER_TIMEOUT).await {
            ports.push(port);
        }
    }
    ports
}

/// The result of asking a companion whether it responds.
#[derive(Debug)]
pub enum Answer {
    /// The companion responds. One of ours also sends its status.
    Given(Option<Status>),
    /// The companion listens and does not respond: its process is stopped, or hangs.
    Silence,
    /// No program listens, or another program does.
    Nothing,
}

/// Returns the environment in which an agent that starts in this directory searches for a companion.
pub fn surroundings() -> anyhow::Result<Surroundings> {
    Surroundings::of_this_process().context("the current directory is gone").hint("cd into a project")
}

/// The error for a directory without a companion that responds.
pub struct Unserved {
    /// Whether a companion listens and does not respond.
    pub is_silent: bool,
}

/// Finds the companion that serves the current directory: ours if there is one, otherwise the first that
/// responds.
pub async fn find_serving(here: &Surroundings) -> Result<Serving, Unserved> {
    find_among(here, |_| true).await
}

async fn find_among(here: &Surroundings, wanted: impl Fn(&Record) -> bool) -> Result<Serving, Unserved> {
    let mut found: Vec<Found> = Vec::new();
    for candidate in with_family().flat_map(|agent| find::candidates(agent, here).found) {
        let same = |known: &Found| known.record.is_same_companion(&candidate.record);
        // A variable may lead to a companion of another workspace.
        let holds = find::holds(&candidate.record.workspace_path, &here.cwd);
        if holds && wanted(&candidate.record) && !found.iter().any(same) {
            found.push(candidate);
        }
    }
    // Our companions come first. The sort is stable and keeps the order of the agents.
    found.sort_by_key(|found| found.record.writer.as_deref() != Some(WRITER));
    let mut is_silent = false;
    for candidate in found {
        match ask(&candidate.record).await {
            Answer::Given(answer) => {
                let named = || candidate.path.as_deref().and_then(pid_in_name);
                // The process of the editor, which may be another one than the companion's.
                let pid = candidate.record.ppid.or_else(|| answer.map(|status| status.pid)).or_else(named);
                return Ok(Serving { record: candidate.record, pid });
            }
            Answer::Silence => is_silent = true,
            Answer::Nothing => {}
        }
    }
    Err(Unserved { is_silent })
}

/// Reports companions of other programs that serve these roots, because an agent may connect to one of them.
pub(crate) async fn foreign(roots: &[PathBuf]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for root in roots {
        let Ok(mut surroundings) = surroundings() else {
            continue;
        };
        surroundings.cwd.clone_from(root);
        let Ok(other) = find_among(&surroundings, |record| record.writer.as_deref() != Some(WRITER)).await
        else {
            continue;
        };
        let pid = other.pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
        problems.push(Problem::new(
            format!(
                "another companion{pid} serves {} already; agents may connect to it instead",
                root.display()
            ),
            "`alongside status` shows both; end the one you do not want",
        ));
    }
    problems
}

/// Asks the program that listens on the record's port. A companion of ours gets its token only after it has
/// proven that it knows the token.
pub async fn ask(record: &Record) -> Answer {
    let is_ours = record.writer.as_deref() == Some(WRITER);
    if let Some(token) = record.auth_token.as_deref().filter(|_| is_ours) {
        let endpoint = Endpoint::local(record.port);
        match tokio::time::timeout(ANSWER_TIMEOUT, get_status(&endpoint, token)).await {
            Ok(Ok(status)) => return Answer::Given(serde_json::from_value(status).ok()),
            // A companion of ours always proves itself, so another program has the port now.
            Ok(Err(_)) => return Answer::Nothing,
            Err(_) if whose("127.0.0.1", record.port).await == ListenerOwner::Other => {
                return Answer::Nothing;
            }
            Err(_) => return Answer::Silence,
        }
    }
    let listens = listens("127.0.0.1", record.port, ANSWER_TIMEOUT).await;
    match listens && whose("127.0.0.1", record.port).await != ListenerOwner::Other {
        true => Answer::Given(None),
        false => Answer::Nothing,
    }
}

/// Returns the owner of the program that listens on this port of this machine. For another machine, the owner
/// is unknown.
pub async fn whose(host: &str, port: u16) -> ListenerOwner {
    let Ok(resolved) = tokio::net::lookup_host((host, port)).await else { return ListenerOwner::Nobody };
    let addresses: Vec<_> = resolved.filter(|address| address.ip().is_loopback()).collect();
    let asked = tokio::task::spawn_blocking(move || {
        let owners =
            addresses.into_iter().map(listener::owner).filter(|owner| *owner != ListenerOwner::Nobody);
        // A name has several addresses, and the agent may take any.
        owners.max_by_key(|owner| *owner == ListenerOwner::Other)
    });
    asked.await.ok().flatten().unwrap_or(ListenerOwner::Nobody)
}

/// Makes sure that a record's token reaches only its companion. Where the system can hold ports, no other
/// program gets the port until the returned hold is dropped.
///
/// # Errors
/// When the listener may be neither the companion nor a program of this user.
pub async fn guard(record: &Record) -> anyhow::Result<Option<PortHold>> {
    let Some(token) = record.auth_token.as_deref() else { return Ok(None) };
    let endpoint = Endpoint::local(record.port);
    if record.writer.as_deref() == Some(WRITER) {
        let hold = PortHold::take(&[([127, 0, 0, 1], record.port).into()]).ok();
        prove(&endpoint, token).await.context("the token was not sent").hint(
            "start the companion again, so that it writes its files anew; `alongside doctor` says what is \
             wrong",
        )?;
        return Ok(hold);
    }
    match whose("127.0.0.1", record.port).await {
        ListenerOwner::Us => Ok(None),
        ListenerOwner::Other => Err(failure(
            format!(
                "the program that listens on port {} is another user's; the token was not sent",
                record.port
            ),
            "start the editor again, so that it writes its files anew",
        )),
        ListenerOwner::Nobody | ListenerOwner::Unknown => Err(failure(
            format!("it is unknown whose program listens on port {}; the token was not sent", record.port),
            "start the editor again; `alongside status` lists the companions that run",
        )),
    }
}

/// Whether a program accepts a connection on this port in time.
pub async fn listens(host: &str, port: u16, patience: Duration) -> bool {
    let dialled = tokio::net::TcpStream::connect((host, port));
    matches!(tokio::time::timeout(patience, dialled).await, Ok(Ok(_)))
}

/// Returns the record in a file; `None` if the file holds no record.
pub fn read_record(path: &Path, whose: Whose) -> Option<Record> {
    serde_json::from_slice(&untrusted::read(path, MAX_RECORD_BYTES, whose).ok()?).ok()
}

/// Returns the display name that a record gives its companion.
pub fn display_name(record: &Record) -> &str {
    let given = record.ide_info.as_ref().map(|info| info.display_name.as_str());
    given.or(record.ide_name.as_deref()).unwrap_or("a companion without a name")
}

/// Returns the process id in the name of a record's file.
pub fn pid_in_name(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    discovery_files().find_map(|row| row.pid_in(name))
}
