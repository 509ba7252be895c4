//! Offers to correct the settings with which an agent's changes do not reach a person: IDE mode, and the
//! approval mode. A desk offers it, and `alongside run` before it starts an agent. No setting changes before
//! the person has read the change and agreed.

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

use super::agent_part::{Numbering, PartResult, SetupPart, offer};
use super::consent::{ConsentOptions, NoConsent};
use super::{note, output};

/// Prepares an agent that `alongside run` starts: reports settings with which its changes do not reach the
/// person, and at a terminal offers to correct them.
///
/// # Errors
/// If the person presses Ctrl-C: the exit code. Other failures do not prevent the start of the agent.
pub(super) async fn prepare_start(command: &[OsString]) -> Result<(), ExitCode> {
    let (Ok(user), Ok(here)) = (UserEnvironment::of_this_process(), Surroundings::of_this_process()) else {
        return Ok(());
    };
    let Some(row) = started_by(command) else { return Ok(()) };
    // If the settings suit the newest release, the agent's program is not run to get its version.
    let newest = VersionedAgent { row, version: None };
    if AgentSetting::settings_to_change(&newest, &here).is_empty()
        && advice_to_start_asking(&newest, &here).is_none()
    {
        return Ok(());
    }
    let Some(agent) = agents::named(row.id, &user, &here).await else { return Ok(()) };
    // Agents that read lock files connect without IDE mode, because `run` sets the port variable.
    let needs_ide_mode = row.family.as_ref().is_none_or(|family| family.lock_rules().is_none());
    let is_off = needs_ide_mode && agent.settings(&here).is_some_and(|settings| !settings.ide_enabled.value);
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
        let part = SetupPart::Setting(setting.clone());
        match offer(&part, ConsentOptions::default(), &mut numbering, &here, &user).await {
            Ok(PartResult::NoConsent(no @ NoConsent::Interrupted(_))) => return Err(no.exit_code()),
            Ok(PartResult::Made | PartResult::DryRun) => {}
            Ok(PartResult::NoConsent(_) | PartResult::NothingToDo) if setting.setting == Setting::IdeMode => {
                let name = row.display_name;
                note(&format!("{name} starts without alongside; {later}, and `/ide enable` in it for now"));
                return Ok(());
            }
            Ok(PartResult::NoConsent(_) | PartResult::NothingToDo) => {
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

/// Returns the agent that a command starts, by name or by package: `gemini`, `npx @google/gemini-cli@latest`.
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

/// Whether an argument of an agent sets its approval mode.
fn is_approval_mode(argument: &OsStr) -> bool {
    let argument = argument.to_str().unwrap_or_default();
    let name = argument.split('=').next().unwrap_or_default();
    matches!(
        name,
        "--approval-mode" | "--yolo" | "-y" | "--permission-mode" | "--dangerously-skip-permissions"
    )
}

/// The time that a desk's first line waits for the versions of agents, which may have to run for them.
const REMARK_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns one line with the agents that do not connect to a desk, and the remedy; `None` if all connect.
pub(super) async fn unconnected_remark() -> Option<String> {
    let offers =
        tokio::time::timeout(REMARK_TIMEOUT, thorough_offers(&KnownAgents::default())).await.ok()?.ok()?;
    let agents = SettingsOffer::unconnected(&offers)?;
    Some(format!("IDE mode is off in {agents}: `alongside install agent` switches it on."))
}

/// Returns the set-up of this user's agents.
pub(super) fn of_this_user() -> Arc<dyn AgentSetup> {
    Arc::new(UserAgents::default())
}

/// The agents that the latest searches found.
type KnownAgents = Mutex<Vec<VersionedAgent>>;

#[derive(Debug, Default)]
struct UserAgents(Arc<KnownAgents>);

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
        // Without an environment, an agent may exist.
        UserEnvironment::of_this_process().map_or(true, |user| agents::first_command(&user).is_some())
    }

    fn make(&self, id: &str, preview: &str) -> SetupFuture<Result<String, String>> {
        let (id, preview) = (id.to_owned(), preview.to_owned());
        Box::pin(async move { make_change(&id, &preview).await.map_err(|error| failure::words(&error)) })
    }
}

/// Logs the error of a search, and returns no offer.
fn no_offers(error: anyhow::Error) -> Vec<SettingsOffer> {
    tracing::warn!(%error, "cannot look for agents to set up");
    Vec::new()
}

async fn thorough_offers(known: &KnownAgents) -> anyhow::Result<Vec<SettingsOffer>> {
    let (user, here) = (UserEnvironment::of_this_process()?, Surroundings::of_this_process()?);
    let agents = AgentSetting::agents_to_change(&here, &user).await;
    let offers = offers_to(&agents, &here, &user);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|known| agents.iter().all(|agent| agent.row.id != known.row.id));
    known.extend(agents);
    Ok(offers)
}

