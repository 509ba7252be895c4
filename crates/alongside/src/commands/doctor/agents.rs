//! Which agents there are: installed, in which release, and running.

use std::path::PathBuf;
use std::time::SystemTime;

use alongside_agent::find::{self, Surroundings};
use alongside_agent::version;
use alongside_contract::behaviour::Release;
use alongside_contract::family::{FAMILIES, Family, by_command};
use alongside_platform::process;

use crate::adapters::machine::directories_of;

/// An agent that is installed, or whose name was given.
#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) family: &'static Family,
    /// What starts it; nothing if it is not installed.
    pub(super) program: Option<PathBuf>,
    /// As it is written.
    pub(super) version: Option<String>,
    pub(super) release: Option<Release>,
    /// Whether its directory is in PATH.
    pub(super) is_in_path: bool,
}

/// An agent that runs.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) family: &'static Family,
    pub(super) pid: u32,
    pub(super) started: Option<SystemTime>,
    pub(super) here: Surroundings,
    /// The program, as far as its command line tells it.
    pub(super) program: Option<PathBuf>,
}

/// The agents of these families that are in PATH, or beside the `npm` there. Each program once, however many
/// names it has.
pub(super) async fn installed(families: &[&'static Family], here: &Surroundings) -> Vec<Agent> {
    let mut agents: Vec<(PathBuf, Agent)> = Vec::new();
    for (directory, is_in_path) in directories(here) {
        for family in families {
            for command in family.commands {
                let Ok(program) = which::which_in(command, Some(&directory), &directory) else {
                    continue;
                };
                let real = program.canonicalize().unwrap_or_else(|_| program.clone());
                if agents.iter().any(|(known, _)| *known == real) {
                    continue;
                }
                let version = version::of_program(&program, family, here).await;
                agents.push((real, Agent::of(family, Some(program), version, is_in_path)));
            }
        }
    }
    agents.into_iter().map(|(_, agent)| agent).collect()
}

impl Agent {
    fn of(
        family: &'static Family,
        program: Option<PathBuf>,
        version: Option<String>,
        is_in_path: bool,
    ) -> Self {
        let release = version.as_deref().and_then(version::release);
        Self { family, program, version, release, is_in_path }
    }

    /// One whose name was given, though it is not installed: its newest release.
    pub(super) fn not_installed(family: &'static Family) -> Self {
        Self::of(family, None, None, true)
    }

    /// The one that runs as this process.
    pub(super) async fn of_process(running: &Running) -> Self {
        let version = match &running.program {
            Some(program) => version::of_program(program, running.family, &running.here).await,
            None => None,
        };
        Self::of(running.family, running.program.clone(), version, true)
    }

    /// Whether it is newer than the newest that is known.
    pub(super) fn is_unknown(&self) -> Option<Release> {
        self.family.behaviour.known_to.filter(|known| self.release.is_some_and(|release| release > *known))
    }
}

/// Where programs lie: PATH, then where the `npm` of PATH puts those of all users, if that is elsewhere.
fn directories(here: &Surroundings) -> Vec<(PathBuf, bool)> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let in_path: Vec<PathBuf> = directories_of(path.as_ref()).collect();
    let mut beside = Vec::new();
    beside.extend(here.variables.get("npm_config_prefix").map(|prefix| PathBuf::from(prefix).join("bin")));
    beside.extend(
        [".npm-global/bin", ".local/bin", ".volta/bin", ".bun/bin"].map(|below| here.home.join(below)),
    );
    let known = in_path.clone();
    let beside = beside.into_iter().filter(|directory| !known.contains(directory)).map(|path| (path, false));
    in_path.into_iter().map(|path| (path, true)).chain(beside).collect()
}

/// The agents of this user that run with the same home and temporary directory.
pub(super) fn running(here: &Surroundings) -> Vec<Running> {
    let near = |running: &Running| running.here.home == here.home && running.here.tmp == here.tmp;
    let mut found: Vec<Running> =
        process::ours().into_iter().filter_map(process_of_agent).filter(near).collect();
    // A launcher and what it launches are one.
    let parents: Vec<u32> =
        found.iter().filter_map(|running| Some(find::look_up(running.pid)?.parent)).collect();
    found.retain(|running| !parents.contains(&running.pid));
    found
}

/// The agent that this process is, by its command line.
pub(super) fn process_of_agent(pid: u32) -> Option<Running> {
    let seen = find::look_up(pid)?;
    let script = seen.arguments.iter().find(|argument| !argument.starts_with('-'));
    let by_script = || {
        let interprets = ["node", "bun", "deno", "sh", "bash"].contains(&seen.name.as_str());
        script.filter(|_| interprets).and_then(|script| by_command(script))
    };
    let family = by_command(&seen.name).or_else(by_script)?;
    let here = Surroundings::of_process(pid)?;
    let program = script.map(|script| here.cwd.join(script)).filter(|path| path.is_file());
    Some(Running { family, pid, started: process::started(pid), here, program })
}

/// The families that were asked for, or all.
///
/// # Errors
/// A name that none has.
pub(super) fn families(names: &[String]) -> Result<Vec<&'static Family>, String> {
    if names.is_empty() {
        return Ok(FAMILIES.iter().collect());
    }
    let named = |name: &String| {
        let known = FAMILIES.iter().find(|family| family.id == name);
        known.or_else(|| by_command(name)).ok_or_else(|| name.clone())
    };
    names.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_named_by_its_id_or_its_command() {
        assert_eq!(families(&["qwen".into(), "/usr/bin/gemini".into()]).unwrap().len(), 2);
        assert_eq!(families(&[]).unwrap().len(), FAMILIES.len());
        assert_eq!(families(&["vim".into()]).unwrap_err(), "vim");
    }
}
