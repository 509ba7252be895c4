//! Agents: IDE mode on in the person's own settings, which is off in every agent that was never asked.

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, By, Settings};
use alongside_agent::version;
use alongside_contract::family::{FAMILIES, Family};
use alongside_contract::settings::Release;

use super::change::Change;
use super::ledger::Written;
use super::machine::Machine;
use super::{Plan, Rest};
use crate::failure::Hint as _;

/// What precedes a family's id in the names of what is installed.
const PREFIX: &str = "agent:";

/// An agent whose settings can be changed.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) family: &'static Family,
    /// What its package or it itself says; nothing for one that is not here.
    pub(crate) version: Option<String>,
}

impl Agent {
    /// Its name in what is written down.
    pub(crate) fn id(&self) -> String {
        format!("{PREFIX}{}", self.family.id)
    }

    fn release(&self) -> Option<Release> {
        version::release(self.version.as_deref()?)
    }

    /// What it makes of its settings in this directory.
    pub(crate) fn settings(&self, here: &Surroundings) -> Option<Settings> {
        Settings::of(self.family, self.release(), here)
    }

    /// What has to be written so that it looks for a companion when it starts.
    ///
    /// # Errors
    /// When its settings cannot be read.
    pub(crate) fn plan(&self, here: &Surroundings, machine: &Machine) -> anyhow::Result<Plan> {
        let mut plan = Plan::default();
        let edit = settings::switch_ide_on(self.family, self.release(), here);
        let edit =
            edit.hint("that file is not changed; correct it and repeat this, or see to it that \"enabled\" in \"ide\" is true")?;
        if let Some(edit) = edit {
            let after = Some(edit.after);
            plan.changes.push(Change { path: edit.path, before: edit.before, after, is_theirs: true });
        }
        let Some(settings) = self.settings(here) else { return Ok(plan) };
        let name = self.family.display_name;
        if let Some(By::File(path)) = &settings.ide_enabled.by
            && !settings.ide_enabled.value
            && *path != settings.user_file
        {
            plan.notes.push(format!(
                "{} switches IDE mode off, and has the last word: change it there.",
                machine.shown(path)
            ));
        }
        if !settings.approval_mode.value.opens_diffs() {
            let command = self.family.commands.first().unwrap_or(&"it");
            plan.notes.push(format!(
                "{name} edits without asking (approval mode {:?}). To decide its changes, start it as `{command} --approval-mode default`.",
                settings.approval_mode.value.to_string()
            ));
        }
        Ok(plan)
    }
}

/// The agents on this machine, in the order of the table of families.
pub(crate) async fn found(machine: &Machine, here: &Surroundings) -> Vec<Agent> {
    let mut found = Vec::new();
    for family in FAMILIES.iter().filter(|family| family.settings.is_some()) {
        if let Some(program) = machine.find(family.commands) {
            found.push(Agent { family, version: version::of_program(&program, family, here).await });
        }
    }
    found
}

/// The agent of that name, on this machine or not.
pub(crate) async fn named(name: &str, machine: &Machine, here: &Surroundings) -> Option<Agent> {
    let family = FAMILIES.iter().find(|family| family.id == name && family.settings.is_some())?;
    let found = found(machine, here).await.into_iter().find(|agent| agent.family.id == name);
    Some(found.unwrap_or(Agent { family, version: None }))
}

/// The family whose settings are written down under that name.
pub(super) fn family_of(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| name.strip_prefix(PREFIX) == Some(family.id))
}

/// What is left of an agent's settings, which were changed since.
pub(super) fn take_out(name: &str, written: &Written, now: &str) -> anyhow::Result<Rest> {
    let Some(family) = family_of(name) else {
        return Ok(Rest::Kept("no agent of that name is known any more".into()));
    };
    let rest = settings::take_back(family, &written.path, written.before.as_deref(), now)?;
    Ok(rest.map_or(Rest::Nothing, Rest::Text))
}
