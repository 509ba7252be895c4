//! The process that an agent takes for the editor. All families have the same rule: the grandparent of the
//! nearest shell above, because VS Code has a process between itself and its shells; on Windows, the third
//! process from the top.

use super::table::Process;
use crate::Os;

/// The shells that agents know. `-zsh` (a login shell), `nu` and `pwsh` do not count.
const SHELLS: [&str; 8] = ["zsh", "bash", "sh", "tcsh", "csh", "ksh", "fish", "dash"];

/// The largest number of ancestors that agents examine.
const MAX_DEPTH: usize = 32;

/// Returns the process that an agent with process `from` takes for the editor. `None` if `from` has ended.
pub fn editor_above(os: Os, from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    match os {
        Os::Linux | Os::MacOs => editor_above_shell(from, process),
        Os::Windows => third_process_from_top(from, process),
    }
}

/// Returns the grandparent of the nearest shell, or its parent if the grandparent is init. If no ancestor is
/// a shell, returns the topmost ancestor.
fn editor_above_shell(from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
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

/// Returns the third process from the top, or the topmost one if there are fewer.
fn third_process_from_top(from: u32, process: impl Fn(u32) -> Option<Process>) -> Option<u32> {
    let parent = |pid: &u32| process(*pid).map(|found| found.parent).filter(|parent| *parent != 0);
    let chain: Vec<u32> = std::iter::successors(Some(from), parent)
        .take(MAX_DEPTH)
        .take_while(|pid| process(*pid).is_some())
        .collect();
    chain.len().checked_sub(3).map(|index| chain[index]).or(chain.last().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::table::name_in;

    /// Returns the editor of a chain of `(pid, command)` from the agent upwards.
    fn editor(os: Os, chain: &[(u32, &str)]) -> Option<u32> {
        editor_above(os, chain[0].0, |pid| {
            let at = chain.iter().position(|(other, _)| *other == pid)?;
            let parent = chain.get(at + 1).map_or(0, |(parent, _)| *parent);
            Some(Process { parent, name: name_in(chain[at].1), arguments: Vec::new() })
        })
    }

    fn on_unix(chain: &[(u32, &str)]) -> Option<u32> {
        let found = editor(Os::Linux, chain);
        assert_eq!(editor(Os::MacOs, chain), found, "one rule for both");
        found
    }

    #[test]
    fn the_editor_is_the_grandparent_of_the_nearest_shell() {
        let in_code = [(9, "node"), (8, "/bin/zsh"), (7, "ptyhost"), (6, "code"), (1, "init")];
        assert_eq!(on_unix(&in_code), Some(6));
        let in_tmux = [(9, "node"), (8, "sh"), (7, "bash"), (6, "tmux"), (5, "x"), (1, "init")];
        assert_eq!(on_unix(&in_tmux), Some(6));
    }

    #[test]
    fn the_editor_is_the_shells_parent_below_init() {
        assert_eq!(on_unix(&[(9, "node"), (8, "bash"), (7, "tmux: server"), (1, "init")]), Some(7));
    }

    #[test]
    fn shells_count_by_exact_name_only() {
        assert_eq!(on_unix(&[(9, "node"), (8, "-zsh"), (7, "nu"), (6, "kitty"), (1, "init")]), Some(6));
    }

    #[test]
    fn without_a_shell_the_topmost_ancestor_counts() {
        assert_eq!(on_unix(&[(9, "node"), (8, "run-server"), (1, "init")]), Some(8));
    }

    /// The chains are as macOS 15 lists them.
    #[test]
    fn login_shells_are_skipped_and_embedded_editors_found() {
        let in_terminal = [(790, "node"), (735, "-zsh"), (734, "login"), (412, "Terminal"), (1, "launchd")];
        assert_eq!(on_unix(&in_terminal), Some(412));
        let in_neovim = [(2250, "node"), (2240, "/bin/zsh"), (2204, "nvim"), (2203, "nvim"), (2202, "-zsh")];
        assert_eq!(on_unix(&in_neovim), Some(2203), "its interface");
        assert_eq!(editor_above(Os::MacOs, 4_000_000, |_| None), None, "an ended process has no editor");
    }

    #[test]
    fn the_windows_editor_is_third_from_the_top() {
        let whole =
            [(9, "node"), (8, "powershell"), (7, "Code"), (6, "Code"), (5, "explorer"), (4, "userinit")];
        assert_eq!(editor(Os::Windows, &whole), Some(6));
        assert_eq!(editor(Os::Windows, &whole[3..]), Some(6));
        assert_eq!(editor(Os::Windows, &whole[..2]), Some(8), "the topmost, where there are not three");
        assert_eq!(third_process_from_top(3, |_| None), None);
    }
}
