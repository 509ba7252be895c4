//! The agents on this machine whose settings alongside can change, and their part in the ledger.

use std::path::PathBuf;

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, Settings, hooks};
use alongside_agent::version;
use alongside_contract::family::{FAMILIES, Family};
use alongside_contract::hook::HookAgent;
use alongside_contract::settings::Release;
use alongside_desk::harmless;

use super::installed::InstalledFile;
use super::plan::Remainder;
use super::user_environment::UserEnvironment;

/// An agent's id in the ledger is this and the family's id.
pub const ID_PREFIX: &str = "agent:";

/// An agent whose settings can be changed.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its row in the table of families.
    pub family: &'static Family,
    /// `None` if the agent is not on this machine, or does not say.
    pub version: Option<String>,
}

impl Agent {
    /// Its id in the ledger.
    pub(crate) fn id(&self) -> String {
        format!("{ID_PREFIX}{}", self.family.id)
    }

    /// The release that its version stands for; `None` without a version that can be read.
    pub fn release(&self) -> Option<Release> {
        version::release(self.version.as_deref()?)
    }

    /// Its settings as it reads them in this directory.
    pub fn settings(&self, here: &Surroundings) -> Option<Settings> {
        Settings::of(self.family, self.release(), here)
    }

    /// Its words for IDE mode.
    pub fn ide_mode(&self) -> &'static str {
        self.family.settings.map_or("IDE mode", |table| table.ide_mode)
    }

    /// Its name and version, harmless to show.
    pub fn name(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {}", harmless::name(version)));
        format!("{}{}", self.family.display_name, version.unwrap_or_default())
    }
}

/// The agents on this machine, in the order of the table of families.
pub async fn found(user: &UserEnvironment, here: &Surroundings) -> Vec<Agent> {
    let mut found = Vec::new();
    for family in FAMILIES {
        found.extend(of_family(family, user, here).await);
    }
    found
}

/// The agent of that family on this machine. Its program may have to run to say its version, which takes
/// about a second.
pub(crate) async fn of_family(
    family: &'static Family,
    user: &UserEnvironment,
    here: &Surroundings,
) -> Option<Agent> {
    let program = program_of(family, user)?;
    Some(Agent { family, version: version::of_program(&program, family, here).await })
}

/// The same without a run of its program: one that has to run has the version that it has among `known`.
pub(crate) fn of_family_without_a_run(
    family: &'static Family,
    known: &[Agent],
    user: &UserEnvironment,
    here: &Surroundings,
) -> Option<Agent> {
    let program = program_of(family, user)?;
    let known = || known.iter().find(|agent| agent.family.id == family.id)?.version.clone();
    Some(Agent { family, version: version::written(&program, family, here).or_else(known) })
}

/// The program of that family on this machine, if its settings can be changed.
fn program_of(family: &Family, user: &UserEnvironment) -> Option<PathBuf> {
    family.settings?;
    user.find(family.commands)
}

/// The agent of that name, on this machine or not.
pub async fn named(name: &str, user: &UserEnvironment, here: &Surroundings) -> Option<Agent> {
    let family = FAMILIES.iter().find(|family| family.id == name && family.settings.is_some())?;
    Some(of_family(family, user, here).await.unwrap_or(Agent { family, version: None }))
}

/// The family of that id in the ledger.
fn family_of(id: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| id.strip_prefix(ID_PREFIX) == Some(family.id))
}

/// The agent of that id in the ledger, if it runs hooks.
fn hook_agent_of(id: &str) -> Option<&'static HookAgent> {
    HookAgent::named(id.strip_prefix(ID_PREFIX)?)
}

/// The name of the agent of that id in the ledger.
pub(super) fn display_name_of(id: &str) -> Option<&'static str> {
    let family = family_of(id).map(|family| family.display_name);
    family.or_else(|| hook_agent_of(id).map(|agent| agent.display_name))
}

/// A text that is restored, without a hook that it held before the ledger knew of it.
pub(super) fn without_older_hook(id: &str, before: String) -> String {
    let rest = hook_agent_of(id).and_then(|agent| hooks::without_hook(&before, agent, None).ok());
    rest.unwrap_or(before)
}

/// The rest of an agent's settings, which were changed after the installation.
pub(super) fn remove_adapter(id: &str, file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    let (family, hook_agent) = (family_of(id), hook_agent_of(id));
    let before = file.before.as_deref();
    let without_hook = match hook_agent {
        Some(agent) => hooks::without_hook(now, agent, before).map_err(anyhow::Error::msg)?,
        None => now.to_owned(),
    };
    if let Some(family) = family {
        let rest = settings::take_back(family, &file.path, (before, &file.after), &without_hook)?;
        return Ok(rest.map_or(Remainder::Nothing, Remainder::Text));
    }
    Ok(match hook_agent {
        Some(_) if before.is_none() && hooks::is_empty(&without_hook) => Remainder::Nothing,
        Some(_) => Remainder::Text(without_hook),
        None => Remainder::Unchanged("this version of alongside does not know that agent".into()),
    })
}
