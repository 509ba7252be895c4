//! Signals to processes and groups, and detaching from the terminal.

use std::path::PathBuf;
use std::process::ExitStatus;

/// Sends a signal to a process. Has no effect if the process has ended or belongs to another user, and on
/// Windows.
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

/// Makes a command lead a new process group, so that [`end_group`] ends all its children.
pub fn lead_group(command: &mut std::process::Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Kills all processes of a group. Has no effect on Windows.
pub fn end_group(leader: u32) {
    #[cfg(unix)]
    if let Some(leader) = i32::try_from(leader).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Returns the signal that ended a process, if one did.
pub fn ended_by(status: &ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(status);
    #[cfg(not(unix))]
    {
        let _ = status;
        None
    }
}

/// Prepares a command to outlive this program. On Windows it gets no console of this program, because Ctrl-C
/// ends every program in a console, and none of its standard streams, whose readers would wait for the
/// command. On Unix, the command itself calls [`detach`].
pub fn start_apart(command: &mut std::process::Command) {
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt as _;

        use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW};
        keep_standard_streams();
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
    }
    #[cfg(not(windows))]
    let _ = command;
}

/// Makes the standard streams of this program not inheritable. A child process that is to have a stream
/// gets a copy.
#[cfg(windows)]
#[allow(unsafe_code, reason = "the standard library has no such call")]
fn keep_standard_streams() {
    use std::os::windows::io::{AsRawHandle as _, RawHandle};

    use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
    let streams: [RawHandle; 3] = [
        std::io::stdin().as_raw_handle(),
        std::io::stdout().as_raw_handle(),
        std::io::stderr().as_raw_handle(),
    ];
    for stream in streams.into_iter().filter(|stream| !stream.is_null()) {
        // SAFETY: no code closes the standard streams of this process, and a wrong handle is only refused.
        unsafe { SetHandleInformation(stream.cast(), HANDLE_FLAG_INHERIT, 0) };
    }
}

/// Leaves the parent's terminal and process group, so that this process can outlive them. On Windows see
/// [`start_apart`].
pub fn detach() {
    // The call fails for the leader of a group, which needs no change.
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}

/// Returns the path of the program that this process runs. On Linux, the path works even if the program was
/// replaced meanwhile.
///
/// # Errors
/// If the system does not report it.
pub fn running_program() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let still_ours = PathBuf::from("/proc/self/exe");
    Ok(if own.exists() || !still_ours.exists() { own } else { still_ours })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_ends_a_process() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        send(child.id(), 15);
        assert_eq!(ended_by(&child.wait().unwrap()), Some(15));
        // An ended process and the own group get no signal.
        send(child.id(), 15);
        send(0, 15);
        let left = std::process::Command::new("true").status().unwrap();
        assert_eq!(ended_by(&left), None);
        assert!(running_program().unwrap().exists());
    }
}
