//! The processes of a sandbox: sends signals to them, and finds the companions in their registry as the
//! program does.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Result;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;
use tokio::time::{Instant, sleep};

use crate::procfs::command_line;
use crate::program::alongside_bin;
use crate::sandbox::Sandbox;

/// The longest time until processes have ended.
pub(super) const END_TIMEOUT: Duration = Duration::from_secs(20);

/// The time between two checks of processes.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Sends a signal to a process, which may have ended.
pub(super) fn signal(pid: Pid, signal: Signal) {
    let _ = kill_process(pid, signal);
}

/// Whether a process lives. A zombie does not count as living.
pub(super) fn is_alive(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Returns the registered companions that live.
pub(super) fn companions(sandbox: &Sandbox) -> Vec<Pid> {
    companions_in(&sandbox.hosts(), sandbox)
}

/// Returns the living companions of a sandbox that are registered in this directory.
pub(super) fn companions_in(directory: &Path, sandbox: &Sandbox) -> Vec<Pid> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let pid = |entry: fs::DirEntry| {
        let entry = serde_json::from_slice::<serde_json::Value>(&fs::read(entry.path()).ok()?).ok()?;
        Pid::from_raw(i32::try_from(entry["pid"].as_i64()?).ok()?)
    };
    let is_json =
        |entry: &fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "json");
    // The system may have given the process id of a killed companion to a process outside the sandbox.
    let own = sandbox.processes();
    entries.filter(is_json).filter_map(pid).filter(|pid| own.contains(pid) && is_alive(*pid)).collect()
}

/// Sends a signal to all companions, and returns them.
pub(super) fn signal_companions(sandbox: &Sandbox, what: Signal) -> Vec<Pid> {
    let all = companions(sandbox);
    all.iter().for_each(|pid| signal(*pid, what));
    all
}

/// Waits until there is a companion that is not among the killed ones.
pub(super) async fn until_back(companions: impl Fn() -> Vec<Pid>, killed: &[Pid]) {
    while companions().iter().all(|pid| killed.contains(pid)) {
        sleep(POLL_INTERVAL / 2).await;
    }
}

/// Waits until none of these processes lives. Kills and returns the processes that live after
/// [`END_TIMEOUT`].
pub(super) async fn until_ended(processes: impl Fn() -> Vec<Pid>) -> Vec<String> {
    let deadline = Instant::now() + END_TIMEOUT;
    loop {
        let mut left = processes();
        left.retain(|pid| is_alive(*pid));
        if left.is_empty() || Instant::now() > deadline {
            let name = |pid: &Pid| {
                let line = command_line(pid.as_raw_nonzero());
                signal(*pid, Signal::KILL);
                format!("a process: {line}")
            };
            return left.iter().map(name).collect();
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Starts `alongside host OPTION PID`.
pub(super) fn spawn_host_command(sandbox: &Sandbox, option: &str, pid: Pid) -> Result<Child> {
    let mut command = sandbox.command(alongside_bin()?);
    command.args(["host", option, &pid.as_raw_nonzero().to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(sandbox.spawn(&mut command))
}
