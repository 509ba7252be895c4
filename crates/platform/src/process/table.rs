//! A process, as the process table of any system describes it.

#[cfg(any(test, not(target_os = "linux")))]
use std::ffi::{OsStr, OsString};

#[cfg(any(test, not(target_os = "linux")))]
use crate::Os;

/// A process as agents see it: as `ps -o ppid=,command=` prints it, on Windows as the system lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The id of its parent; 0 without a parent.
    pub parent: u32,
    /// The first word of the command line, after its last slash; on Windows the name of the program's file.
    pub name: String,
    /// The other words of the command line; none if the system hides it.
    pub arguments: Vec<String>,
}

impl Process {
    /// Creates a process from the system's table: `name` is the name of its program, and `command` is empty
    /// if it is hidden.
    #[cfg(any(test, not(target_os = "linux")))]
    pub(super) fn listed(os: Os, parent: u32, name: &str, command: &[String]) -> Self {
        let name = match (os, command.first()) {
            (Os::Linux | Os::MacOs, Some(program)) => name_in(program),
            _ => name.to_owned(),
        };
        Self { parent, name, arguments: command.iter().skip(1).cloned().collect() }
    }
}

/// Returns the name in a command line. Agents split it at spaces before they search for the last slash, and
/// so does this.
#[cfg_attr(windows, allow(dead_code, reason = "a rule of the other systems, which tests compare"))]
pub(super) fn name_in(command: &str) -> String {
    let word = command.split(' ').next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Parses a variable. Windows stores the directories of drives in names that begin with an equals sign.
#[cfg(any(test, not(target_os = "linux")))]
pub(super) fn variable(line: &OsStr) -> Option<(OsString, OsString)> {
    let (name, value) = line.to_str()?.split_once('=')?;
    (!name.is_empty()).then(|| (name.into(), value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_process_has_the_name_that_agents_see() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let code = words(&["/Applications/Visual Studio Code.app/Contents/MacOS/Electron", "--a"]);
        let on_a_mac = Process::listed(Os::MacOs, 1, "Electron", &code);
        // Agents split at the first space.
        assert_eq!((on_a_mac.name.as_str(), on_a_mac.arguments), ("Visual", words(&["--a"])));
        assert_eq!(Process::listed(Os::MacOs, 1, "zsh", &words(&["-zsh"])).name, "-zsh");
        assert_eq!(Process::listed(Os::MacOs, 1, "login", &[]).name, "login", "root's command is hidden");
        let node = words(&[r"C:\Program Files\nodejs\node.exe", r"C:\my notes.js"]);
        let on_windows = Process::listed(Os::Windows, 7, "node.exe", &node);
        assert_eq!((on_windows.parent, on_windows.name.as_str()), (7, "node.exe"));
        assert_eq!(on_windows.arguments, [r"C:\my notes.js"]);
    }

    #[test]
    fn a_variable_is_split_at_the_first_equals_sign() {
        let read = |line: &str| variable(line.as_ref());
        assert_eq!(read("A=x=y"), Some(("A".into(), "x=y".into())));
        assert_eq!(read("EMPTY="), Some(("EMPTY".into(), "".into())));
        assert_eq!((read(r"=C:=C:\work"), read("NONE")), (None, None));
    }
}
