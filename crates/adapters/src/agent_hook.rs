//! The adapter for the hooks of agents: entries in an agent's settings. One starts `alongside hook`, so that
//! a desk shows the changes that the agent makes without asking. The others start `alongside turn`, so that a
//! person can review the changes of a turn.

use std::path::{Path, PathBuf};

use alongside_agent::find::Surroundings;
use alongside_agent::settings::hooks::{self, HookScope, OurHook, WantedHook};
use alongside_common::failure::{Hint as _, failure};
use alongside_common::person_file::{links_to, refuse_links};
use alongside_contract::agent::HookAgent;
use alongside_contract::agents::with_hook;
use alongside_contract::hook::{OnFailure, Trust};
use alongside_contract::settings::{Release, release_number};
use alongside_desk::harmless;
use alongside_platform::Os;
use alongside_platform::files::Links;
use anyhow::Context as _;

use super::agents::{ID_PREFIX, ledger_id};
use super::change;
use super::installation::InstalledFile;
use super::ledger::Ledger;
use super::plan::{EarlierTexts, Plan};
use super::user_environment::UserEnvironment;

/// A hook of an agent, in one of its files.
#[derive(Debug, Clone, Copy)]
pub struct AgentHook {
    /// The hook for writes, or that for turns.
    pub hook: OurHook,
    /// The agent and its part of the table about hooks.
    pub agent: HookAgent,
    /// The agent's release; `None` if the agent is not on this machine, or prints no version.
    pub release: Option<Release>,
    /// The settings that hold the hook: the person's or the project's.
    pub scope: HookScope,
}

impl AgentHook {
    /// Returns the fact that the person has to know before the change: the effect of the hook.
    pub fn fact(&self) -> String {
        let name = self.agent.display_name;
        match self.hook {
            OurHook::Write => self.fact_of_writes(),
            OurHook::Turn => format!(
                "{name} runs `alongside turn` at your prompt and at the end of its turn, so that your desk \
                 shows afterwards all that changed in between. It waits for nobody.{}",
                self.fact_of_waiting()
            ),
        }
    }

    /// Returns the effect of the waiter's entry; empty if the release gets no such entry.
    fn fact_of_waiting(&self) -> String {
        let turns = self.agent.turns.as_ref();
        let Some(wake) = turns.and_then(|turns| turns.wake_in(self.release)) else { return String::new() };
        let hours = wake.patience.as_secs() / 3600;
        format!(
            "\nThe entry with --wait stays beside an idle session, for {hours} hours at most: a comment that \
             you send wakes it at once."
        )
    }

    /// Returns the effect of the hook for writes.
    fn fact_of_writes(&self) -> String {
        let name = self.agent.display_name;
        let on_failure = match self.agent.hook.before_tool.on_failure {
            OnFailure::LetsThrough => format!(
                " If the hook itself dies, {name} makes the change; where you were reading it, your desk \
                 says so afterwards."
            ),
            OnFailure::RefusesIfAsked { since } => format!(
                " If the hook itself dies, {name} refuses the change everywhere, from {} on.",
                release_number(since)
            ),
        };
        let on_short_wait = match self.calls_again() {
            true => format!(
                "\n{name} waits a minute at a time: its model is then asked to call the tool again. After \
                 about four minutes, its turn ends."
            ),
            false => String::new(),
        };
        format!(
            "Changes that {name} makes without asking come to your desk too, where a companion serves the \
             project; elsewhere nothing changes.{on_failure}{on_short_wait}"
        )
    }

    /// Whether the agent waits for this hook so briefly that its model has to call its tool again.
    pub fn calls_again(&self) -> bool {
        self.hook == OurHook::Write && self.agent.hook.calls_again
    }

    /// Returns the question to the person before the hook is installed.
    pub fn question(&self) -> String {
        let name = self.agent.display_name;
        match self.hook {
            OurHook::Write => format!("Ask at your desk before each write of {name}?"),
            OurHook::Turn => format!("Review after each turn of {name}?"),
        }
    }

