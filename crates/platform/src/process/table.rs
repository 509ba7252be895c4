//! The types of a process table, whichever system it comes from.

use std::collections::HashMap;

/// A process as `ps -o ppid=,command=` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its parent; 0 without one.
    pub parent: u32,
    /// The first word of the command line, after its last slash.
    pub name: String,
    /// The rest of the command line. Only Linux shows where an argument ends; elsewhere blanks split them.
    pub arguments: Vec<String>,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) process: Process,
    pub(super) owner: ProcessOwner,
}

/// The owner of a process, as far as the table shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessOwner {
    /// The user with this number.
    User(u32),
    /// This user: the table shows nobody else's command line.
    Ours,
    /// Somebody else, or unknown.
    Unknown,
}

/// All processes by number.
pub(super) type Table = HashMap<u32, Row>;

/// The name in a command line. Agents split at blanks before they look for the last slash, so this does too.
pub(super) fn name_in(command: &str) -> String {
    let word = command.split(' ').next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}
