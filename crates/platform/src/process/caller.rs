//! The program that has this one run, whatever runs it on its behalf.

use super::processes::{Processes, parent};
use super::table::Process;
use crate::Os;

/// Programs that run another one for somebody.
const RUNNERS: &[&str] =
    &["ash", "bash", "busybox", "dash", "env", "fish", "ksh", "nice", "sh", "timeout", "zsh"];

/// The most processes between a program and its caller.
const MAX_STEPS: usize = 8;

/// The process that has this one run: the nearest one above that is no shell. `None` on Windows, where
/// looking takes up to a second.
pub fn caller() -> Option<u32> {
    if Os::HERE == Os::Windows {
        return None;
    }
    let processes = Processes::now();
    caller_above(parent()?, |pid| processes.get(pid))
}

/// The same from a process on; `process` looks one up.
fn caller_above(from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    let mut pid = from;
    for _ in 0..MAX_STEPS {
        // The first process adopts those whose caller has gone.
        let found = process(pid).filter(|_| pid > 1)?;
        if !RUNNERS.contains(&found.name.trim_start_matches('-')) {
            return Some(pid);
        }
        pid = found.parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_between_a_program_and_its_caller_are_passed_over() {
        let table = [(40, 30, "sh"), (30, 20, "timeout"), (20, 10, "node"), (10, 1, "-bash"), (1, 0, "init")];
        let process = |pid: u32| {
            let (_, parent, name) = table.iter().find(|row| row.0 == pid)?;
            Some(Process { parent: *parent, name: (*name).to_owned(), arguments: Vec::new() })
        };
        assert_eq!(caller_above(40, process), Some(20));
        assert_eq!(caller_above(20, process), Some(20));
        assert_eq!(caller_above(10, process), None, "its caller is gone");
        assert_eq!(caller_above(99, process), None);
        let circle = |_| Some(Process { parent: 7, name: "sh".into(), arguments: Vec::new() });
        assert_eq!(caller_above(7, circle), None);
    }
}
