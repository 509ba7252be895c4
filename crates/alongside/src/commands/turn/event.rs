//! Reads the event that an agent writes to standard input, and notifies the host and the log of it.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_agent::find::Surroundings;
use alongside_agent::settings::hooks::{self, HookEntry, OurHook};
use alongside_common::logging;
use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_contract::agent::{Agent, HookAgent};
use alongside_contract::turns::Turns;
use alongside_desk::SnapshotKind;
use alongside_hook::TurnInput;
use alongside_host::{HookSearch, SnapshotReporter};
use alongside_turns::TurnEvent;

/// The longest time that the agent waits for a snapshot.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// The largest input.
const MAX_INPUT_BYTES: u64 = 16 << 20;

/// Reads the event, and the directory in which the agent works.
pub(super) fn read(agent: &str) -> std::io::Result<Option<(&'static Turns, TurnEvent, PathBuf)>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes)?;
    let agent = Agent::named(agent);
    let Some((agent, turns)) = agent.and_then(|agent| Some((agent, agent.turns.as_ref()?))) else {
        return Ok(None);
    };
    let Some(input) = TurnInput::read(turns, &bytes) else { return Ok(None) };
    let directory = match Path::new(&input.cwd).is_absolute() {
        true => PathBuf::from(&input.cwd),
        false => std::env::current_dir()?,
    };
    let event = TurnEvent {
        moment: input.moment,
        agent: agent.display_name.to_owned(),
        session: input.session,
        turn: input.turn,
        is_attended: is_attended(turns),
        is_woken: agent.with_hook().is_some_and(|agent| is_woken(agent, &directory)),
    };
    Ok(Some((turns, event, directory)))
}

/// Whether a person is at the session. Without information of the agent, there is one.
fn is_attended(turns: &Turns) -> bool {
    let Some(wake) = &turns.wake else { return true };
    let (variable, value) = wake.attended;
    std::env::var_os(variable).is_none_or(|found| found == value)
}

/// Whether the agent's settings in this directory have our waiter.
fn is_woken(agent: HookAgent, directory: &Path) -> bool {
    let Some(wake) = agent.turns.as_ref().and_then(|turns| turns.wake.as_ref()) else { return false };
    let Ok(here) = Surroundings::of_this_process() else { return false };
    let here = Surroundings { cwd: directory.to_owned(), ..here };
    let wakes = |hook: &HookEntry| hook.hook == OurHook::Turn && hook.is_waiter && hook.event == wake.event;
    hooks::all_files(agent, None, &here).iter().any(|(_, path)| {
        let found = hooks::text(path).ok().flatten().and_then(|text| hooks::find_hook(&text, agent).ok());
        found.is_some_and(|found| found.iter().any(wakes))
    })
}

/// Notifies the host of a working tree of a snapshot, if a host runs.
pub(super) async fn notify_host(directory: &Path, kind: SnapshotKind) {
    hosts().report_snapshot(directory, kind).await;
}

/// Connects to the host of a working tree, if a host runs, for a later notification.
pub(super) async fn snapshot_reporter(directory: &Path) -> Option<SnapshotReporter> {
    hosts().snapshot_reporter(directory).await
}

fn hosts() -> HookSearch {
    HookSearch::within(RuntimeDirs::of_hook(|name| std::env::var_os(name)))
}

/// Writes a line to the log that the person named, or else to the log of the hosts.
pub(super) fn log(line: &str) {
    let log = if tracing::enabled!(tracing::Level::WARN) { None } else { logging::start_for_host(None).ok() };
    tracing::warn!("{line}");
    drop(log);
}
