//! Facts about this user's processes: numbers, start, directory, environment. Only Linux shows all.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

#[cfg(target_os = "linux")]
use crate::proc_files::ProcProcess;

/// The processes of this user, by number.
#[cfg(target_os = "linux")]
pub fn ours() -> Vec<u32> {
    let processes = super::processes::Processes::now();
    let mut pids: Vec<u32> = crate::proc_files::all_pids().filter(|pid| processes.is_ours(*pid)).collect();
    pids.sort_unstable();
    pids
}

/// The processes of this user, by number.
#[cfg(not(target_os = "linux"))]
pub fn ours() -> Vec<u32> {
    let mut pids = super::processes::Processes::now().ours();
    pids.sort_unstable();
    pids
}

/// The start time of a process, to a clock tick. `None` if it has ended.
#[cfg(target_os = "linux")]
pub fn started(pid: u32) -> Option<SystemTime> {
    ProcProcess::open(pid)?.started()
}

/// Always `None`: this system does not show start times.
#[cfg(not(target_os = "linux"))]
pub fn started(_: u32) -> Option<SystemTime> {
    None
}

/// The environment at the start of a process. `None` if this user may not read it.
#[cfg(target_os = "linux")]
pub fn environment(pid: u32) -> Option<HashMap<OsString, OsString>> {
    ProcProcess::open(pid)?.environment()
}

/// Always `None`: this system does not show environments.
#[cfg(not(target_os = "linux"))]
pub fn environment(_: u32) -> Option<HashMap<OsString, OsString>> {
    None
}

/// The current directory of a process. `None` if this user may not read it.
#[cfg(target_os = "linux")]
pub fn directory(pid: u32) -> Option<PathBuf> {
    ProcProcess::open(pid)?.directory()
}

/// Always `None`: this system does not show directories.
#[cfg(not(target_os = "linux"))]
pub fn directory(_: u32) -> Option<PathBuf> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_childs_directory_environment_and_age_are_read() {
        let temp = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .current_dir(temp.path())
            .env("A_VARIABLE", "its value")
            .spawn()
            .unwrap();
        let pid = child.id();
        // Before `exec`, the child is a copy of this process.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while environment(pid).is_none_or(|variables| !variables.contains_key(&OsString::from("A_VARIABLE")))
        {
            assert!(std::time::Instant::now() < end, "waited in vain for the child to start");
        }
        assert!(ours().contains(&pid));
        assert_eq!(directory(pid), temp.path().canonicalize().ok());
        assert_eq!(environment(pid).unwrap()[&OsString::from("A_VARIABLE")], "its value");
        assert!(started(pid) >= started(std::process::id()) && started(pid).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!((started(pid), environment(pid), directory(pid)), (None, None, None));
    }
}
