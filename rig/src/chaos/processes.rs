//! The processes of a sandbox: signals to them, and its companions, found in their registry as the program
//! itself finds them.

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

/// How long processes may take to end.
pub(super) const END_TIMEOUT: Duration = Duration::from_secs(20);

/// How often processes are looked at.
const POLL: Duration = Duration::from_millis(20);

/// Sends a signal to a process that may be gone.
pub(super) fn signal(pid: Pid, signal: Signal) {
    let _ = kill_process(pid, signal);
}

/// Whether a process lives. A zombie does not.
pub(super) fn is_alive(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// The registered companions that live.
pub(super) fn companions(sandbox: &Sandbox) -> Vec<Pid> {
    companions_in(&sandbox.hosts(), sandbox)
}

/// The companions of a sandbox that are registered in this directory and live.
pub(super) fn companions_in(directory: &Path, sandbox: &Sandbox) -> Vec<Pid> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let pid = |entry: fs::DirEntry| {
        let entry = serde_json::from_slice::<serde_json::Value>(&fs::read(entry.path()).ok()?).ok()?;
        Pid::from_raw(i32::try_from(entry["pid"].as_i64()?).ok()?)
    };
    let is_json =
        |entry: &fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "json");
    // The entry of a killed companion may name a process of another machine by now.
    let own = sandbox.processes();
    entries.filter(is_json).filter_map(pid).filter(|pid| own.contains(pid) && is_alive(*pid)).collect()
}

/// Sends a signal to all companions, and returns them.
pub(super) fn signal_companions(sandbox: &Sandbox, what: Signal) -> Vec<Pid> {
    let all = companions(sandbox);
    all.iter().for_each(|pid| signal(*pid, what));
    all
}

/// Waits for a companion other than the killed ones.
pub(super) async fn until_back(companions: impl Fn() -> Vec<Pid>, killed: &[Pid]) {
    while companions().iter().all(|pid| killed.contains(pid)) {
        sleep(POLL / 2).await;
    }
}

/// Waits until none of these processes lives. Those that do after [`END_TIMEOUT`] are killed and returned.
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
        sleep(POLL).await;
    }
}

/// Starts `alongside host OPTION PID`.
pub(super) fn spawn_host_command(sandbox: &Sandbox, option: &str, pid: Pid) -> Result<Child> {
    let mut command = sandbox.command(alongside_bin()?);
    command.args(["host", option, &pid.as_raw_nonzero().to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(sandbox.spawn(&mut command))
}
