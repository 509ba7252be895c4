//! Agents: IDE mode on in the person's own settings, which is off in every agent that was never asked.

use std::path::{Path, PathBuf};

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, By, Settings};
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
    /// What its package says; nothing for one that is not on the PATH.
    pub(crate) version: Option<String>,
}

impl Agent {
    /// Its name in what is written down.
    pub(crate) fn id(&self) -> String {
        format!("{PREFIX}{}", self.family.id)
    }

    fn release(&self) -> Option<Release> {
        let mut numbers = self.version.as_deref()?.split(['.', '-']).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?))
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
pub(crate) fn found(machine: &Machine) -> Vec<Agent> {
    let known = FAMILIES.iter().filter(|family| family.settings.is_some());
    let found = known.filter_map(|family| {
        let program = machine.find(family.commands)?;
        Some(Agent { family, version: version_of(&program) })
    });
    found.collect()
}

/// The agent of that name, on this machine or not.
pub(crate) fn named(name: &str, machine: &Machine) -> Option<Agent> {
    let family = FAMILIES.iter().find(|family| family.id == name && family.settings.is_some())?;
    let found = found(machine).into_iter().find(|agent| agent.family.id == name);
    Some(found.unwrap_or(Agent { family, version: None }))
}

/// The version in the package that a command belongs to: npm links the command to a file of it.
fn version_of(program: &Path) -> Option<String> {
    let real: PathBuf = program.canonicalize().ok()?;
    let mut packages = real.ancestors().skip(1).map(|directory| directory.join("package.json"));
    let text = packages.find_map(|path| std::fs::read(path).ok())?;
    let package: serde_json::Value = serde_json::from_slice(&text).ok()?;
    Some(package.get("version")?.as_str()?.to_owned())
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
