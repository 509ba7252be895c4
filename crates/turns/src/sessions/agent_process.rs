//! Finds the process of the agent that a message is for, if it still runs.

use std::path::{Path, PathBuf};

use alongside_platform::process::{self, Processes};

use crate::error::Error;
use crate::sessions::open_turns::last_of;
use crate::sessions::recipient;
use crate::store::tree_store::TreeStore;
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::AgentProcess;
use crate::working_tree::WorkingTree;

/// An agent whose process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningAgent {
    /// The display name of the agent. Render the name harmless before showing it.
    pub name: String,
    /// The process id of the agent, as its hook has recorded it.
    pub pid: u32,
    /// The other processes of the same program in the same working tree. An agent may run its hooks in
    /// another process than the program in the terminal: Codex runs them in one process for all of its
    /// sessions.
    pub others: Vec<u32>,
}

/// Finds the agent of the session that would get a message from the working tree around a directory. `None`
/// if the agent has ended, or its hook could not determine the agent's process.
///
/// # Errors
/// When the log cannot be read.
pub fn running_agent(dirs: &TurnDirs, directory: &Path) -> Result<Option<RunningAgent>, Error> {
    let Ok(tree) = dirs.working_tree(directory) else { return Ok(None) };
    let log = TreeStore::of(dirs.state(), &tree.top).log().read()?;
    let Some(to) = recipient::address(&log) else { return Ok(None) };
    let process = last_of(&log, &to).and_then(|record| record.process).filter(AgentProcess::runs);
    let Some(AgentProcess { pid, .. }) = process else { return Ok(None) };
    Ok(Some(RunningAgent { name: to.agent, pid, others: others(pid, &tree, &dirs.homes()) }))
}

/// Lists the other processes of this user in a working tree that run the same program as the process `pid`.
fn others(pid: u32, tree: &WorkingTree, homes: &[PathBuf]) -> Vec<u32> {
    let processes = Processes::now();
    let Some(agent) = processes.get(pid) else { return Vec::new() };
    let is_like = |it: &u32| *it != pid && processes.get(*it).is_some_and(|it| it.name == agent.name);
    let is_here = |it: &u32| {
        let around = process::directory(*it).and_then(|it| WorkingTree::around_or_at(&it, homes));
        around.is_some_and(|around| around.top == tree.top)
    };
    process::ours().into_iter().filter(is_like).filter(is_here).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    struct Sleeper(Child);

    impl Sleeper {
        fn begin(directory: &Path) -> Self {
            Self(Command::new("sleep").arg("60").current_dir(directory).spawn().unwrap())
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn other_processes_of_an_agent_run_its_program_in_its_tree() {
        let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tree = WorkingTree::around_or_at(here.path(), &[]).unwrap();
        // The process of the hooks may run anywhere.
        let [hooks, _other] = [elsewhere.path(), elsewhere.path()].map(Sleeper::begin);
        assert!(others(hooks.0.id(), &tree, &[]).is_empty());
        let terminal = Sleeper::begin(here.path());
        assert_eq!(others(hooks.0.id(), &tree, &[]), [terminal.0.id()]);
        assert!(others(std::process::id(), &tree, &[]).is_empty(), "another program");
    }
}
