//! What can be told of other processes of this user: which there are, since when, in which directory and with
//! which variables. Linux tells all of it; elsewhere only which there are is told, and the rest is not known.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

/// The processes of this user, by number.
#[cfg(target_os = "linux")]
pub fn ours() -> Vec<u32> {
    let processes = super::processes::Processes::now();
    let all = procfs::process::all_processes().into_iter().flatten().flatten();
    let mut pids: Vec<u32> = all
        .filter_map(|process| u32::try_from(process.pid).ok())
        .filter(|pid| processes.is_ours(*pid))
        .collect();
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

/// When a process was started, to a tick of the clock. `None` if it is gone, or that cannot be told.
#[cfg(target_os = "linux")]
pub fn started(pid: u32) -> Option<SystemTime> {
    use std::time::Duration;
    let process = procfs::process::Process::new(i32::try_from(pid).ok()?).ok()?;
    let ticks = process.stat().ok()?.starttime;
    let booted = SystemTime::UNIX_EPOCH + Duration::from_secs(procfs::boot_time_secs().ok()?);
    let per_second = procfs::ticks_per_second().max(1);
    Some(booted + Duration::from_millis(ticks.saturating_mul(1000) / per_second))
}

/// When a process was started. `None`, for that is not told here.
#[cfg(not(target_os = "linux"))]
pub fn started(_: u32) -> Option<SystemTime> {
    None
}

/// The variables a process was started with. `None` if they may not be read.
#[cfg(target_os = "linux")]
pub fn environment(pid: u32) -> Option<HashMap<OsString, OsString>> {
    procfs::process::Process::new(i32::try_from(pid).ok()?).ok()?.environ().ok()
}

/// The variables a process was started with. `None`, for they cannot be read here.
#[cfg(not(target_os = "linux"))]
pub fn environment(_: u32) -> Option<HashMap<OsString, OsString>> {
    None
}

/// The directory a process is in. `None` if it may not be known.
#[cfg(target_os = "linux")]
pub fn directory(pid: u32) -> Option<PathBuf> {
    procfs::process::Process::new(i32::try_from(pid).ok()?).ok()?.cwd().ok()
}

/// The directory a process is in. `None`, for it cannot be known here.
#[cfg(not(target_os = "linux"))]
pub fn directory(_: u32) -> Option<PathBuf> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_known_by_its_directory_its_variables_and_its_age() {
        let temp = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .current_dir(temp.path())
            .env("A_VARIABLE", "its value")
            .spawn()
            .unwrap();
        let pid = child.id();
        // Until it is a program of its own, it is a copy of this one.
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
