//! The adapter for agents: the settings that prevent a review, and the plan that corrects them. Two settings
//! prevent a review: IDE mode that is off, as it is by default, and an approval mode in which the agent edits
//! without asking, as Qwen Code does by default.

use std::path::Path;

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, Setting, Source};
use alongside_common::failure::Hint as _;
use alongside_contract::agent::Agent;
use alongside_contract::agents::AGENTS;
use alongside_desk::messages;

use super::agents::{self, VersionedAgent};
use super::ledger::Ledger;
use super::plan::{EarlierTexts, Plan};
use super::user_environment::UserEnvironment;

/// A setting of an agent.
#[derive(Debug, Clone)]
pub struct AgentSetting {
    /// The agent whose file holds the setting.
    pub agent: VersionedAgent,
    /// IDE mode or the approval mode.
    pub setting: Setting,
}

impl AgentSetting {
    /// Returns the setting for IDE mode of `agent`.
    pub fn ide_mode(agent: &VersionedAgent) -> Self {
        Self { agent: agent.clone(), setting: Setting::IdeMode }
    }

    /// Returns the setting for the approval mode of `agent`, if the agent edits without asking by default.
    /// `None` if a file sets a mode, which is the person's own choice, or if the agent asks.
    pub fn approval_mode(agent: &VersionedAgent, here: &Surroundings) -> Option<Self> {
        let settings = agent.settings(here)?;
        (settings.approval_mode.source.is_none() && !settings.approval_mode.value.opens_diffs())
            .then(|| Self { agent: agent.clone(), setting: Setting::ApprovalMode })
    }

    /// Returns the settings of `agent` to change so that the person can review.
    pub fn settings_to_change(agent: &VersionedAgent, here: &Surroundings) -> Vec<Self> {
        let is_off = agent.settings(here).is_some_and(|settings| !settings.ide_enabled.value);
        let ide_mode = is_off.then(|| Self::ide_mode(agent));
        ide_mode.into_iter().chain(Self::approval_mode(agent, here)).collect()
    }

