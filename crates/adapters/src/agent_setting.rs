//! The agents' adapter: the settings that keep an agent's changes from a person, and the changes that let the
//! person review. IDE mode is off by default, and Qwen Code edits without asking by default.

use std::path::Path;

use alongside_agent::find::Surroundings;
use alongside_agent::settings::{self, By, Setting};
use alongside_common::failure::Hint as _;
use alongside_contract::agent;
use alongside_contract::agents::AGENTS;

use super::agents::{self, Agent};
use super::ledger::Ledger;
use super::plan::{EarlierTexts, Plan};
use super::user_environment::UserEnvironment;

/// A setting of an agent.
#[derive(Debug, Clone)]
pub struct AgentSetting {
    /// The agent whose file holds it.
    pub agent: Agent,
    /// Which one it is.
    pub setting: Setting,
}

impl AgentSetting {
    /// Whether this agent connects to a companion.
    pub fn ide_mode(agent: &Agent) -> Self {
        Self { agent: agent.clone(), setting: Setting::IdeMode }
    }

    /// Whether this agent asks before it edits; `None` if it does, or if a file says that it shall not: that
    /// is the person's own choice.
    pub fn approval_mode(agent: &Agent, here: &Surroundings) -> Option<Self> {
        let settings = agent.settings(here)?;
        (settings.approval_mode.by.is_none() && !settings.approval_mode.value.opens_diffs())
            .then(|| Self { agent: agent.clone(), setting: Setting::ApprovalMode })
    }

    /// The settings of an agent that keep its changes from the person: those that offer something to change.
    pub fn to_change(agent: &Agent, here: &Surroundings) -> Vec<Self> {
        let is_off = agent.settings(here).is_some_and(|settings| !settings.ide_enabled.value);
        let ide_mode = is_off.then(|| Self::ide_mode(agent));
        ide_mode.into_iter().chain(Self::approval_mode(agent, here)).collect()
    }

    /// The rows whose settings do not suit the newest release. Of the others, nobody asks for a version.
    fn rows_to_change(here: &Surroundings) -> impl Iterator<Item = &'static agent::Agent> {
        let is_suited = |row| Self::to_change(&Agent { row, version: None }, here).is_empty();
        AGENTS.iter().filter(move |row| !is_suited(row))
    }

    /// The agents on this machine whose settings may have to change. A program may have to run to say its
    /// version.
    pub async fn agents_to_change(here: &Surroundings, user: &UserEnvironment) -> Vec<Agent> {
        let mut found = Vec::new();
        for row in Self::rows_to_change(here) {
            found.extend(agents::of_row(row, user, here).await);
        }
        found
    }

    /// The same without a run of a program: see `agents::of_row_without_a_run`.
    pub fn agents_to_change_without_a_run(
        known: &[Agent],
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> Vec<Agent> {
        let rows = Self::rows_to_change(here);
        rows.filter_map(|row| agents::of_row_without_a_run(row, known, user, here)).collect()
    }

    /// The agent's name in an [id](Self::id), whatever its settings say.
    pub fn agent_name_in(id: &str) -> &str {
        let named = id.split(':').next().and_then(agent::Agent::named);
        named.map_or(id, |agent| agent.display_name)
    }

    /// Its name in an offer to a desk.
    pub fn id(&self) -> String {
        let setting = match self.setting {
            Setting::IdeMode => "ide-mode",
            Setting::ApprovalMode => "approval-mode",
        };
        format!("{}:{setting}", self.agent.row.id)
    }

    /// The fact that makes a change worth while.
    pub fn fact(&self, here: &Surroundings) -> String {
        let name = self.agent.name();
        match self.setting {
            Setting::IdeMode => {
                let ide_mode = capitalised(self.agent.ide_mode());
                format!("{ide_mode} is off in {name}, so it does not connect to alongside.")
            }
            Setting::ApprovalMode => {
                let mode = self.agent.settings(here).map(|settings| settings.approval_mode.value);
                let mode = mode.map(|mode| mode.to_string()).unwrap_or_default();
                format!("{}, so nothing is reviewed before it writes.", edits_without_asking(&name, &mode))
            }
        }
    }

    /// The question before the change.
    pub fn question(&self) -> String {
        let name = self.agent.row.display_name;
        match self.setting {
            Setting::IdeMode => format!("Switch on {} in {name}?", self.agent.ide_mode()),
            Setting::ApprovalMode => format!("Make {name} ask before it edits?"),
        }
    }

    /// The sentence after the change.
    pub fn changed(&self) -> String {
        let name = self.agent.name();
        match self.setting {
            Setting::IdeMode => format!("{name}: {} is on from its next start.", self.agent.ide_mode()),
            Setting::ApprovalMode => format!("{name} asks before it edits from its next start."),
        }
    }

    /// The changes after earlier ones; none if the person's file says so already.
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
        let earlier = |path: &Path| earlier.get(path).cloned();
        let edit = settings::let_review_after(self.setting, agent.row, agent.release(), here, earlier)
            .hint(format!("that file is not changed; correct it and repeat this, or {by_hand}"))?;
        if let Some(edit) = edit {
            plan.changed_setting = Some(format!("{} in {}", edit.summary, user.shown(&edit.path)));
            plan.change_settings(edit.path, edit.before, edit.after, here)?;
        }
        let Some(settings) = agent.settings(here) else { return Ok(plan) };
        if self.setting == Setting::IdeMode
            && let Some(By::File(path)) = &settings.ide_enabled.by
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

    /// Makes the changes and lists them in the ledger, or does neither.
    ///
    /// # Errors
    /// When a file has changed since the plan was made, or cannot be written.
    pub fn make(&self, plan: &Plan, user: &UserEnvironment) -> anyhow::Result<()> {
        Ledger::read(&user.state)?.make(&agents::ledger_id(self.agent.row.id), plan, &user.state)
    }
}

/// How to start an agent that edits without asking so that it asks; `None` if it asks.
pub fn start_asking(agent: &Agent, here: &Surroundings) -> Option<String> {
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

fn capitalised(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), chars.as_str()))
}
