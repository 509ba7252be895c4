//! From what one release of an agent does, and what answers it, to what is wrong.

use std::path::Path;

use alongside_agent::find::{self, End, Surroundings, To, Trace};
use alongside_agent::settings::{By, Settings, Trust};
use alongside_contract::behaviour::Release;
use alongside_desk::harmless;
use alongside_platform::process;

use super::agents::{Agent, Running};
use super::cause::Cause;
use super::living::{Living, Machine};
use super::probe::{self, Answer};

/// What was found out about one agent.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) agent: Agent,
    pub(super) trace: Trace,
    /// What came of each attempt, up to the one that succeeded.
    pub(super) answers: Vec<Answer>,
    /// The port it is carried to by a program that it starts, where it cannot dial it.
    pub(super) carried: Option<u16>,
    pub(super) causes: Vec<Cause>,
}

impl Finding {
    /// Whether it would reach a companion, were its settings right.
    pub(super) fn reaches(&self) -> Option<&find::Attempt> {
        let last = self.answers.last().filter(|answer| matches!(answer, Answer::Connected { .. }));
        last.and(self.trace.attempts.get(self.answers.len().saturating_sub(1)))
    }

    /// The port it would talk to.
    pub(super) fn port(&self) -> Option<u16> {
        match self.reaches().map(|attempt| &attempt.to) {
            Some(To::Http { port, .. }) => Some(*port),
            Some(To::Stdio { .. }) | None => self.carried,
        }
    }
}

/// What one agent would meet.
pub(super) struct Examiner<'a> {
    pub(super) here: &'a Surroundings,
    pub(super) machine: &'a Machine,
    pub(super) running: &'a [Running],
    pub(super) in_container: bool,
}

impl Examiner<'_> {
    pub(super) async fn examine(&self, agent: Agent) -> Finding {
        let trace = find::replay(agent.family, agent.release, self.here, self.in_container);
        let mut answers = Vec::new();
        // Whatever listens there, it is not for this user's agents.
        let astray = trace.seen().filter(|seen| !seen.is_ours && seen.record.is_some());
        let astray = astray.map(|seen| Cause::LedByOtherUser { path: seen.path.clone() });
        for attempt in trace.attempts.iter().filter(|_| astray.is_none()) {
            let answer = probe::dial(attempt).await;
            let connected = matches!(answer, Answer::Connected { .. });
            answers.push(answer);
            if connected {
                break;
            }
        }
        let mut finding = Finding { agent, trace, answers, carried: None, causes: Vec::new() };
        let mut causes = Vec::new();
        if finding.trace.end == Some(End::NoIdeMode) {
            let needs = finding.agent.family.behaviour.connects;
            causes.push(Cause::OldAgent { needs: needs.to_string() });
            finding.causes = causes;
            return finding;
        }
        let settings = Settings::of(finding.agent.family, finding.agent.release, self.here);
        causes.extend(settings.as_ref().into_iter().flat_map(before_looking));
        match finding.port() {
            _ if astray.is_some() => causes.extend(astray),
            Some(port) => {
                causes.extend(self.while_connected(&finding, port));
                causes.extend(self.stale_variables(&finding.trace).await);
            }
            None => {
                let mut why = self.why_not(&finding.trace, &finding.answers).await;
                let command = finding.trace.attempts.iter().find_map(|attempt| match &attempt.to {
                    To::Stdio { command } => Some(command.clone()),
                    To::Http { .. } => None,
                });
                finding.carried = command.as_deref().and_then(|command| self.carries(command, &mut why));
                causes.extend(why);
                let instead = command.filter(|_| finding.carried.is_none());
                causes.extend(instead.map(|command| Cause::StdioInstead { command }));
            }
        }
        causes.extend(
            settings.as_ref().into_iter().flat_map(|settings| once_connected(settings, &finding.agent)),
        );
        if let Some(known) = finding.agent.is_unknown() {
            let release = finding.agent.version.clone().unwrap_or_default();
            causes.push(Cause::UnknownRelease { release, known: number(known) });
        }
        if let Some(program) = finding.agent.program.clone().filter(|_| !finding.agent.is_in_path) {
            causes.push(Cause::AgentNotInPath { program });
        }
        finding.causes = causes;
        finding
    }

    /// The port to which our own program carries an agent that dials out of its container. Other troubles it
    /// does not mend: it looks for a companion by itself, and may find none or another.
    fn carries(&self, command: &str, why: &mut [Cause]) -> Option<u16> {
        let is_ours = Path::new(command).file_stem().is_some_and(|name| name == "alongside");
        match why {
            [Cause::ContainerHost { port, is_carried, .. }] if is_ours => {
                *is_carried = self.machine.here().next().is_some_and(|living| living.port == *port);
                is_carried.then_some(*port)
            }
            _ => None,
        }
    }

    /// What is not as it should be although it connects.
    fn while_connected(&self, finding: &Finding, port: u16) -> Vec<Cause> {
        let mut causes = Vec::new();
        let taken = self.machine.living.iter().find(|living| living.port == port);
        let name = taken.map_or("the companion".into(), |living| living.name.clone());
        if finding.answers.last() == Some(&Answer::Connected { diffs: false }) {
            causes.push(Cause::NoDiffs { name: name.clone() });
        }
        if let Some(pids) = taken.and_then(|living| self.too_early(finding, living)) {
            causes.push(Cause::StartedEarlier { pids });
        }
        let others: Vec<_> =
            self.machine.here().filter(|living| living.port != port).map(Living::shown).collect();
        if !others.is_empty() {
            let taken = taken.map_or_else(|| format!("port {port}"), Living::shown);
            causes.push(Cause::Several { taken, others });
        }
        let missed = finding.answers.first() != finding.answers.last();
        if let Some(seen) = finding.trace.seen().filter(|_| missed) {
            causes.push(Cause::StaleFileBeside { path: seen.path.clone() });
        }
        causes
    }

    /// The agents of this family in this project that are older than the companion, as long as the companions
    /// here know fewer of them: with several, an agent may be with another one.
    fn too_early(&self, finding: &Finding, living: &Living) -> Option<Vec<u32>> {
        let host = living.host.as_ref()?;
        let since = process::started(host.status.pid)?;
        let roots = living.roots.join(&alongside_contract::discovery::delimiter().to_string());
        let inside = |running: &&Running| {
            running.family.id == finding.agent.family.id && find::holds(&roots, &running.here.cwd)
        };
        let inside: Vec<&Running> = self.running.iter().filter(inside).collect();
        let hosts = self.machine.here().filter_map(|living| living.host.as_ref());
        let known = hosts
            .flat_map(|host| &host.status.agents)
            .filter(|agent| agent.name == finding.agent.family.display_name);
        let early: Vec<u32> = inside
            .iter()
            .filter(|running| running.started.is_some_and(|started| started < since))
            .map(|running| running.pid)
            .collect();
        (!early.is_empty() && known.count() < inside.len()).then_some(early)
    }
}

