//! Examines one agent: replays its search, dials what it would dial, and reads its settings.

use std::path::Path;

use alongside_agent::find::{self, End, Surroundings, To};
use alongside_agent::settings::{Settings, Source, Trust};
use alongside_contract::discovery;
use alongside_contract::settings::release_number;
use alongside_platform::process;

use super::agents::{Agent, RunningAgent};
use super::causes::{AgentCause, Cause, CompanionCause, ConnectionCause, DiscoveryCause};
use super::connection_failure::ConnectionFailure;
use super::finding::Finding;
use super::lock_search::examine_lock_search;
use super::probe::{self, ProbeResult};
use super::running_companions::{Companions, RunningCompanion};

/// The doctor's knowledge of this machine, by which it examines each agent.
pub(super) struct Examiner<'a> {
    pub(super) here: &'a Surroundings,
    pub(super) companions: &'a Companions,
    pub(super) running_agents: &'a [RunningAgent],
    pub(super) in_container: bool,
}

impl Examiner<'_> {
    pub(super) async fn examine(&self, agent: Agent) -> Finding {
        let trace = find::replay(agent.row, agent.release, self.here, self.in_container);
        let mut finding = Finding { agent, trace, results: Vec::new(), other_port: None, causes: Vec::new() };
        let settings = Settings::of(&finding.agent.row, finding.agent.release, self.here);
        // For an agent with lock files, the search for a lock replaces the replayed one.
        if let Some(search) = find::locks(finding.agent.row, self.here) {
            finding.trace.steps.clear();
            finding.causes = examine_lock_search(search, self.here, self.companions, &mut finding).await;
            let chosen = finding.other_port.and_then(|port| self.companions.at_port(port));
            let earlier = chosen.and_then(|companion| self.older_agents(&finding, companion));
            finding.causes.extend(earlier.map(|pids| AgentCause::OlderThanCompanion { pids }.into()));
            let proposing = settings.iter().flat_map(|settings| proposal_causes(settings, &finding.agent));
            finding.causes.extend(proposing);
            return finding;
        }
        if finding.trace.end == Some(End::NoIdeMode) {
            let needs = finding.agent.row.family.behaviour.connects.to_string();
            finding.causes = vec![AgentCause::TooOld { needs }.into()];
            return finding;
        }
        let mut causes: Vec<Cause> = settings.as_ref().map(search_causes).unwrap_or_default();
        causes.extend(self.connect(&mut finding).await);
        if let Some(settings) = &settings {
            causes.extend(proposal_causes(settings, &finding.agent));
        }
        if let Some(known) = finding.agent.newer_than_known() {
            let release = finding.agent.version.clone().unwrap_or_default();
            causes.push(AgentCause::UnknownRelease { release, known: release_number(known) }.into());
        }
        if let Some(program) = finding.agent.program.clone().filter(|_| !finding.agent.is_in_path) {
            causes.push(AgentCause::NotInPath { program: program.into() }.into());
        }
        finding.causes = causes;
        finding
    }

    /// Dials each target of the agent until one answers, stores the results in `finding`, and returns the
    /// causes.
    async fn connect(&self, finding: &mut Finding) -> Vec<Cause> {
        let taken_file = finding.trace.seen().filter(|seen| !seen.is_ours && seen.record.is_some());
        if let Some(seen) = taken_file {
            // This user's agents must not connect to the program that listens there.
            return vec![DiscoveryCause::TrustedFileOfOtherUser { path: seen.path.clone().into() }.into()];
        }
        for attempt in &finding.trace.attempts {
            let result = probe::dial(attempt).await;
            let connected = matches!(result, ProbeResult::Connected { .. });
            finding.results.push(result);
            if connected {
                break;
            }
        }
        let failure =
            ConnectionFailure { here: self.here, companions: self.companions, trace: &finding.trace };
        if let Some(port) = finding.port() {
            let mut causes = self.connected_causes(finding, port);
            causes.extend(failure.stale_variables().await.map(Cause::from));
            return causes;
        }
        let mut causes = failure.causes(&finding.results).await;
        let command = finding.trace.attempts.iter().find_map(|attempt| match &attempt.to {
            To::Stdio { command } => Some(command.clone()),
            To::Http { .. } => None,
        });
        if let Some(command) = command {
            finding.other_port = self.mark_stdio_connection(&command, &mut causes);
            if finding.other_port.is_none() {
                causes.push(CompanionCause::StartsStdioServer { command }.into());
            }
        }
        causes
    }

    /// Marks an unreachable container host as harmless if there is no other cause and the agent then starts
    /// `alongside stdio`. Returns the port to which `stdio` connects. `stdio` does not help against other
    /// causes, because it searches by itself, and may find another companion or none.
    fn mark_stdio_connection(&self, command: &str, causes: &mut [Cause]) -> Option<u16> {
        let is_ours = Path::new(command).file_stem().is_some_and(|name| name == "alongside");
        match causes {
            [Cause::Connection(ConnectionCause::ContainerHost { port, connects_by_stdio, .. })]
                if is_ours =>
            {
                let nearest = self.companions.serving_here().next();
                *connects_by_stdio = nearest.is_some_and(|companion| companion.port == *port);
                connects_by_stdio.then_some(*port)
            }
            _ => None,
        }
    }

    /// Returns the causes that remain although the agent connects.
    fn connected_causes(&self, finding: &Finding, port: u16) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        let chosen = self.companions.at_port(port);
        if finding.results.last() == Some(&ProbeResult::Connected { diffs: false }) {
            let name = chosen.map_or("the companion".into(), |companion| companion.name.clone());
            causes.push(CompanionCause::NoDiffs { name }.into());
        }
        if let Some(pids) = chosen.and_then(|companion| self.older_agents(finding, companion)) {
            causes.push(AgentCause::OlderThanCompanion { pids }.into());
        }
        let others = self.companions.serving_here().filter(|companion| companion.port != port);
        let others: Vec<_> = others.map(RunningCompanion::label).collect();
        if !others.is_empty() {
            let chosen = chosen.map_or_else(|| format!("port {port}"), RunningCompanion::label);
            causes.push(CompanionCause::Several { chosen, others }.into());
        }
        // The attempts end with the first success, so of several the first has failed.
        let first_failed = finding.results.len() > 1;
        let taken_file =
            finding.trace.seen().filter(|seen| first_failed && !self.companions.is_unreachable(&seen.path));
        if let Some(seen) = taken_file {
            causes.push(DiscoveryCause::UnusedStaleFile { path: seen.path.clone().into() }.into());
        }
        causes
    }

    /// Returns the processes of this agent in this project that are older than the companion, if some agent
    /// here has no session. Among several companions an agent may be connected to any, so the sessions of all
    /// count.
    fn older_agents(&self, finding: &Finding, companion: &RunningCompanion) -> Option<Vec<u32>> {
        let row = finding.agent.row;
        let since = process::started(companion.host.as_ref()?.status.pid)?;
        let roots = companion.roots.join(&discovery::delimiter().to_string());
        let agents = self.running_agents.iter();
        let inside: Vec<&RunningAgent> =
            agents.filter(|agent| agent.row.id == row.id && find::holds(&roots, &agent.here.cwd)).collect();
        let hosts = self.companions.serving_here().filter_map(|companion| companion.host.as_ref());
        let sessions =
            hosts.flat_map(|host| &host.status.agents).filter(|agent| agent.name == row.display_name);
        let earlier = inside.iter().filter(|agent| agent.started.is_some_and(|started| started < since));
        let earlier: Vec<u32> = earlier.map(|agent| agent.pid).collect();
        (!earlier.is_empty() && sessions.count() < inside.len()).then_some(earlier)
    }
}

