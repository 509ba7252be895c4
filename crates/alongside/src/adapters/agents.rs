//! The agents' adapter: it switches IDE mode on in the person's own settings. IDE mode is off by default.

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, By, Settings};
use alongside_agent::version;
use alongside_contract::family::{FAMILIES, Family};
use alongside_contract::settings::Release;

use super::installed::InstalledFile;
use super::plan::{Plan, Remainder};
use super::user_environment::UserEnvironment;
use crate::failure::Hint as _;

/// An agent's id in the ledger is this and the family's id.
pub(crate) const ID_PREFIX: &str = "agent:";

/// An agent whose settings can be changed.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) family: &'static Family,
    /// `None` if the agent is not on this machine, or does not say.
    pub(crate) version: Option<String>,
}

impl Agent {
    /// Its id in the ledger.
    pub(crate) fn id(&self) -> String {
        format!("{ID_PREFIX}{}", self.family.id)
    }

    fn release(&self) -> Option<Release> {
        version::release(self.version.as_deref()?)
    }

    /// Its settings as it reads them in this directory.
    pub(crate) fn settings(&self, here: &Surroundings) -> Option<Settings> {
        Settings::of(self.family, self.release(), here)
    }

    /// The changes that make it look for a companion when it starts.
    ///
    /// # Errors
    /// When its settings cannot be read.
    pub(crate) fn plan(&self, here: &Surroundings, user: &UserEnvironment) -> anyhow::Result<Plan> {
        let mut plan = Plan::default();
        let edit = settings::switch_ide_on(self.family, self.release(), here).hint(
            "that file is not changed; correct it and repeat this, or set \"enabled\" in \"ide\" to true \
             yourself",
        )?;
        if let Some(edit) = edit {
            plan.change_theirs(edit.path, edit.before, edit.after);
        }
        let Some(settings) = self.settings(here) else { return Ok(plan) };
        let name = self.family.display_name;
        if let Some(By::File(path)) = &settings.ide_enabled.by
            && !settings.ide_enabled.value
            && *path != settings.user_file
        {
            plan.notes.push(format!(
                "{} switches IDE mode off and overrides your settings. Change it there.",
                user.shown(path)
            ));
        }
        if !settings.approval_mode.value.opens_diffs() {
            let command = self.family.commands.first().unwrap_or(&"it");
            plan.notes.push(format!(
                "{name} edits without asking (approval mode {:?}). To review its changes, start it as \
                 `{command} --approval-mode default`.",
                settings.approval_mode.value.to_string()
            ));
        }
        Ok(plan)
    }
}

/// The agents on this machine, in the order of the table of families.
pub(crate) async fn found(user: &UserEnvironment, here: &Surroundings) -> Vec<Agent> {
    let mut found = Vec::new();
    for family in FAMILIES.iter().filter(|family| family.settings.is_some()) {
        if let Some(program) = user.find(family.commands) {
            found.push(Agent { family, version: version::of_program(&program, family, here).await });
        }
    }
    found
}

/// The agent of that name, on this machine or not.
pub(crate) async fn named(name: &str, user: &UserEnvironment, here: &Surroundings) -> Option<Agent> {
    let family = FAMILIES.iter().find(|family| family.id == name && family.settings.is_some())?;
    let found = found(user, here).await.into_iter().find(|agent| agent.family.id == name);
    Some(found.unwrap_or(Agent { family, version: None }))
}

/// The family of that id in the ledger.
pub(super) fn family_of(id: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| id.strip_prefix(ID_PREFIX) == Some(family.id))
}

/// The rest of an agent's settings, which were changed after the installation.
pub(super) fn remove_adapter(id: &str, file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    let Some(family) = family_of(id) else {
        return Ok(Remainder::Unchanged("this version of alongside does not know that agent".into()));
    };
    let rest = settings::take_back(family, &file.path, file.before.as_deref(), now)?;
    Ok(rest.map_or(Remainder::Nothing, Remainder::Text))
}
