//! The agents on this machine: which are installed, in which release, and which run.

use std::path::PathBuf;
use std::time::SystemTime;

use alongside_adapters::user_environment::directories_of;
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
    /// `None` if it is not installed.
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
    /// `None` if the command line does not name it.
    pub(super) program: Option<PathBuf>,
}

/// Those of these agents that are in PATH and in the usual directories of npm and other installers. A program
/// with several names is listed once.
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

    /// An agent that the person named, but that is not installed: it counts as its newest release.
    pub(super) fn not_installed(row: FamilyAgent) -> Self {
        Self::new(row, None, None, true)
    }

    /// The agent that runs as this process.
    pub(super) async fn of_process(running: &RunningAgent) -> Self {
        let version = match &running.program {
            Some(program) => version::of_program(program, &running.row, &running.here).await,
            None => None,
        };
        Self::new(running.row, running.program.clone(), version, true)
    }

    /// The newest release that is known, if this one is newer.
    pub(super) fn newer_than_known(&self) -> Option<Release> {
        self.row
            .family
            .behaviour
            .known_to
            .filter(|known| self.release.is_some_and(|release| release > *known))
    }
}

/// The first program of these names in PATH or in the usual directories.
pub(super) fn program_of(commands: &[&str], here: &Surroundings) -> Option<PathBuf> {
    directories(here).into_iter().find_map(|(directory, _)| {
        commands.iter().find_map(|command| which::which_in(command, Some(&directory), &directory).ok())
    })
}

/// The directories of PATH, then those of npm and other installers; each with whether it is in PATH.
fn directories(here: &Surroundings) -> Vec<(PathBuf, bool)> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let in_path: Vec<PathBuf> = directories_of(path.as_ref()).collect();
    let npm = here.variables.get("npm_config_prefix").map(|prefix| PathBuf::from(prefix).join("bin"));
    let usual =
        [".npm-global/bin", ".local/bin", ".volta/bin", ".bun/bin"].map(|below| here.home.join(below));
    let mut others: Vec<PathBuf> = npm.into_iter().chain(usual).collect();
    others.retain(|directory| !in_path.contains(directory));
    let in_path = in_path.into_iter().map(|path| (path, true));
    in_path.chain(others.into_iter().map(|path| (path, false))).collect()
}

/// This user's agents that run with the same home and temporary directory.
pub(super) fn running(here: &Surroundings) -> Vec<RunningAgent> {
    let near = |running: &RunningAgent| running.here.home == here.home && running.here.tmp == here.tmp;
    let mut found: Vec<RunningAgent> =
        process::ours().into_iter().filter_map(process_of_agent).filter(near).collect();
    // A launcher and the process that it starts are one agent.
    let parents: Vec<u32> =
        found.iter().filter_map(|running| Some(find::look_up(running.pid)?.parent)).collect();
    found.retain(|running| !parents.contains(&running.pid));
    found
}

/// The agent that runs as this process, by its command line.
pub(super) fn process_of_agent(pid: u32) -> Option<RunningAgent> {
    let seen = find::look_up(pid)?;
    let script = seen.arguments.iter().find(|argument| !argument.starts_with('-'));
    let by_script = || {
        let interprets = ["node", "bun", "deno", "sh", "bash"].contains(&seen.name.as_str());
        script.filter(|_| interprets).and_then(|script| FamilyAgent::of_command(script))
    };
    let row = FamilyAgent::of_command(&seen.name).or_else(by_script)?;
    let here = Surroundings::of_process(pid)?;
    let program = script.map(|script| here.cwd.join(script)).filter(|path| path.is_file());
    Some(RunningAgent { row, pid, started: process::started(pid), here, program })
}

/// The agents of these names that find companions, or all without a name.
///
/// # Errors
/// The first name that none of them has.
pub(super) fn named(names: &[String]) -> Result<Vec<FamilyAgent>, String> {
    if names.is_empty() {
        return Ok(with_family().collect());
    }
    let named = |name: &String| {
        FamilyAgent::named(name).or_else(|| FamilyAgent::of_command(name)).ok_or_else(|| name.clone())
    };
    names.iter().map(named).collect()
}

/// A release as people write it.
pub(super) fn release_number((major, minor, patch): Release) -> String {
    format!("{major}.{minor}.{patch}")
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
