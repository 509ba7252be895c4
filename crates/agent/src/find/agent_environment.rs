//! The environment of an agent. Only this module reads the environment, so that a test, or a question about
//! another terminal, can supply another one.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use alongside_contract::family::{Directory, Family};
use alongside_platform::process::{self, Processes, editor_above};
use alongside_platform::{Os, directories};

/// All that decides which companion an agent finds, apart from the files.
#[derive(Clone)]
pub struct Surroundings {
    /// The temporary directory (Node's `os.tmpdir()`).
    pub tmp: PathBuf,
    /// The home directory.
    pub home: PathBuf,
    /// Environment variables.
    pub variables: HashMap<String, String>,
    /// The directory that the agent was started in.
    pub cwd: PathBuf,
    /// The PID of the agent.
    pub pid: u32,
}

impl Surroundings {
    /// Returns the surroundings of an agent that would be started in place of this process.
    ///
    /// # Errors
    /// If the current directory does not exist any more.
    pub fn of_this_process() -> std::io::Result<Self> {
        let variables = readable(std::env::vars_os());
        Ok(Self::of(variables, directories::home(), std::env::current_dir()?, std::process::id()))
    }

    /// Returns the surroundings in which a running process was started. `None` if it has ended, or this
    /// process may not read them.
    pub fn of_process(pid: u32) -> Option<Self> {
        let variables = readable(process::environment(pid)?);
        let home = variables.get("HOME").map(PathBuf::from).or_else(directories::home);
        Some(Self::of(variables, home, process::directory(pid)?, pid))
    }

    fn of(variables: HashMap<String, String>, home: Option<PathBuf>, cwd: PathBuf, pid: u32) -> Self {
        let tmp = directories::temporary(Os::HERE, |name| variables.get(name).map(Into::into));
        Self { tmp, home: home.unwrap_or_else(|| PathBuf::from("/")), variables, cwd, pid }
    }

    /// Resolves a directory of the table.
    pub fn resolve(&self, directory: Directory) -> PathBuf {
        match directory {
            Directory::Tmp(below) => join(&self.tmp, below),
            Directory::Home { below_home, base_variable, below_base } => {
                match base_variable.and_then(|name| self.variables.get(name)) {
                    Some(base) => join(&self.cwd.join(base), below_base),
                    None => join(&self.home, below_home),
                }
            }
        }
    }

    /// Returns the port in the port variable, if there is one.
    pub(super) fn port(&self, family: &Family) -> Option<u16> {
        self.variables.get(family.env.port?)?.parse().ok().filter(|port| *port != 0)
    }

    /// Returns the PID that the agent takes for the editor.
    pub(super) fn target_pid(&self, family: &Family) -> Option<u32> {
        let said =
            family.env.pid.and_then(|name| self.variables.get(name)?.parse().ok()).filter(|pid| *pid != 0);
        said.or_else(|| editor_pid(self))
    }
}

/// Selects the variables whose name and value are UTF-8.
fn readable(variables: impl IntoIterator<Item = (OsString, OsString)>) -> HashMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
    };
    variables.into_iter().filter_map(text).filter(|(_, value)| !value.is_empty()).collect()
}

/// Shows the variables by name only, since one of them may hold a token.
impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("tmp", &self.tmp)
            .field("home", &self.home)
            .field("variables", &self.variables.keys())
            .field("cwd", &self.cwd)
            .field("pid", &self.pid)
            .finish()
    }
}

fn join(base: &Path, below: &str) -> PathBuf {
    if below.is_empty() { base.to_owned() } else { base.join(below) }
}

/// Whether this process runs in a container, by the signs that agents look for.
pub fn in_container() -> bool {
    ["/.dockerenv", "/run/.containerenv"].iter().any(|mark| std::path::Path::new(mark).exists())
}

/// Returns the PID that agents take for the editor, seen from [`Surroundings::pid`]. `None` if that process
/// has ended.
pub fn editor_pid(here: &Surroundings) -> Option<u32> {
    let processes = Processes::now();
    editor_above(Os::HERE, here.pid, |pid| processes.get(pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_an_editor() {
        assert!(editor_pid(&Surroundings::of_this_process().unwrap()).is_some());
    }
}
