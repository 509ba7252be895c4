//! What one process can do to another, and to itself: signals, and leaving the terminal it was started from.

use std::path::PathBuf;
use std::process::ExitStatus;

/// Sends a process a signal by its number. One that has ended, or that is not ours, gets none; on Windows
/// nobody does.
pub fn send(pid: u32, signal: i32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
            let _ = kill_process(pid, signal);
        }
    }
    #[cfg(not(unix))]
    let _ = (pid, signal);
}

/// Has a command lead a process group of its own, so that it can be [ended](end_group) with all that it
/// starts.
pub fn lead_group(command: &mut std::process::Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Kills all processes of the group that this one leads, if any are left. On Windows there is no such group.
pub fn end_group(leader: u32) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// The signal that ended a process, if one did.
pub fn ended_by(status: &ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(status);
    #[cfg(not(unix))]
    {
        let _ = status;
        None
    }
}

/// Leaves the terminal and the process group of whoever started this process: what ends them must not end it.
/// On Windows it is who starts it that decides so.
pub fn detach() {
    // It fails for a process that leads a group, as one started by hand does: that one has what it wants.
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}

/// This program. One that was replaced while it runs is still there under the name that Linux keeps.
///
/// # Errors
/// When the system does not say.
pub fn own_program() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let still_ours = PathBuf::from("/proc/self/exe");
    Ok(if own.exists() || !still_ours.exists() { own } else { still_ours })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_ends_a_process_and_is_what_ended_it() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        send(child.id(), 15);
        assert_eq!(ended_by(&child.wait().unwrap()), Some(15));
        // What is gone is sent nothing, and neither is a group of processes.
        send(child.id(), 15);
        send(0, 15);
        let left = std::process::Command::new("true").status().unwrap();
        assert_eq!(ended_by(&left), None);
        assert!(own_program().unwrap().exists());
    }
}
