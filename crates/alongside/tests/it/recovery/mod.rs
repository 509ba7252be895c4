//! A companion on a machine where things go wrong: all processes killed at once, broken settings, cleaners, a
//! full disk, no descriptors.

mod cleaners;
mod crashes;
mod full;
mod limits;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::Home;

/// Every process of a home.
pub(crate) fn everybody(home: &Home) -> Vec<Pid> {
    let mark = format!("XDG_RUNTIME_DIR={}\0", home.path("run").display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&mark)
        })
        .filter_map(Pid::from_raw)
        .collect()
}

/// Kills every process of a home at once, as the system does when memory runs out or a session ends.
pub(crate) fn kill_everybody(home: &Home) {
    for signal in [Signal::STOP, Signal::KILL] {
        for pid in everybody(home) {
            let _ = kill_process(pid, signal);
        }
    }
}

fn hosts_pid(home: &Home) -> Option<u32> {
    home.hosts().first().map(|(pid, _)| *pid)
}
