//! The program that has started this one, possibly through shells and similar programs.

use super::processes::{Processes, parent};
use super::table::Process;
use crate::Os;

/// Programs that run another program on behalf of their caller.
const RUNNERS: &str = "ash bash busybox cmd dash env fish ksh nice powershell pwsh sh timeout zsh";

/// The largest number of processes between a program and its caller.
const MAX_STEPS: usize = 8;

/// Returns the process that has started this one: the nearest ancestor that is not one of these programs.
pub fn caller() -> Option<u32> {
    let processes = Processes::now();
    caller_above(Os::HERE, parent()?, |pid| processes.get(pid))
}

/// Returns the nearest such ancestor from the process `from` on. `process` looks up a process.
fn caller_above(os: Os, from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    let mut pid = from;
    for _ in 0..MAX_STEPS {
        // The first process adopts processes whose parent has ended.
        let found = process(pid).filter(|_| pid > 1)?;
        if !is_runner(os, &found.name) {
            return Some(pid);
        }
        pid = found.parent;
    }
    None
}

fn is_runner(os: Os, name: &str) -> bool {
    let program = match os {
        Os::Linux | Os::MacOs => name.trim_start_matches('-').to_owned(),
        Os::Windows => name.to_ascii_lowercase().trim_end_matches(".exe").to_owned(),
    };
    RUNNERS.split(' ').any(|runner| runner == program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the caller above a process, in a table of ids, parents and names.
    fn above(os: Os, table: &[(u32, u32, &str)], from: u32) -> Option<u32> {
        caller_above(os, from, |pid| {
            let (_, parent, name) = table.iter().find(|row| row.0 == pid)?;
            Some(Process { parent: *parent, name: (*name).to_owned(), arguments: Vec::new() })
        })
    }

    #[test]
    fn shells_between_a_program_and_its_caller_are_skipped() {
        let table = [(40, 30, "sh"), (30, 20, "timeout"), (20, 10, "node"), (10, 1, "-bash"), (1, 0, "init")];
        let above = |pid| above(Os::Linux, &table, pid);
        assert_eq!(above(40), Some(20));
        assert_eq!(above(20), Some(20));
        assert_eq!(above(10), None, "its caller is gone");
        assert_eq!(above(99), None);
        let circle = |_| Some(Process { parent: 7, name: "sh".into(), arguments: Vec::new() });
        assert_eq!(caller_above(Os::Linux, 7, circle), None);
    }

    #[test]
    fn shells_of_windows_are_skipped_too() {
        let table =
            [(40, 30, "Bash.EXE"), (30, 20, "cmd.exe"), (20, 10, "node.exe"), (10, 0, "explorer.exe")];
        assert_eq!(above(Os::Windows, &table, 40), Some(20));
        assert_eq!(above(Os::Linux, &table, 40), Some(40), "another system has other names");
    }
}
