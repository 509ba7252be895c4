//! The ancestors of the editor's process. An agent that runs outside the editor's terminal takes one of them
//! for the editor.

use alongside_platform::process::Processes;

/// The largest number of ancestors that get an alias.
const MAX_ANCESTORS: usize = 4;
/// The longest chain of parents. A longer chain is a loop in the system's table.
const MAX_CHAIN: usize = 64;

/// Returns the nearest live ancestors of a process that the same user owns, nearest first; never PID 1.
pub(crate) fn of(pid: u32) -> Vec<u32> {
    let processes = Processes::now();
    let parent = |pid: &u32| Some(processes.get(*pid)?.parent).filter(|parent| *parent > 1);
    let chain = std::iter::successors(parent(&pid), parent).take(MAX_CHAIN);
    chain.filter(|ancestor| processes.is_ours(*ancestor)).take(MAX_ANCESTORS).collect()
}

#[cfg(test)]
mod tests {
    use alongside_platform::process::look_up;

    fn parent_of(pid: u32) -> Option<u32> {
        look_up(pid).map(|process| process.parent)
    }

    #[test]
    fn the_parent_is_first_and_pid_one_is_left_out() {
        let found = super::of(std::process::id());
        assert_eq!(found.first().copied(), parent_of(std::process::id()).filter(|pid| *pid > 1));
        assert!(found.len() <= super::MAX_ANCESTORS && !found.contains(&1));
        assert!(super::of(u32::MAX).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn an_orphan_is_not_found_under_pid_one() {
        let script = "sleep 60 >/dev/null 2>&1 & echo $!";
        let ran = std::process::Command::new("sh").args(["-c", script]).output().unwrap();
        let orphan: u32 = String::from_utf8_lossy(&ran.stdout).trim().parse().unwrap();
        let found = super::of(orphan);
        let process = rustix::process::Pid::from_raw(orphan.cast_signed()).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        assert!(!found.contains(&1), "{found:?}");
    }

    #[cfg(unix)]
    #[test]
    fn the_nearest_four_of_many_ancestors_are_found() {
        use std::io::{BufRead as _, BufReader};
        use std::process::{Command, Stdio};

        // Shells in shells, six deep. The innermost prints its id and waits for the end of its input.
        let script = r#"if [ "$1" -gt 0 ]; then sh -c "$0" "$0" $(($1 - 1)); :; else echo $$; read -r _; fi"#;
        let mut outermost = Command::new("sh")
            .args(["-c", script, script, "6"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(outermost.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let innermost: u32 = line.trim().parse().unwrap();
        let found = super::of(innermost);
        let nearest: Vec<u32> =
            std::iter::successors(parent_of(innermost), |pid| parent_of(*pid)).take(4).collect();
        drop(outermost.stdin.take());
        outermost.wait().unwrap();
        assert_eq!(found, nearest);
    }
}
