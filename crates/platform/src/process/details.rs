//! Properties of this user's processes: ids, start, directory, environment. A property is unknown if the
//! system hides it from this user.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

#[cfg(target_os = "linux")]
use crate::proc_files::ProcProcess;

/// Returns the ids of this user's processes, sorted.
pub fn ours() -> Vec<u32> {
    let mut pids = super::processes::Processes::now().ours();
    pids.sort_unstable();
    pids
}

/// Returns the start time of a process: on Linux to a clock tick, elsewhere to a second. `None` if it has
/// ended.
pub fn started(pid: u32) -> Option<SystemTime> {
    #[cfg(target_os = "linux")]
    return ProcProcess::open(pid)?.started();
    #[cfg(not(target_os = "linux"))]
    system::started(pid)
}

/// Returns the environment at the start of a process. `None` if this user may not read it.
pub fn environment(pid: u32) -> Option<HashMap<OsString, OsString>> {
    #[cfg(target_os = "linux")]
    return ProcProcess::open(pid)?.environment();
    #[cfg(not(target_os = "linux"))]
    system::environment(pid)
}

/// Returns the current directory of a process. `None` if this user may not read it.
pub fn directory(pid: u32) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    return ProcProcess::open(pid)?.directory();
    #[cfg(not(target_os = "linux"))]
    system::directory(pid)
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::HashMap;
    use std::ffi::OsString;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

    use crate::process::table::variable;

    fn read<T>(pid: u32, what: ProcessRefreshKind, take: impl FnOnce(&Process) -> Option<T>) -> Option<T> {
        let (mut system, pid) = (System::new().ok()?, Pid::from_u32(pid));
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        take(system.process(pid)?)
    }

    pub(super) fn started(pid: u32) -> Option<SystemTime> {
        read(pid, ProcessRefreshKind::nothing(), |process| {
            let since = Some(process.start_time()).filter(|seconds| *seconds > 0)?;
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(since))
        })
    }

    pub(super) fn environment(pid: u32) -> Option<HashMap<OsString, OsString>> {
        read(pid, ProcessRefreshKind::nothing().with_environ(UpdateKind::Always), |process| {
            let variables: HashMap<_, _> =
                process.environ().iter().filter_map(|line| variable(line)).collect();
            (!variables.is_empty()).then_some(variables)
        })
    }

    pub(super) fn directory(pid: u32) -> Option<PathBuf> {
        read(pid, ProcessRefreshKind::nothing().with_cwd(UpdateKind::Always), |process| {
            process.cwd().filter(|directory| !directory.as_os_str().is_empty()).map(Into::into)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Canonical as _;
    use crate::process::sleeper;

    #[test]
    fn a_childs_directory_environment_and_age_are_read() {
        let temp = tempfile::tempdir().unwrap();
        let mut child = sleeper().current_dir(temp.path()).env("A_VARIABLE", "its value").spawn().unwrap();
        let pid = child.id();
        // Before `exec`, the child process is a copy of this process.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while environment(pid).is_none_or(|variables| !variables.contains_key(&OsString::from("A_VARIABLE")))
        {
            assert!(std::time::Instant::now() < end, "waited in vain for the child to start");
        }
        assert!(ours().contains(&pid));
        let real = |path: PathBuf| path.canonical().ok();
        assert_eq!(directory(pid).and_then(real), temp.path().canonical().ok());
        assert_eq!(environment(pid).unwrap()[&OsString::from("A_VARIABLE")], "its value");
        assert!(started(pid) >= started(std::process::id()) && started(pid).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((started(pid), environment(pid), directory(pid)), (None, None, None));
    }
}