/// Returns the settings that keep an agent from searching for a companion.
fn search_causes(settings: &Settings) -> Vec<Cause> {
    let broken = settings.broken.iter().map(|(path, error)| {
        AgentCause::BrokenSettings { path: path.clone().into(), error: error.clone() }.into()
    });
    // A file that cannot be read may hold the setting.
    let is_off = settings.broken.is_empty() && !settings.ide_enabled.value;
    let off =
        is_off.then(|| AgentCause::IdeModeOff { set_by: source_text(&settings.ide_enabled.source) }.into());
    broken.chain(off).collect()
}

/// Returns the settings that keep a connected agent from proposing.
fn proposal_causes(settings: &Settings, agent: &Agent) -> Vec<Cause> {
    if !settings.broken.is_empty() {
        return Vec::new();
    }
    let trust = match settings.trust.value {
        Trust::Trusted => None,
        Trust::Untrusted => Some(AgentCause::UntrustedFolder { set_by: source_text(&settings.trust.source) }),
        Trust::Undecided => Some(AgentCause::UndecidedFolder),
    };
    let mode = &settings.approval_mode;
    let edits_without_asking = (!mode.value.opens_diffs()).then(|| AgentCause::ApprovalMode {
        mode: mode.value.to_string(),
        set_by: source_text(&mode.source),
        setting: asking_setting(agent),
        file: match &mode.source {
            Some(Source::File(file)) => file.clone().into(),
            _ => settings.user_file.clone().into(),
        },
    });
    trust.into_iter().chain(edits_without_asking).map(Cause::from).collect()
}

/// Returns the JSON of the setting that makes the agent ask before it edits.
fn asking_setting(agent: &Agent) -> String {
    let names = agent.row.settings.map(|table| table.approval_mode).unwrap_or_default();
    let name = names.iter().find(|name| name.is_read_by(agent.release) && name.below_version.is_none());
    let keys = name.map(|name| name.keys).unwrap_or_default();
    match keys {
        [outer @ .., last] => {
            let setting = format!("\"{last}\": \"default\"");
            outer.iter().rev().fold(setting, |inner, key| format!("\"{key}\": {{ {inner} }}"))
        }
        [] => String::new(),
    }
}

/// Returns the file or variable that a setting comes from.
fn source_text(source: &Option<Source>) -> Option<String> {
    source.as_ref().map(ToString::to_string)
}
