//! The agents on this machine that alongside can set up, and their adapters in the ledger.

use std::path::PathBuf;

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, Settings, hooks};
use alongside_agent::version;
use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;
use alongside_contract::settings::Release;
use alongside_desk::harmless;

use super::installation::InstalledFile;
use super::plan::Remainder;
use super::user_environment::UserEnvironment;

/// The prefix of an agent's id in the ledger; the agent's own id follows.
pub const ID_PREFIX: &str = "agent:";

/// An agent that can be set up, with its version on this machine.
#[derive(Debug, Clone)]
pub struct VersionedAgent {
    /// Its row in the table of agents.
    pub row: &'static Agent,
    /// The version; `None` if the agent is not on this machine, prints no version, or has only a hook to set
    /// up.
    pub version: Option<String>,
}

/// Returns the id in the ledger of the agent with the identifier `id`. Settings and hooks share one id,
/// because they may be in one file.
pub(crate) fn ledger_id(id: &str) -> String {
    format!("{ID_PREFIX}{id}")
}

impl VersionedAgent {
    /// Returns the release, parsed from the version; `None` if there is no version, or no release in it.
    pub fn release(&self) -> Option<Release> {
        version::release(self.version.as_deref()?)
    }

    /// Returns the settings that the agent reads in this directory.
    pub fn settings(&self, here: &Surroundings) -> Option<Settings> {
        Settings::of(self.row, self.release(), here)
    }

    /// Returns the agent's own name for IDE mode.
    pub fn ide_mode(&self) -> &'static str {
        self.row.settings.map_or("IDE mode", |table| table.ide_mode)
    }

    /// Returns the agent's name and version, harmless to show.
    pub fn name(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {}", harmless::name(version)));
        format!("{}{}", self.row.display_name, version.unwrap_or_default())
    }
}

/// Finds the agents on this machine that can be set up, in the order of the table. May run their programs for
/// their versions.
pub async fn find_agents(user: &UserEnvironment, here: &Surroundings) -> Vec<VersionedAgent> {
    let mut agents = Vec::new();
    for row in AGENTS {
        agents.extend(of_row(row, user, here).await);
    }
    agents
}

/// Returns the command of the first agent on this machine that can be set up, in the order of the table. Runs
/// no program.
pub fn first_command(user: &UserEnvironment) -> Option<&'static str> {
    let row = AGENTS.iter().find(|row| program_of(row, user).is_some())?;
    row.commands.first().copied()
}

/// Returns the agent of `row` on this machine. May run its program for the version, which takes about a
/// second.
pub(crate) async fn of_row(
    row: &'static Agent,
    user: &UserEnvironment,
    here: &Surroundings,
) -> Option<VersionedAgent> {
    let program = program_of(row, user)?;
    let version = match row.settings {
        Some(_) => version::of_program(&program, row, here).await,
        None => None,
    };
    Some(VersionedAgent { row, version })
}

/// As [`of_row`], but runs no program: if the version is not written beside the program, it comes from
/// `known`.
pub(crate) fn of_row_without_running(
    row: &'static Agent,
    known: &[VersionedAgent],
    user: &UserEnvironment,
    here: &Surroundings,
) -> Option<VersionedAgent> {
    let program = program_of(row, user)?;
    let known_version = || known.iter().find(|agent| agent.row.id == row.id)?.version.clone();
    Some(VersionedAgent { row, version: version::written(&program, row, here).or_else(known_version) })
}

/// Returns the program of the agent of `row` on this machine, if the agent can be set up.
fn program_of(row: &Agent, user: &UserEnvironment) -> Option<PathBuf> {
    row.can_be_set_up().then(|| user.find(row.commands)).flatten()
}

/// Returns the agent of the name `name`, if it can be set up. Without its program on this machine, it has no
/// version.
pub async fn named(name: &str, user: &UserEnvironment, here: &Surroundings) -> Option<VersionedAgent> {
    let row = Agent::named(name).filter(|row| row.can_be_set_up())?;
    Some(of_row(row, user, here).await.unwrap_or(VersionedAgent { row, version: None }))
}

/// Returns the row of the agent with the id `id` in the ledger.
pub(super) fn row_of(id: &str) -> Option<&'static Agent> {
    Agent::named(id.strip_prefix(ID_PREFIX)?)
}

/// Returns the text `before` without our hook. The text before an installation may hold the hook of an
/// earlier installation that the ledger does not list.
pub(super) fn without_older_hook(id: &str, before: String) -> String {
    let agent = row_of(id).and_then(Agent::with_hook);
    agent.and_then(|agent| hooks::without_hook(&before, agent, None).ok()).unwrap_or(before)
}

/// Returns the rest of an agent's settings file, which was changed after the installation and now holds
/// `now`.
pub(super) fn remove_adapter(id: &str, file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    let Some(row) = row_of(id) else {
        return Ok(Remainder::Unchanged("this version of alongside does not know that agent".into()));
    };
    let before = file.before.as_deref();
    let rest = match row.with_hook() {
        Some(agent) => hooks::without_hook(now, agent, before).map_err(anyhow::Error::msg)?,
        None => now.to_owned(),
    };
    let rest = match row.settings {
        Some(_) => settings::take_back(row, &file.path, (before, &file.after), &rest)?,
        None if before.is_none() && hooks::is_empty(&rest) => None,
        None => Some(rest),
    };
    Ok(rest.map_or(Remainder::Nothing, Remainder::Text))
}