    /// Returns the rows whose settings need a change in the newest release. The programs of other agents are
    /// not run for their version.
    fn rows_to_change(here: &Surroundings) -> impl Iterator<Item = &'static Agent> {
        let needs_no_change =
            |row| Self::settings_to_change(&VersionedAgent { row, version: None }, here).is_empty();
        AGENTS.iter().filter(move |row| !needs_no_change(row))
    }

    /// Returns the agents on this machine whose settings may have to change. May run an agent's program for
    /// its version.
    pub async fn agents_to_change(here: &Surroundings, user: &UserEnvironment) -> Vec<VersionedAgent> {
        let mut to_change = Vec::new();
        for row in Self::rows_to_change(here) {
            to_change.extend(agents::of_row(row, user, here).await);
        }
        to_change
    }

    /// As [`Self::agents_to_change`], but runs no program: see `agents::of_row_without_running`.
    pub fn agents_to_change_without_running(
        known: &[VersionedAgent],
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> Vec<VersionedAgent> {
        let rows = Self::rows_to_change(here);
        rows.filter_map(|row| agents::of_row_without_running(row, known, user, here)).collect()
    }

    /// Returns the display name of the agent in an [id](Self::id).
    pub fn agent_name_in(id: &str) -> &str {
        let named = id.split(':').next().and_then(Agent::named);
        named.map_or(id, |agent| agent.display_name)
    }

    /// Returns the identifier of this setting in an offer to a desk, such as `gemini:ide-mode`.
    pub fn id(&self) -> String {
        let setting = match self.setting {
            Setting::IdeMode => "ide-mode",
            Setting::ApprovalMode => "approval-mode",
        };
        format!("{}:{setting}", self.agent.row.id)
    }

    /// Returns the fact that the person has to know before the change: how the setting prevents a review.
    pub fn fact(&self, here: &Surroundings) -> String {
        let name = self.agent.name();
        match self.setting {
            Setting::IdeMode => {
                let ide_mode = messages::capital(self.agent.ide_mode());
                format!("{ide_mode} is off in {name}, so it does not connect to alongside.")
            }
            Setting::ApprovalMode => {
                let mode = self.agent.settings(here).map(|settings| settings.approval_mode.value);
                let mode = mode.map(|mode| mode.to_string()).unwrap_or_default();
                format!("{}, so nothing is reviewed before it writes.", edits_without_asking(&name, &mode))
            }
        }
    }

    /// Returns the question to the person before the setting is changed.
    pub fn question(&self) -> String {
        let name = self.agent.row.display_name;
        match self.setting {
            Setting::IdeMode => format!("Switch on {} in {name}?", self.agent.ide_mode()),
            Setting::ApprovalMode => format!("Make {name} ask before it edits?"),
        }
    }

    /// Returns the sentence to print after the setting was changed.
    pub fn done_message(&self) -> String {
        let name = self.agent.name();
        match self.setting {
            Setting::IdeMode => format!("{name}: {} is on from its next start.", self.agent.ide_mode()),
            Setting::ApprovalMode => format!("{name} asks before it edits from its next start."),
        }
    }

    /// Returns the change of the file that makes this setting, on top of `earlier` plans. Empty if the
    /// person's file already has the value.
    ///
    /// # Errors
    /// When the settings cannot be read.
    pub fn plan(
        &self,
        earlier: &EarlierTexts,
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> anyhow::Result<Plan> {
        let agent = &self.agent;
        let mut plan = Plan::default();
        let table = agent.row.settings;
        let names = table.map(|table| match self.setting {
            Setting::IdeMode => (table.ide_enabled, "true"),
            Setting::ApprovalMode => (table.approval_mode, "\"default\""),
        });
        let by_hand = names.and_then(|(names, value)| {
            let name = names.iter().max_by_key(|name| (name.below_version.is_none(), name.from))?;
            let keys: Vec<String> = name.keys.iter().rev().map(|key| format!("{key:?}")).collect();
            Some(format!("set {} to {value} yourself", keys.join(" in ")))
        });
        let by_hand = by_hand.unwrap_or_default();
        let earlier_text = |path: &Path| earlier.get(path).cloned();
        let edit = settings::let_review_after(self.setting, agent.row, agent.release(), here, earlier_text)
            .hint(format!("that file is not changed; correct it and repeat this, or {by_hand}"))?;
        if let Some(edit) = edit {
            plan.changed_setting = Some(format!("{} in {}", edit.summary, user.shown(&edit.path)));
            plan.change_settings(edit.path, edit.before, edit.after, here)?;
        }
        let Some(settings) = agent.settings(here) else { return Ok(plan) };
        if self.setting == Setting::IdeMode
            && let Some(Source::File(path)) = &settings.ide_enabled.source
            && !settings.ide_enabled.value
            && *path != settings.user_file
        {
            plan.notes.push(format!(
                "{} switches IDE mode off and overrides your settings. Change it there.",
                user.shown(path)
            ));
        }
        Ok(plan)
    }

    /// Makes the changes of `plan` and lists them in the ledger, or does neither.
    ///
    /// # Errors
    /// When a file has changed since the plan was made, or cannot be written.
    pub fn make(&self, plan: &Plan, user: &UserEnvironment) -> anyhow::Result<()> {
        Ledger::read(&user.state)?.make(&agents::ledger_id(self.agent.row.id), plan, &user.state)
    }
}

/// Returns the sentence with the command that starts an agent in a mode that asks before edits; `None` if the
/// agent asks already.
pub fn advice_to_start_asking(agent: &VersionedAgent, here: &Surroundings) -> Option<String> {
    let settings = agent.settings(here)?;
    let command = agent.row.commands.first()?;
    let argument = agent.row.settings?.approval_argument;
    (!settings.approval_mode.value.opens_diffs()).then(|| {
        let mode = settings.approval_mode.value.to_string();
        format!(
            "{}. To decide before it writes, start it as `{command} {argument} default`.",
            edits_without_asking(agent.row.display_name, &mode)
        )
    })
}

fn edits_without_asking(name: &str, mode: &str) -> String {
    format!("{name} edits without asking (approval mode {mode:?})")
}