fn quick_offers(known: &KnownAgents) -> anyhow::Result<Vec<SettingsOffer>> {
    let (user, here) = (UserEnvironment::of_this_process()?, Surroundings::of_this_process()?);
    let known = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let agents = AgentSetting::agents_to_change_without_running(&known, &here, &user);
    Ok(offers_to(&agents, &here, &user))
}

fn offers_to(agents: &[VersionedAgent], here: &Surroundings, user: &UserEnvironment) -> Vec<SettingsOffer> {
    let offer_of = |setting: AgentSetting| {
        let (preview, summary) = match setting.plan(&EarlierTexts::new(), here, user) {
            Ok(plan) => (preview_text(&plan, user), plan.changed_setting.unwrap_or_default()),
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
    settings.filter(|setting| is_offered(setting, here)).map(offer_of).collect()
}

/// Whether a desk offers the change of a setting.
fn is_offered(setting: &AgentSetting, here: &Surroundings) -> bool {
    setting.setting != Setting::ApprovalMode || !is_reviewed_by_hook(&setting.agent, here)
}

/// Whether an agent has a hook of ours. With a hook, the person reviews its changes in every approval mode.
pub(super) fn is_reviewed_by_hook(agent: &VersionedAgent, here: &Surroundings) -> bool {
    let has_hook_in = |scope| OurHook::ALL.into_iter().any(|hook| has_hook(agent, hook, scope, here));
    has_hook_in(HookScope::User) || has_hook_in(HookScope::Project)
}

/// Whether the settings of the person, or of the project, have a hook of ours for an agent.
pub(super) fn has_hook(agent: &VersionedAgent, hook: OurHook, scope: HookScope, here: &Surroundings) -> bool {
    let release = agent.release();
    let agent = agent.row.with_hook();
    agent.is_some_and(|agent| AgentHook { hook, agent, release, scope }.is_installed(here))
}

async fn make_change(id: &str, preview: &str) -> anyhow::Result<String> {
    let (user, here) = (UserEnvironment::of_this_process()?, Surroundings::of_this_process()?);
    let agents = AgentSetting::agents_to_change(&here, &user).await;
    let mut settings = agents.iter().flat_map(|agent| AgentSetting::settings_to_change(agent, &here));
    let name = AgentSetting::agent_name_in(id);
    let setting = settings
        .find(|setting| setting.id() == id)
        .with_context(|| format!("{name}: the setting is changed already."))?;
    let plan = setting.plan(&EarlierTexts::new(), &here, &user)?;
    anyhow::ensure!(
        preview_text(&plan, &user) == preview && !plan.changes.is_empty(),
        "{name}: the settings have changed meanwhile. Look at them again."
    );
    setting.make(&plan, &user)?;
    Ok(setting.done_message())
}

/// Returns the preview of a plan, with its notes.
fn preview_text(plan: &Plan, user: &UserEnvironment) -> String {
    let changes = preview(&plan.changes, user, OurLines::Added, false);
    plan.notes.iter().fold(changes, |text, note| format!("{text}{note}\n"))
}
