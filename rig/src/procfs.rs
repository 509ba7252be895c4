//! The properties of processes in Linux's `/proc`.

use std::fmt::Display;
use std::fs;

/// Returns the number in a field of a process's status, such as KiB. `None` if the process has ended, and on
/// other systems.
pub fn status_field(pid: impl Display, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse().ok()
}

/// Returns the command line of a process; empty if the process has ended.
pub fn command_line(pid: impl Display) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}