    /// Returns the lines to print after the plan was carried out.
    pub fn done_messages(&self, plan: &Plan) -> Vec<String> {
        let name = self.agent.display_name;
        let effect = match self.hook {
            OurHook::Write => format!("{name} runs the hook from its next start."),
            OurHook::Turn => format!("{name} notes its turns from its next start."),
        };
        let mut lines = vec![effect];
        match self.agent.hook.trust {
            Trust::NotNeeded => {}
            Trust::AppServer => {
                let again = if self.changes_an_entry(plan) { "again " } else { "" };
                lines.push(format!(
                    "{name} asks {again}at its next start whether to trust the hook (\"Hooks need review\"); \
                     it silently skips it until then, unless it trusts this very entry from before."
                ));
            }
        }
        lines
    }

    /// Returns the line to print if the hook is installed already.
    pub fn up_to_date_message(&self) -> String {
        let name = self.agent.display_name;
        match self.hook {
            OurHook::Write => format!("{name}: the hook is installed; nothing to do."),
            OurHook::Turn => format!("{name}: its turns are noted; nothing to do."),
        }
    }

    /// Whether the file has an entry of this hook, of this version of alongside or another one.
    pub fn is_installed(&self, here: &Surroundings) -> bool {
        let path = hooks::file(self.agent, self.scope, self.release, here);
        let text = path.and_then(|path| hooks::text(&path).ok().flatten());
        text.is_some_and(|text| self.is_in(&text))
    }

    fn is_in(&self, text: &str) -> bool {
        let entries = hooks::find_hook(text, self.agent);
        entries.is_ok_and(|entries| entries.iter().any(|entry| entry.hook == self.hook))
    }

    /// Whether the plan changes an existing entry of this hook.
    fn changes_an_entry(&self, plan: &Plan) -> bool {
        plan.changes.iter().any(|change| change.before.as_deref().is_some_and(|before| self.is_in(before)))
    }

    /// Returns the changes that install the hook, on top of `earlier` plans. Empty if the file has the hook
    /// already.
    ///
    /// # Errors
    /// When the settings cannot be read, or there is no project.
    pub fn plan(
        &self,
        earlier: &EarlierTexts,
        here: &Surroundings,
        user: &UserEnvironment,
    ) -> anyhow::Result<Plan> {
        let path = hooks::file(self.agent, self.scope, self.release, here).ok_or_else(|| {
            failure(
                "this is your home directory, not a project",
                "repeat this in a project, or without --project for all of them",
            )
        })?;
        if links_to(&path, &here.home, &here.cwd) == Links::Refused {
            // Refused before the file is read: the link may lead to a file outside of the project.
            refuse_links(&path).hint("nothing is changed")?;
        }
        let mut plan = Plan::default();
        let on_disk = hooks::text(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let before = earlier.get(&path).cloned().or(on_disk);
        let wanted = WantedHook::new(self.hook, self.agent, self.release, Os::HERE, &user.program);
        let after = hooks::with_hook(before.as_deref(), &wanted)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("cannot change {}", path.display()))
            .hint("that file is not changed; correct it and repeat this")?;
        let events: Vec<_> =
            wanted.registrations().iter().map(|entry| format!("hooks.{}", entry.event)).collect();
        plan.changed_setting = Some(format!("{} in {}", events.join(" and "), user.shown(&path)));
        plan.change_settings(path, before, after, here).hint("nothing is changed")?;
        if self.agent.hook.trust == Trust::AppServer && self.changes_an_entry(&plan) {
            plan.notes.push(format!(
                "{} asks again whether to trust the hook, and skips it until then",
                self.agent.display_name
            ));
        }
        if !plan.changes.is_empty() {
            let other_hooks = hooks::all_other_hooks(self.agent, self.hook, self.release, here).into_iter();
            let effect = match self.hook {
                OurHook::Write => "before the same tools, and may change what you accept",
                OurHook::Turn => "at the same events, and what it changes may count as the agent's",
            };
            plan.notes.extend(other_hooks.map(|(path, command)| {
                let (command, path) = (harmless::name(&command), user.shown(&path));
                format!("another hook runs {effect}: {command} in {path}")
            }));
        }
        if self.scope == HookScope::Project && !plan.changes.is_empty() {
            plan.notes.push(match hooks::is_shared(self.agent) {
                true => {
                    "everyone who works on the project gets this file, which names the program by its path \
                         on this machine"
                        .into()
                }
                false => "this file is for you alone: keep it out of the repository".into(),
            });
        }
        Ok(plan)
    }

