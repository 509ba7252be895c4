//! Examines the hooks in the agents' settings: whether an agent runs its hook, and waits long enough for a
//! review.

use std::path::{Path, PathBuf};

use alongside_agent::find::Surroundings;
use alongside_agent::settings::hooks::{self, HookEntry, HookScope, OurHook, Registration, WantedHook};
use alongside_common::own_program::own_program;
use alongside_common::runtime_dirs::RuntimeDirs;
use alongside_contract::agent::HookAgent;
use alongside_contract::agents::with_hook;
use alongside_contract::hook::{OnFailure, Trust};
use alongside_contract::settings::Release;
use alongside_host::{HookSearch, Restarting};
use alongside_platform::paths::Canonical as _;
use alongside_platform::{Os, shell};

use super::agents;
use super::causes::HookCause;
use super::diagnosis::{Diagnosis, Severity};
use super::finding::Finding;
use super::hook_trust;
use super::running_companions::Companions;

/// The doctor's finding about the hook of one agent.
#[derive(Debug)]
pub(super) struct HookFinding {
    pub(super) agent: HookAgent,
    /// Our hook of this agent that the finding is about.
    pub(super) hook: OurHook,
    /// The files that hold the hook.
    pub(super) files: Vec<PathBuf>,
    causes: Vec<HookCause>,
}

impl HookFinding {
    /// Returns the diagnoses, the most severe first.
    pub(super) fn diagnoses(&self) -> Vec<Diagnosis> {
        let causes = self.causes.iter();
        let mut diagnoses: Vec<_> = causes.map(|cause| cause.diagnosis(&self.agent, self.hook)).collect();
        diagnoses.sort_by_key(|diagnosis| diagnosis.severity);
        diagnoses
    }

    /// Whether the hook is installed and has no fault.
    pub(super) fn works(&self) -> bool {
        !self.files.is_empty()
            && self.diagnoses().iter().all(|diagnosis| diagnosis.severity == Severity::Note)
    }
}

/// Returns the agents whose hooks are examined: the agents of `findings` and the named ones. If the person
/// named none, also each agent that connects to no companion and is installed or has a hook of ours.
pub(super) fn agents_to_examine(
    named: &[String],
    findings: &[Finding],
    here: &Surroundings,
) -> Vec<HookAgent> {
    let has_hook_to_examine = |agent: &HookAgent| {
        let is_examined = findings.iter().any(|finding| finding.agent.row.id == agent.id);
        let is_found =
            || named.is_empty() && agent.family.is_none() && is_installed_or_has_hook(*agent, here);
        is_examined || named.iter().any(|name| name == agent.id) || is_found()
    };
    with_hook().filter(has_hook_to_examine).collect()
}

/// Whether the agent is installed, or has a hook of ours.
fn is_installed_or_has_hook(agent: HookAgent, here: &Surroundings) -> bool {
    let has_hook = |path: &Path| {
        let text = hooks::text(path).ok().flatten();
        text.is_some_and(|text| hooks::find_hook(&text, agent).is_ok_and(|found| !found.is_empty()))
    };
    let files = hooks::all_files(agent, None, here);
    agents::program_of(agent.commands, here).is_some() || files.iter().any(|(_, path)| has_hook(path))
}

/// Searches for a companion as a hook does. Returns the cause if the search fails although a companion serves
/// this directory.
pub(super) async fn failed_search(here: &Surroundings, companions: &Companions) -> Option<HookCause> {
    let variable = |name: &str| here.variables.get(name).map(Into::into);
    let search = HookSearch::within(RuntimeDirs::of_doctor(variable));
    match search.reviewer_of(&here.cwd).await {
        Ok(Some(_)) => None,
        Ok(None) => {
            let companion = companions.serving_here().next()?.label();
            let places = search.paths().map(|path| path.to_owned().into()).collect();
            Some(HookCause::FindsNoCompanion { companion, places })
        }
        Err(Restarting) => Some(HookCause::CompanionRestarts),
    }
}

