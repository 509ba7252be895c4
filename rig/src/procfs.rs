//! The processes of Linux, as `/proc` lists them.

use std::fmt::Display;
use std::fs;

/// The number in a field of a process's status, such as KiB. `None` when the process is gone, and on
/// other systems.
pub fn status_field(pid: impl Display, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    value.split_whitespace().next()?.parse().ok()
}

/// The command line of a process; empty when the process is gone.
pub fn command_line(pid: impl Display) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}
