//! Whether a process is there. Agents ask with signal 0, which Unix answers at once. On Windows there is no cheap question,
//! and every process counts as alive; whoever must know dials its port.

/// Whether a process exists, whoever owns it. Where that cannot be told cheaply it counts as alive, as it does for agents.
pub fn is_alive(pid: u32) -> bool {
    pid != 0 && signal(pid) != Some(Signalled::Gone)
}

/// Whether we could send a process a signal: stricter than [`is_alive`] about processes of other users.
pub fn may_signal(pid: u32) -> bool {
    pid != 0 && signal(pid).is_none_or(|outcome| outcome == Signalled::Reached)
}

#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is signalled there"))]
enum Signalled {
    Reached,
    NotAllowed,
    Gone,
}

#[cfg(unix)]
fn signal(pid: u32) -> Option<Signalled> {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return Some(Signalled::Gone);
    };
    Some(match rustix::process::test_kill_process(pid) {
        Ok(()) => Signalled::Reached,
        Err(rustix::io::Errno::PERM) => Signalled::NotAllowed,
        Err(_) => Signalled::Gone,
    })
}

#[cfg(not(unix))]
fn signal(_: u32) -> Option<Signalled> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_that_has_ended_does_not() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(is_alive(child.id()) && may_signal(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(child.id()) && !may_signal(child.id()));
        assert!(!is_alive(0) && !is_alive(u32::MAX) && is_alive(std::process::id()));
    }

    #[test]
    fn a_process_of_somebody_else_lives_but_is_not_for_us_to_signal() {
        let may = rustix::process::geteuid().is_root() || crate::process::Processes::now().is_ours(1);
        assert!(is_alive(1));
        assert_eq!(may_signal(1), may);
    }
}
