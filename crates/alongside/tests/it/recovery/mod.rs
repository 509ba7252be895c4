//! Recovery of a companion from faults of its machine: all processes killed at once, wrong settings, cleaners
//! of temporary directories, a full disk, and no free descriptors.

mod cleaners;
mod crashes;
mod full;
mod limits;

use rustix::process::{Signal, kill_process};

use crate::support::Home;

/// Kills every process of a home at once, as the system does when memory runs out or a session ends.
pub(crate) fn kill_everybody(home: &Home) {
    for signal in [Signal::STOP, Signal::KILL] {
        for pid in home.processes() {
            let _ = kill_process(pid, signal);
        }
    }
}
