//! The companions' processes of a sandbox, found in their registry as the program itself does, and what is
//! done to them.

use std::fs;

use anyhow::Result;
use rustix::process::Pid;
use tokio::process::Child;

use super::desk::signal;
use crate::cli::alongside_bin;
use crate::sandbox::Sandbox;

/// The registered processes.
pub(super) fn all(sandbox: &Sandbox) -> Vec<Pid> {
    let entries = fs::read_dir(sandbox.run().join("alongside")).into_iter().flatten().flatten();
    let pid = |entry: fs::DirEntry| {
        let entry = serde_json::from_slice::<serde_json::Value>(&fs::read(entry.path()).ok()?).ok()?;
        Pid::from_raw(i32::try_from(entry["pid"].as_i64()?).ok()?)
    };
    let json = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "json");
    // What a killed one left names a process that may be another lane's by now.
    let own = sandbox.processes();
    entries.filter(json).filter_map(pid).filter(|pid| own.contains(pid) && is_alive(*pid)).collect()
}

/// Whether a process lives. One that has ended and was not waited for does not.
pub(super) fn is_alive(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Sends all of them a signal.
pub(super) fn signal_all(sandbox: &Sandbox, what: rustix::process::Signal) -> Vec<Pid> {
    let all = all(sandbox);
    all.iter().for_each(|pid| signal(*pid, what));
    all
}

/// Runs `alongside host` with this word for one of them.
pub(super) fn command(sandbox: &Sandbox, word: &str, pid: Pid) -> Result<Child> {
    let pid = pid.as_raw_nonzero().to_string();
    let mut command = sandbox.command(alongside_bin()?);
    command.args(["host", word, &pid]).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    Ok(sandbox.spawn(&mut command))
}
