//! Whether a process is alive: by signal 0 on Unix, as agents do it; slowly by `tasklist` on Windows.

/// Whether a process exists, of any user. True if the system does not show it.
pub fn is_alive(pid: u32) -> bool {
    pid != 0 && signal(pid) != Some(Signalled::Gone)
}

/// Whether this process may send a signal to another one. On Windows the same as [`is_alive`].
pub fn may_signal(pid: u32) -> bool {
    pid != 0 && signal(pid).is_none_or(|outcome| outcome == Signalled::Reached)
}

#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "Windows does not show it"))]
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
fn signal(pid: u32) -> Option<Signalled> {
    let filter = format!("PID eq {pid}");
    let output = std::process::Command::new("tasklist")
        .args(["/FI", &filter, "/FO", "CSV", "/NH"])
        .stdin(std::process::Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(match lists(&String::from_utf8_lossy(&output.stdout), pid) {
        true => Signalled::Reached,
        false => Signalled::Gone,
    })
}

/// Whether the output of `tasklist` lists a process. Without one it is a sentence in the system's language.
#[cfg(any(not(unix), test))]
fn lists(said: &str, pid: u32) -> bool {
    let number = format!("\"{pid}\"");
    said.lines().any(|line| line.starts_with('"') && line.split(',').nth(1) == Some(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasklist_output_lists_a_process_or_none() {
        let one = "\r\n\"Code.exe\",\"8200\",\"Console\",\"1\",\"182,440 K\"\r\n";
        assert!(lists(one, 8200) && !lists(one, 820) && !lists(one, 1));
        assert!(!lists("INFO: No tasks are running which match the specified criteria.\r\n", 8200));
        assert!(!lists(
            "INFORMATION: Es werden keine Aufgaben mit den angegebenen Kriterien ausgeführt.\r\n",
            8200
        ));
    }

    #[cfg(unix)]
    #[test]
    fn an_ended_process_is_not_alive() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(is_alive(child.id()) && may_signal(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(child.id()) && !may_signal(child.id()));
        assert!(!is_alive(0) && !is_alive(u32::MAX) && is_alive(std::process::id()));
    }

    #[cfg(unix)]
    #[test]
    fn a_foreign_process_is_alive_but_not_signalled() {
        let may = rustix::process::geteuid().is_root() || crate::process::Processes::now().is_ours(1);
        assert!(is_alive(1));
        assert_eq!(may_signal(1), may);
    }
}
