//! The agents on this machine: the installed ones with their releases, and the running ones.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use alongside_adapters::program_directories::{NPM_PREFIX_VARIABLE, directories_of, usual_directories};
use alongside_agent::find::{self, Surroundings};
use alongside_agent::version;
use alongside_contract::agent::FamilyAgent;
use alongside_contract::agents::with_family;
use alongside_contract::behaviour::Release;
use alongside_platform::paths::Canonical as _;
use alongside_platform::process;

/// An agent that is installed, or that the person named.
#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) row: FamilyAgent,
    /// `None` if the agent is not installed.
    pub(super) program: Option<PathBuf>,
    /// The version as the agent writes it.
    pub(super) version: Option<String>,
    pub(super) release: Option<Release>,
    pub(super) is_in_path: bool,
}

/// An agent that runs.
#[derive(Debug, Clone)]
pub(super) struct RunningAgent {
    pub(super) row: FamilyAgent,
    pub(super) pid: u32,
    pub(super) started: Option<SystemTime>,
    pub(super) here: Surroundings,
    /// `None` if the command line does not name the program.
    pub(super) program: Option<PathBuf>,
}

/// Returns the agents of `known` in PATH and in the usual directories of installers. A program with several
/// names is listed once.
pub(super) async fn installed(known: &[FamilyAgent], here: &Surroundings) -> Vec<Agent> {
    let mut agents: Vec<(PathBuf, Agent)> = Vec::new();
    for (directory, is_in_path) in directories(here) {
        for row in known {
            for command in row.commands {
                let Ok(program) = which::which_in(command, Some(&directory), &directory) else {
                    continue;
                };
                let real = program.canonical().unwrap_or_else(|_| program.clone());
                if agents.iter().any(|(listed, _)| *listed == real) {
                    continue;
                }
                let version = version::of_program(&program, row, here).await;
                agents.push((real, Agent::new(*row, Some(program), version, is_in_path)));
            }
        }
    }
    agents.into_iter().map(|(_, agent)| agent).collect()
}

impl Agent {
    fn new(row: FamilyAgent, program: Option<PathBuf>, version: Option<String>, is_in_path: bool) -> Self {
        let release = version.as_deref().and_then(version::release);
        Self { row, program, version, release, is_in_path }
    }

    /// Returns a named agent that is not installed: the doctor examines the newest known release.
    pub(super) fn not_installed(row: FamilyAgent) -> Self {
        Self::new(row, None, None, true)
    }

    /// Returns the agent that runs as this process. May run the program to get its version.
    pub(super) async fn of_process(running: &RunningAgent) -> Self {
        let version = match &running.program {
            Some(program) => version::of_program(program, &running.row, &running.here).await,
            None => None,
        };
        Self::new(running.row, running.program.clone(), version, true)
    }

    /// Returns the newest known release, if this one is newer.
    pub(super) fn newer_than_known(&self) -> Option<Release> {
        self.row
            .family
            .behaviour
            .known_to
            .filter(|known| self.release.is_some_and(|release| release > *known))
    }
}

/// Returns the first program of these names in PATH or in the usual directories.
pub(super) fn program_of(commands: &[&str], here: &Surroundings) -> Option<PathBuf> {
    directories(here).into_iter().find_map(|(directory, _)| {
        commands.iter().find_map(|command| which::which_in(command, Some(&directory), &directory).ok())
    })
}

/// Returns the directories of PATH, then the usual ones of installers; each with whether it is in PATH.
fn directories(here: &Surroundings) -> Vec<(PathBuf, bool)> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let in_path: Vec<PathBuf> = directories_of(path.as_ref()).collect();
    let npm_prefix = here.variables.get(NPM_PREFIX_VARIABLE).map(Path::new);
    let mut others = usual_directories(&here.home, npm_prefix);
    others.retain(|directory| !in_path.contains(directory));
    let in_path = in_path.into_iter().map(|path| (path, true));
    in_path.chain(others.into_iter().map(|path| (path, false))).collect()
}

/// Returns this user's running agents with the same home and temporary directory.
pub(super) fn running(here: &Surroundings) -> Vec<RunningAgent> {
    let has_same_directories =
        |running: &RunningAgent| running.here.home == here.home && running.here.tmp == here.tmp;
    let mut found: Vec<RunningAgent> =
        process::ours().into_iter().filter_map(process_of_agent).filter(has_same_directories).collect();
    // A launcher and the process that it starts are one agent.
    let parents: Vec<u32> =
        found.iter().filter_map(|running| Some(find::look_up(running.pid)?.parent)).collect();
    found.retain(|running| !parents.contains(&running.pid));
    found
}

/// Returns the agent that runs as this process, as its command line names it.
pub(super) fn process_of_agent(pid: u32) -> Option<RunningAgent> {
    let looked_up = find::look_up(pid)?;
    let script = looked_up.arguments.iter().find(|argument| !argument.starts_with('-'));
    let by_script = || {
        let is_interpreter = ["node", "bun", "deno", "sh", "bash"].contains(&looked_up.name.as_str());
        script.filter(|_| is_interpreter).and_then(|script| FamilyAgent::of_command(script))
    };
    let row = FamilyAgent::of_command(&looked_up.name).or_else(by_script)?;
    let here = Surroundings::of_process(pid)?;
    let program = script.map(|script| here.cwd.join(script)).filter(|path| path.is_file());
    Some(RunningAgent { row, pid, started: process::started(pid), here, program })
}

/// Returns the agents of these names that find companions. Without a name, returns all that do.
///
/// # Errors
/// If no agent has one of the names: the first such name.
pub(super) fn named(names: &[String]) -> Result<Vec<FamilyAgent>, String> {
    if names.is_empty() {
        return Ok(with_family().collect());
    }
    let named = |name: &String| {
        FamilyAgent::named(name).or_else(|| FamilyAgent::of_command(name)).ok_or_else(|| name.clone())
    };
    names.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_named_by_id_or_command() {
        assert_eq!(named(&["qwen".into(), "/usr/bin/gemini".into()]).unwrap().len(), 2);
        assert_eq!(named(&[]).unwrap().len(), with_family().count());
        assert_eq!(named(&["vim".into()]).unwrap_err(), "vim");
    }
}