/// Examines one of our hooks in an agent. `search_cause`: the fault of the search that all hooks make.
pub(super) async fn examine(
    (agent, hook): (HookAgent, OurHook),
    release: Option<Release>,
    here: &Surroundings,
    search_cause: Option<&HookCause>,
) -> HookFinding {
    let mut finding = HookFinding { agent, hook, files: Vec::new(), causes: Vec::new() };
    let mut switch_causes = Vec::new();
    let mut entries = Vec::new();
    for (scope, path) in hooks::all_files(agent, release, here) {
        let read = hooks::text(&path).map_err(|error| error.to_string());
        let parsed = read.and_then(|text| {
            let text = text.unwrap_or_default();
            let mut entries = hooks::find_hook(&text, agent)?;
            entries.retain(|entry| entry.hook == hook);
            Ok((entries, hooks::switched_off_by(&text, agent, hook)))
        });
        let (entries_of_file, switched_off_by) = match parsed {
            Ok(parsed) => parsed,
            // The examination of the hook before each write reports the error once.
            Err(_) if hook == OurHook::Turn => continue,
            Err(error) => {
                finding.causes.push(HookCause::UnreadableSettings { path: path.into(), error });
                continue;
            }
        };
        let switch_cause = |by| HookCause::SwitchedOff { path: path.clone().into(), by };
        switch_causes.extend(switched_off_by.map(switch_cause));
        if !entries_of_file.is_empty() {
            let wanted = hook.registrations(agent, release);
            finding.causes.extend(causes_in(&entries_of_file, agent, &wanted, (&path, scope), here));
            entries.extend(entries_of_file.into_iter().map(|entry| (entry, path.clone(), scope)));
            finding.files.push(path);
        }
    }
    if finding.files.is_empty() {
        return finding;
    }
    for registration in hook.registrations(agent, release) {
        let is_same = |entry: &HookEntry| entry.is_for(&registration) && entry.covers_tools_of(&registration);
        let same = entries.iter().filter(|(entry, ..)| is_same(entry));
        let paths: Vec<_> = same.map(|(_, path, _)| path.clone().into()).collect();
        if paths.len() > 1 {
            finding.causes.push(HookCause::Duplicate { paths, event: registration.event });
        }
    }
    match hook {
        OurHook::Write => {
            finding.causes.extend(search_cause.cloned());
            finding.causes.push(failure_consequence(&entries, agent, release));
        }
        OurHook::Turn if !alongside_turns::has_git(&here.cwd) => finding.causes.push(HookCause::NoGit),
        OurHook::Turn => {}
    }
    // A setting in one file may switch off a hook in another one.
    finding.causes.extend(switch_causes);
    let other_hooks = hooks::all_other_hooks(agent, hook, release, here).into_iter();
    finding
        .causes
        .extend(other_hooks.map(|(path, command)| HookCause::OtherHook { path: path.into(), command }));
    match agent.hook.trust {
        Trust::NotNeeded => {}
        Trust::AppServer => {
            if let Some(program) = agents::program_of(agent.commands, here) {
                finding
                    .causes
                    .extend(hook_trust::causes(&program, (agent, hook), &finding.files, here).await);
            }
        }
    }
    finding
}

/// Returns the consequence of a failure of the hook in this release. `entries`: each with its file, and
/// the file's scope.
fn failure_consequence(
    entries: &[(HookEntry, PathBuf, HookScope)],
    agent: HookAgent,
    release: Option<Release>,
) -> HookCause {
    let wanted = WantedHook::new(OurHook::Write, agent, release, Os::HERE, &own_program());
    let (command, registrations) = (&wanted.command, wanted.registrations());
    let OnFailure::RefusesIfAsked { since } = agent.hook.before_tool.on_failure else {
        return HookCause::FailsOpen;
    };
    if !hooks::has_guard(command, agent) {
        return HookCause::FailsOpen;
    }
    for (entry, path, scope) in entries {
        let is_for_entry =
            |registration: &&Registration| registration.event == entry.event && registration.can_refuse;
        let registration = registrations.iter().find(is_for_entry);
        if let Some(registration) = registration.filter(|_| !entry.asks_to_refuse(agent)) {
            let is_older = entry.can_ask_to_refuse(registration, agent, command);
            let path = path.clone().into();
            return HookCause::AsksForNoRefusal { path, is_older, scope: *scope };
        }
    }
    match release {
        Some(release) if release < since => HookCause::FailsOpenBefore { since, release },
        Some(release) => HookCause::FailsClosed { release },
        None => HookCause::FailsClosedSince { since },
    }
}

/// Returns the faults of the entries in a file.
fn causes_in(
    entries: &[HookEntry],
    agent: HookAgent,
    wanted: &[Registration],
    (path, scope): (&Path, HookScope),
    here: &Surroundings,
) -> Vec<HookCause> {
    let path = || path.to_owned().into();
    let mut causes = Vec::new();
    let of_event = |name: &'static str| entries.iter().filter(move |entry| entry.event == name);
    let is_missing = |registration: &&Registration| !entries.iter().any(|entry| entry.is_for(registration));
    let missing = wanted.iter().filter(is_missing).map(|registration| registration.event);
    let events: Vec<&'static str> = missing.collect();
    if !events.is_empty() {
        causes.push(HookCause::MissingEvents { path: path(), events, scope });
    }
    for registration in wanted {
        let Some(expected) = registration.matcher else { continue };
        let mut matchers = of_event(registration.event).filter_map(|entry| entry.matcher.clone());
        let has_all = of_event(registration.event).any(|entry| entry.covers_tools_of(registration));
        if let Some(matcher) = matchers.next().filter(|_| !has_all) {
            causes.push(HookCause::NarrowMatcher { path: path(), matcher, expected, scope });
        }
    }
    // The agent ends such a hook before the hook gives up.
    let cut_off = entries.iter().filter(|entry| entry.limit(agent) < entry.time_budget(agent));
    if let Some(limit) = cut_off.map(|entry| entry.limit(agent)).min() {
        causes.push(HookCause::ShortTimeout { path: path(), limit, scope });
    }
    let mut programs: Vec<&str> = entries.iter().filter_map(|entry| entry.program(agent)).collect();
    programs.dedup();
    causes.extend(programs.into_iter().filter_map(|program| {
        // A name that the shell has to expand is unknown here.
        let program = shell::unquoted(Os::HERE, program)?;
        match real_program(&program, here) {
            None => Some(HookCause::NoProgram { path: path(), program, scope }),
            Some(real) => {
                let own = own_program();
                let is_own = Path::new(&own).canonical().is_ok_and(|own| own == real);
                (!is_own).then_some(HookCause::OtherProgram { program, own, scope })
            }
        }
    }));
    causes
}

/// Returns the file that a shell would start for a program's name or path.
fn real_program(program: &str, here: &Surroundings) -> Option<PathBuf> {
    let path = here.variables.get("PATH").map(String::as_str).unwrap_or_default();
    which::which_in(program, Some(path), &here.cwd).ok()?.canonical().ok()
}