/// Settings that keep an agent from looking.
fn before_looking(settings: &Settings) -> Vec<Cause> {
    let broken = settings.broken.iter();
    let broken = broken.map(|(path, why)| Cause::BrokenSettings { path: path.clone(), why: why.clone() });
    // What stands in a file that cannot be read, nobody knows.
    let is_off = settings.broken.is_empty() && !settings.ide_enabled.value;
    let off = is_off.then(|| Cause::IdeModeOff { by: said(&settings.ide_enabled.by) });
    broken.chain(off).collect()
}

/// Settings that keep it from proposing.
fn once_connected(settings: &Settings, agent: &Agent) -> Vec<Cause> {
    if !settings.broken.is_empty() {
        return Vec::new();
    }
    let trust = match settings.trust.value {
        Trust::Trusted => None,
        Trust::Untrusted => Some(Cause::UntrustedFolder { by: said(&settings.trust.by) }),
        Trust::Undecided => Some(Cause::UndecidedFolder),
    };
    let mode = &settings.approval_mode;
    let edits_alone = (!mode.value.opens_diffs()).then(|| Cause::ApprovalMode {
        mode: harmless::name(&mode.value.to_string()).into_owned(),
        by: said(&mode.by),
        setting: asks_first(agent),
        file: match &mode.by {
            Some(By::File(file)) => file.clone(),
            _ => settings.user_file.clone(),
        },
    });
    trust.into_iter().chain(edits_alone).collect()
}

/// The setting with which an agent asks before it edits, as it stands in its file.
fn asks_first(agent: &Agent) -> String {
    let names = agent.family.settings.map(|table| table.approval_mode).unwrap_or_default();
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

fn said(by: &Option<By>) -> Option<String> {
    by.as_ref().map(|by| harmless::name(&by.to_string()).into_owned())
}

/// A release as people write it.
pub(super) fn number((major, minor, patch): Release) -> String {
    format!("{major}.{minor}.{patch}")
}