    /// Makes the changes of `plan` and lists them in the ledger, or does neither.
    ///
    /// # Errors
    /// When a file has changed since the plan was made, or cannot be written.
    pub fn make(&self, plan: &Plan, user: &UserEnvironment) -> anyhow::Result<()> {
        Ledger::read(&user.state)?.make(&ledger_id(self.agent.id), plan, &user.state)
    }
}

/// Returns the file in which an agent records that the person trusts its hooks, if it has one; `hooks` is the
/// file of the hooks, and `id` the agent's id in the ledger. An uninstallation leaves this record, because
/// only the agent knows its format.
pub fn record_of_trust(id: &str, hooks: &Path) -> Option<PathBuf> {
    let agent = HookAgent::named(id.strip_prefix(ID_PREFIX)?)?;
    match agent.hook.trust {
        Trust::NotNeeded => None,
        Trust::AppServer => {
            let record = hooks.with_file_name("config.toml");
            let text = change::read(&record).ok().flatten()?;
            let hooks = hooks.to_str()?;
            let records_trust = |line: &str| line.starts_with("[hooks.state.") && line.contains(hooks);
            text.lines().any(records_trust).then_some(record)
        }
    }
}

/// Returns the files that hold a hook of ours and are not in the ledger, each with the id under which the
/// ledger would list it. Their `before` is the text without the hook.
pub fn unlisted(ledger: &Ledger, here: &Surroundings) -> Vec<(String, InstalledFile)> {
    let mut unlisted = Vec::new();
    for agent in with_hook() {
        let id = ledger_id(agent.id);
        let listed = ledger.get(&id).map(|installed| installed.files.as_slice()).unwrap_or_default();
        for (_, path) in hooks::all_files(agent, None, here) {
            if listed.iter().any(|file| file.path == path) {
                continue;
            }
            let Ok(Some(text)) = hooks::text(&path) else { continue };
            match hooks::without_hook(&text, agent, None) {
                Ok(rest) if rest != text => {
                    let in_project = links_to(&path, &here.home, &here.cwd) == Links::Refused;
                    let file = InstalledFile { path, before: Some(rest), after: text, in_project };
                    unlisted.push((id.clone(), file));
                }
                _ => {}
            }
        }
    }
    unlisted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fact_of_a_hook_names_a_wait_of_one_minute() {
        let lines = |id: &str, hook| {
            let agent = with_hook().find(|agent| agent.id == id).unwrap();
            let fact = AgentHook { hook, agent, release: None, scope: HookScope::User }.fact();
            fact.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        let short = "Qwen Code waits a minute at a time: its model is then asked to call the tool again. \
                     After about four minutes, its turn ends.";
        assert_eq!(lines("qwen", OurHook::Write), [short]);
        assert_eq!(lines("qwen", OurHook::Turn), [""; 0]);
        assert_eq!(lines("gemini", OurHook::Write), [""; 0]);
    }

    #[test]
    fn the_fact_of_a_turn_hook_explains_its_entry_that_waits() {
        let fact_for = |release| {
            let agent = with_hook().find(|agent| agent.id == "claude").unwrap();
            AgentHook { hook: OurHook::Turn, agent, release, scope: HookScope::User }.fact()
        };
        let waits = "The entry with --wait stays beside an idle session, for 8 hours at most: a comment \
                     that you send wakes it at once.";
        assert_eq!(fact_for(Some((2, 1, 332))).lines().nth(1), Some(waits));
        assert_eq!(fact_for(Some((2, 1, 300))).lines().count(), 1, "this release gets no such entry");
        assert_eq!(fact_for(None).lines().count(), 1);
    }
}
