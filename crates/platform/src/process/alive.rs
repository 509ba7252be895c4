//! Whether a process is alive: by signal 0 on Unix, as agents do it; by the process table on Windows. On
//! macOS, a sandbox hides that table, but not the result of a signal.

/// Whether a process of any user exists and has not ended. A process that its parent has not reaped counts as
/// ended: the first process of many containers never reaps.
pub fn is_alive(pid: u32) -> bool {
    pid != 0 && reaches(pid).is_some() && !has_ended(pid)
}

/// Whether this process may send a signal to another one. On Windows, the same as [`is_alive`].
pub fn may_signal(pid: u32) -> bool {
    pid != 0 && reaches(pid) == Some(true)
}

/// Whether this process may send a signal to another one; `None` if there is no such process.
#[cfg(unix)]
fn reaches(pid: u32) -> Option<bool> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    match rustix::process::test_kill_process(pid) {
        Ok(()) => Some(true),
        Err(rustix::io::Errno::PERM) => Some(false),
        Err(_) => None,
    }
}

/// Whether a process has ended that still accepts signals.
#[cfg(target_os = "linux")]
fn has_ended(pid: u32) -> bool {
    crate::proc_files::ProcProcess::open(pid).is_some_and(|process| process.has_ended())
}

#[cfg(not(target_os = "linux"))]
fn has_ended(_: u32) -> bool {
    false
}

#[cfg(not(unix))]
fn reaches(pid: u32) -> Option<bool> {
    super::look_up(pid).map(|_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ended_process_is_not_alive() {
        let mut child = crate::process::sleeper().spawn().unwrap();
        assert!(is_alive(child.id()) && may_signal(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(child.id()) && !may_signal(child.id()));
        assert!(!is_alive(0) && !is_alive(u32::MAX) && is_alive(std::process::id()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_ended_process_is_not_alive_before_its_parent_reaps_it() {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        assert!(may_signal(child.id()) && !is_alive(child.id()));
        child.wait().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_foreign_process_is_alive_but_not_signalled() {
        let may = rustix::process::geteuid().is_root() || crate::process::Processes::now().is_ours(1);
        assert!(is_alive(1));
        assert_eq!(may_signal(1), may);
    }
}
