//! The settings of agents that keep their changes from a person, offered by a desk, or before an agent
//! starts: IDE mode, and the approval mode in which the agent asks before it edits. Nothing is written before
//! the person has seen the change and agreed.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alongside_adapters::agent_hook::AgentHook;
use alongside_adapters::agent_setting::{AgentSetting, advice_to_start_asking};
use alongside_adapters::agents::{self, VersionedAgent};
use alongside_adapters::plan::{EarlierTexts, Plan};
use alongside_adapters::preview::{OurLines, preview};
use alongside_adapters::user_environment::UserEnvironment;
use alongside_agent::find::Surroundings;
use alongside_agent::settings::Setting;
use alongside_agent::settings::hooks::{HookScope, OurHook};
use alongside_common::failure;
use alongside_contract::agent;
use alongside_desk::agent_setup::{AgentSetup, SettingsOffer, SetupFuture};
use anyhow::Context as _;

use super::agent_part::{Answer, Numbering, Part, ask};
use super::consent::{Consent, No};
use super::{note, output};

/// Before `alongside run` starts an agent: says whether its settings keep its changes from the person, and at
/// a terminal offers to change them.
///
/// # Errors
/// The exit code after Ctrl-C. Nothing else keeps the agent from starting.
pub(super) async fn before_start(command: &[OsString]) -> Result<(), ExitCode> {
    let (Ok(user), Ok(here)) = (UserEnvironment::of_this_process(), Surroundings::of_this_process()) else {
        return Ok(());
    };
    let Some(row) = started_by(command) else { return Ok(()) };
    // No program runs for its version where the settings suit the newest release.
    let newest = VersionedAgent { row, version: None };
    if AgentSetting::settings_to_change(&newest, &here).is_empty()
        && advice_to_start_asking(&newest, &here).is_none()
    {
        return Ok(());
    }
    let Some(agent) = agents::named(row.id, &user, &here).await else { return Ok(()) };
    // The port variable, which `run` sets, makes agents that read locks connect.
    let must_be_on = row.family.as_ref().is_none_or(|family| family.lock_rules().is_none());
    let is_off = must_be_on && agent.settings(&here).is_some_and(|settings| !settings.ide_enabled.value);
    let is_settled = is_reviewed_by_hook(&agent, &here)
        || command.iter().skip(1).any(|argument| is_approval_mode(argument));
    let asking = advice_to_start_asking(&agent, &here).filter(|_| !is_settled);
    if !is_off {
        if let Some(text) = &asking {
            note(text);
        }
        return Ok(());
    }
    let ide_mode = AgentSetting::ide_mode(&agent);
    let later = format!("`alongside install {}` switches it on", agent.row.id);
    if !output::can_draw() {
        note(&format!("{} {later}", ide_mode.fact(&here)));
        return Ok(());
    }
    let settings = [Some(ide_mode), AgentSetting::approval_mode(&agent, &here).filter(|_| !is_settled)];
    let asks_about = |setting: &&AgentSetting| {
        setting.plan(&EarlierTexts::new(), &here, &user).is_ok_and(|plan| !plan.changes.is_empty())
    };
    let mut numbering = Numbering::of(settings.iter().flatten().filter(asks_about).count());
    for setting in settings.into_iter().flatten() {
        let part = Part::Setting(setting.clone());
        match ask(&part, Consent::default(), &mut numbering, &here, &user).await {
            Ok(Answer::No(no @ No::Interrupted(_))) => return Err(no.exit_code()),
            Ok(Answer::Made | Answer::DryRun) => {}
            Ok(Answer::No(_) | Answer::NothingToDo) if setting.setting == Setting::IdeMode => {
                let name = row.display_name;
                note(&format!("{name} starts without alongside; {later}, and `/ide enable` in it for now"));
                return Ok(());
            }
            Ok(Answer::No(_) | Answer::NothingToDo) => {
                if let Some(text) = &asking {
                    note(text);
                }
            }
            Err(error) => {
                failure::print(&error.context(format!("{} starts without alongside", agent.name())));
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The agent that a command starts, by its name or by its package: `gemini`, `npx @google/gemini-cli@latest`.
fn started_by(command: &[OsString]) -> Option<&'static agent::Agent> {
    let mut words = command.iter().filter_map(|word| word.to_str());
    agent::Agent::of_command(words.next()?).or_else(|| {
        words.find_map(|word| {
            // The first character may be the `@` of a scope.
            let name = word.get(1..).and_then(|rest| rest.find('@')).map_or(word, |at| &word[..=at]);
            agent::Agent::of_package(name)
        })
    })
}

/// Whether an argument of an agent decides whether it asks.
fn is_approval_mode(argument: &OsStr) -> bool {
    let argument = argument.to_str().unwrap_or_default();
    let name = argument.split('=').next().unwrap_or_default();
    matches!(
        name,
        "--approval-mode" | "--yolo" | "-y" | "--permission-mode" | "--dangerously-skip-permissions"
    )
}

/// How long a desk's first line may wait for an agent that has to run to say its version.
const REMARK_TIMEOUT: Duration = Duration::from_secs(1);

/// The agents that do not connect to a desk, in one line with the remedy; `None` if all do.
pub(super) async fn remark() -> Option<String> {
    let offers = tokio::time::timeout(REMARK_TIMEOUT, thorough_offers(&Known::default())).await.ok()?.ok()?;
    let agents = SettingsOffer::unconnected(&offers)?;
    Some(format!("IDE mode is off in {agents}: `alongside install agent` switches it on."))
}

/// The set-up of this user's agents.
pub(super) fn of_this_user() -> Arc<dyn AgentSetup> {
    Arc::new(UserAgents::default())
}

/// The agents that the last looks found.
type Known = Mutex<Vec<VersionedAgent>>;

#[derive(Debug, Default)]
struct UserAgents(Arc<Known>);

impl AgentSetup for UserAgents {
    fn offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        let known = self.0.clone();
        Box::pin(async move { thorough_offers(&known).await.unwrap_or_else(no_offers) })
    }

    fn quick_offers(&self) -> SetupFuture<Vec<SettingsOffer>> {
        let known = self.0.clone();
        Box::pin(async move { quick_offers(&known).unwrap_or_else(no_offers) })
    }

    fn has_agent(&self) -> bool {
        // Without an environment, nobody knows.
        UserEnvironment::of_this_process().map_or(true, |user| agents::first_command(&user).is_some())
    }

    fn make(&self, id: &str, preview: &str) -> SetupFuture<Result<String, String>> {
        let (id, preview) = (id.to_owned(), preview.to_owned());
        Box::pin(async move { make(&id, &preview).await.map_err(|error| failure::words(&error)) })
    }
}

fn no_offers(error: anyhow::Error) -> Vec<SettingsOffer> {
    tracing::warn!(%error, "cannot look for agents to set up");
    Vec::new()
}

async fn thorough_offers(known: &Known) -> anyhow::Result<Vec<SettingsOffer>> {
    let (user, here) = (UserEnvironment::of_this_process()?, Surroundings::of_this_process()?);
    let agents = AgentSetting::agents_to_change(&here, &user).await;
    let offers = offers_to(&agents, &here, &user);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|known| agents.iter().all(|agent| agent.row.id != known.row.id));
    known.extend(agents);
    Ok(offers)
}

fn quick_offers(known: &Known) -> anyhow::Result<Vec<SettingsOffer>> {
    let (user, here) = (UserEnvironment::of_this_process()?, Surroundings::of_this_process()?);
    let known = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let agents = AgentSetting::agents_to_change_without_running(&known, &here, &user);
    Ok(offers_to(&agents, &here, &user))
}

fn offers_to(agents: &[VersionedAgent], here: &Surroundings, user: &UserEnvironment) -> Vec<SettingsOffer> {
    let offer = |setting: AgentSetting| {
        let (preview, summary) = match setting.plan(&EarlierTexts::new(), here, user) {
            Ok(plan) => (text_of(&plan, user), plan.changed_setting.unwrap_or_default()),
            Err(error) => (format!("{}\n", failure::words(&error)), String::new()),
        };
        SettingsOffer {
            id: setting.id(),
            agent: setting.agent.row.display_name.to_owned(),
            connects: setting.setting == Setting::IdeMode,
            fact: setting.fact(here),
            question: setting.question(),
            preview,
            summary,
        }
    };
    let settings = agents.iter().flat_map(|agent| AgentSetting::settings_to_change(agent, here));
    settings.filter(|setting| is_offered(setting, here)).map(offer).collect()
}

/// Whether a desk offers a change.
fn is_offered(setting: &AgentSetting, here: &Surroundings) -> bool {
    setting.setting != Setting::ApprovalMode || !is_reviewed_by_hook(&setting.agent, here)
}

/// Whether an agent has a hook of ours: the person has chosen when to review, before each write or after the
/// turn, whatever the agent's mode is.
pub(super) fn is_reviewed_by_hook(agent: &VersionedAgent, here: &Surroundings) -> bool {
    let in_scope = |scope| OurHook::ALL.into_iter().any(|hook| has_hook(agent, hook, scope, here));
    in_scope(HookScope::User) || in_scope(HookScope::Project)
}

/// Whether the settings of the person, or of the project, have a hook of ours for an agent.
pub(super) fn has_hook(agent: &VersionedAgent, hook: OurHook, scope: HookScope, here: &Surroundings) -> bool {
    let release = agent.release();
    let agent = agent.row.with_hook();
    agent.is_some_and(|agent| AgentHook { hook, agent, release, scope }.is_installed(here))
}

async fn make(id: &str, preview: &str) -> anyhow::Result<String> {
    let (user, here) = (UserEnvironment::of_this_process()?, Surroundings::of_this_process()?);
    let agents = AgentSetting::agents_to_change(&here, &user).await;
    let mut settings = agents.iter().flat_map(|agent| AgentSetting::settings_to_change(agent, &here));
    let name = AgentSetting::agent_name_in(id);
    let setting = settings
        .find(|setting| setting.id() == id)
        .with_context(|| format!("{name}: the setting is changed already."))?;
    let plan = setting.plan(&EarlierTexts::new(), &here, &user)?;
    anyhow::ensure!(
        text_of(&plan, &user) == preview && !plan.changes.is_empty(),
        "{name}: the settings have changed meanwhile. Look at them again."
    );
    setting.make(&plan, &user)?;
    Ok(setting.done_message())
}

fn text_of(plan: &Plan, user: &UserEnvironment) -> String {
    let changes = preview(&plan.changes, user, OurLines::Added, false);
    plan.notes.iter().fold(changes, |text, note| format!("{text}{note}\n"))
}
