//! Which process an agent takes for the editor. The rule is old, odd and the same in every family: the grandparent
//! of the nearest shell above, because VS Code puts a process between itself and its shells.

use super::Surroundings;

/// Shells as agents know them. A login shell's `-zsh` is none, nor are `nu` and `pwsh`.
#[cfg(not(windows))]
const SHELLS: [&str; 8] = ["zsh", "bash", "sh", "tcsh", "csh", "ksh", "fish", "dash"];

/// Agents look no further up than this.
const MAX_DEPTH: usize = 32;

/// A process as `ps -o ppid=,command=` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The process above it; 0 if there is none.
    pub parent: u32,
    /// What follows the last slash of the command line's first word.
    pub name: String,
    /// The rest of the command line.
    pub arguments: Vec<String>,
}

/// Looks a process up. `None` if it is gone, or nothing may be known of it.
pub fn look_up(pid: u32) -> Option<Process> {
    processes()(pid)
}

/// The process that agents take for the editor, seen from [`Surroundings::pid`]: the grandparent of the nearest
/// shell at or above it, the shell's parent if that grandparent is init, and the topmost ancestor where there is no
/// shell. `None` if the process is gone.
pub fn editor_pid(here: &Surroundings) -> Option<u32> {
    editor_above(here.pid, processes())
}

#[cfg(not(windows))]
fn editor_above(from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    let mut pid = from;
    for _ in 0..MAX_DEPTH {
        let Some(Process { parent, name, .. }) = process(pid) else {
            break;
        };
        if SHELLS.contains(&name.as_str()) {
            let grandparent = process(parent).map_or(0, |process| process.parent);
            return Some(if grandparent > 1 { grandparent } else { parent });
        }
        if parent <= 1 {
            break;
        }
        pid = parent;
    }
    process(pid).map(|_| pid)
}

#[cfg(windows)]
fn editor_above(from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    third_from_the_top(from, process)
}

/// What agents take on Windows, whatever the shells there: the topmost one where there are not three.
#[cfg(any(windows, test))]
fn third_from_the_top(from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    let chain: Vec<u32> = std::iter::successors(Some(from), |pid| process(*pid).map(|found| found.parent))
        .take(MAX_DEPTH)
        .take_while(|pid| process(*pid).is_some())
        .collect();
    chain.len().checked_sub(3).map(|third| chain[third]).or(chain.last().copied())
}

/// Whether a process exists, whoever owns it. Where that cannot be told cheaply it counts as alive, as it does for agents.
pub fn is_alive(pid: u32) -> bool {
    signal(pid).is_none_or(|outcome| outcome != Signalled::Gone)
}

/// Whether we could send a process a signal: stricter than [`is_alive`] about processes of other users.
pub(super) fn may_signal(pid: u32) -> bool {
    signal(pid).is_none_or(|outcome| outcome == Signalled::Reached)
}

#[derive(PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is signalled there"))]
enum Signalled {
    Reached,
    NotAllowed,
    Gone,
}

#[cfg(unix)]
fn signal(pid: u32) -> Option<Signalled> {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return Some(Signalled::Gone);
    };
    Some(match rustix::process::test_kill_process(pid) {
        Ok(()) => Signalled::Reached,
        Err(rustix::io::Errno::PERM) => Signalled::NotAllowed,
        Err(_) => Signalled::Gone,
    })
}

#[cfg(not(unix))]
fn signal(_: u32) -> Option<Signalled> {
    None
}

/// Looks processes up by PID.
#[cfg(target_os = "linux")]
fn processes() -> impl Fn(u32) -> Option<Process> {
    |pid| {
        let process = procfs::process::Process::new(i32::try_from(pid).ok()?).ok()?;
        let parent = u32::try_from(process.stat().ok()?.ppid).ok()?;
        let mut words = process.cmdline().ok()?.into_iter();
        let name = name_in(&words.next().unwrap_or_default());
        Some(Process { parent, name, arguments: words.collect() })
    }
}

/// Looks processes up by PID, in a table read once.
#[cfg(not(target_os = "linux"))]
fn processes() -> impl Fn(u32) -> Option<Process> {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};
    let mut system = System::new().ok();
    let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    if let Some(system) = &mut system {
        system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    }
    move |pid| {
        let process = system.as_ref()?.process(Pid::from_u32(pid))?;
        let mut words = process.cmd().iter().map(|word| word.to_string_lossy().into_owned());
        let name = words.next().unwrap_or_else(|| process.name().to_string_lossy().into_owned());
        let parent = process.parent().map_or(0, Pid::as_u32);
        Some(Process { parent, name: name_in(&name), arguments: words.collect() })
    }
}

/// Agents split the command line at blanks before they look for the last slash, so we do too.
fn name_in(command: &str) -> String {
    let word = command.split(' ').next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks up a chain of `(pid, command)` from the agent upwards.
    fn chain<'a>(chain: &'a [(u32, &'a str)]) -> impl Fn(u32) -> Option<Process> + 'a {
        |pid| {
            let at = chain.iter().position(|(other, _)| *other == pid)?;
            let parent = chain.get(at + 1).map_or(0, |(parent, _)| *parent);
            Some(Process { parent, name: name_in(chain[at].1), arguments: Vec::new() })
        }
    }

    #[cfg(not(windows))]
    fn editor(of: &[(u32, &str)]) -> Option<u32> {
        editor_above(of[0].0, chain(of))
    }

    #[test]
    fn on_windows_the_editor_is_the_third_process_from_the_top() {
        let top = |of: &[(u32, &str)]| third_from_the_top(of[0].0, chain(of));
        let whole =
            [(9, "node"), (8, "powershell"), (7, "Code"), (6, "Code"), (5, "explorer"), (4, "userinit")];
        assert_eq!(top(&whole), Some(6));
        assert_eq!(top(&whole[3..]), Some(6));
        assert_eq!(top(&whole[..2]), Some(8), "the topmost, where there are not three");
        assert_eq!(third_from_the_top(3, |_| None), None);
    }

    #[cfg(not(windows))]
    #[test]
    fn the_editor_is_the_grandparent_of_the_nearest_shell() {
        assert_eq!(
            editor(&[(9, "node"), (8, "/bin/zsh"), (7, "ptyhost"), (6, "code"), (1, "init")]),
            Some(6)
        );
        assert_eq!(
            editor(&[(9, "node"), (8, "sh"), (7, "bash"), (6, "tmux"), (5, "x"), (1, "init")]),
            Some(6)
        );
    }

    #[cfg(not(windows))]
    #[test]
    fn the_editor_is_the_shells_parent_when_init_comes_next() {
        assert_eq!(editor(&[(9, "node"), (8, "bash"), (7, "tmux: server"), (1, "init")]), Some(7));
    }

    #[cfg(not(windows))]
    #[test]
    fn shells_count_by_exact_name_only() {
        assert_eq!(editor(&[(9, "node"), (8, "-zsh"), (7, "nu"), (6, "kitty"), (1, "init")]), Some(6));
    }

    #[cfg(not(windows))]
    #[test]
    fn without_a_shell_the_topmost_ancestor_counts() {
        assert_eq!(editor(&[(9, "node"), (8, "run-server"), (1, "init")]), Some(8));
    }

    #[cfg(not(windows))]
    #[test]
    fn this_process_has_an_editor_and_lives() {
        let here = Surroundings::of_this_process().unwrap();
        assert!(editor_pid(&here).is_some());
        assert!(is_alive(here.pid));
        assert!(!is_alive(u32::MAX) && !is_alive(0));
    }
}
