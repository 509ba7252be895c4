//! Finds the causes why an agent connects to no companion: from the step at which its search fails, and from
//! the companions that run.

use std::path::{Path, PathBuf};

use alongside_agent::find::{End, ExaminedFile, NamedBy, SkipReason, Surroundings, To, Trace, Why};
use alongside_contract::behaviour::{CONTAINER_HOST, Hosts, NEWEST, Release};
use alongside_contract::discovery;
use alongside_contract::family::{Directory, DiscoveryFile};
use alongside_contract::settings::release_number;
use alongside_platform::process;

use super::causes::{AgentCause, Cause, CompanionCause, ConnectionCause, DiscoveryCause};
use super::diagnosis::ShownPath;
use super::probe::{self, ProbeResult};
use super::running_companions::{Companions, FileLocation, RunningCompanion};

/// A search that reached no companion.
pub(super) struct ConnectionFailure<'a> {
    pub(super) here: &'a Surroundings,
    pub(super) companions: &'a Companions,
    pub(super) trace: &'a Trace,
}

impl ConnectionFailure<'_> {
    /// Returns the causes. `results`: the result of each attempt.
    pub(super) async fn causes(&self, results: &[ProbeResult]) -> Vec<Cause> {
        let Some(end) = &self.trace.end else { return vec![self.no_answer(results).await] };
        if *end == End::NoIdeMode {
            return Vec::new();
        }
        if let Some(path) = self.overriding_file().filter(|_| *end != End::NothingFound) {
            return vec![DiscoveryCause::OverridingFile { path: path.into() }.into()];
        }
        match end {
            End::NoIdeMode => Vec::new(),
            End::NoFolder { .. } => {
                let info = self.trace.record().and_then(|record| record.ide_info.as_ref());
                let editor = info.map_or("the editor", |info| info.display_name.as_str());
                vec![CompanionCause::NoFolder { editor: editor.to_owned() }.into()]
            }
            End::OtherWorkspace { workspace, path } => self.other_workspace(workspace, path.as_deref()),
            End::UnknownEditor => vec![self.unknown_editor()],
            End::NothingFound => vec![self.nothing_found()],
        }
    }

    /// Returns the causes if variables lead to another project. If no companion serves this directory either,
    /// the missing companion is the more severe cause, and comes first.
    fn other_workspace(&self, workspace: &str, path: Option<&Path>) -> Vec<Cause> {
        let by_port = self.trace.seen().is_some_and(|seen| seen.why == Why::PortVariable);
        if path.is_some() && !by_port {
            return vec![self.nothing_found()];
        }
        let (names, workspace) = (self.variable_names(), workspace.to_owned());
        let misled = DiscoveryCause::VariablesElsewhere { names, workspace }.into();
        match self.companions.serving_here().next() {
            Some(_) => vec![misled],
            None => vec![self.nothing_found(), misled],
        }
    }

    /// Returns the cause if the agent does not know the name of its editor.
    fn unknown_editor(&self) -> Cause {
        let reads_editor_name = &self.trace.agent.family.behaviour.reads_editor_name;
        match self.trace.seen() {
            None => self.hidden_companion().unwrap_or_else(|| {
                DiscoveryCause::VariablesWithoutFile { names: self.variable_names() }.into()
            }),
            Some(_) if !reads_editor_name.hold(self.release()) => {
                AgentCause::NeedsVscodeTerminal { needs: reads_editor_name.to_string() }.into()
            }
            // With the editor's name the agent would still pass over this file.
            Some(seen) if seen.passed_over.is_some() => self.nothing_found(),
            Some(seen) => DiscoveryCause::NoEditorName { path: seen.path.clone().into() }.into(),
        }
    }

    /// Returns the cause if no file fits; a companion may run nevertheless.
    fn nothing_found(&self) -> Cause {
        if let Some(cause) = self.hidden_companion() {
            return cause;
        }
        let files = &self.trace.files;
        if let Some(broken) = files.iter().find_map(unusable_file) {
            return broken.into();
        }
        let records = || files.iter().filter_map(|seen| seen.record.as_ref());
        let record_without_folder = records().find(|record| {
            record.workspace_path.is_empty() && self.companions.at_port(record.port).is_some()
        });
        if let Some(record) = record_without_folder {
            let editor = record.ide_info.as_ref().map_or("the editor", |info| info.display_name.as_str());
            return CompanionCause::NoFolder { editor: editor.to_owned() }.into();
        }
        // A directory with the delimiter in its name splits into several roots. Some companions write it
        // nevertheless; ours do not.
        let cwd = &self.here.cwd;
        let mut workspaces = records().map(|record| record.workspace_path.as_str());
        if let Some(root) = workspaces.find(|root| !root.is_empty() && cwd.starts_with(root)) {
            return DiscoveryCause::Delimiter { root: PathBuf::from(root).into() }.into();
        }
        if cwd.to_string_lossy().contains(discovery::delimiter()) {
            return DiscoveryCause::Delimiter { root: cwd.clone().into() }.into();
        }
        let visible = self.companions.running.iter().filter(|companion| companion.has_file_here_or_none());
        let roots: Vec<String> = visible.flat_map(|companion| companion.roots.clone()).collect();
        let folded = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
        if let Some(root) = roots.iter().find(|root| folded(cwd).starts_with(folded(Path::new(root)))) {
            return DiscoveryCause::CaseDiffers { root: PathBuf::from(root).into() }.into();
        }
        match roots.is_empty() {
            true => CompanionCause::NotRunning.into(),
            false => CompanionCause::OtherDirectory { roots }.into(),
        }
    }

    /// Returns the cause why this release does not find the companion that serves this directory; `None` if
    /// no companion serves it.
    fn hidden_companion(&self) -> Option<Cause> {
        let unreadable_neighbour = |seen: &ExaminedFile| match &seen.passed_over {
            Some(SkipReason::Neighbour { path }) => Some(path.clone()),
            _ => None,
        };
        if let Some(path) = self.trace.files.iter().find_map(unreadable_neighbour) {
            let error = "this release has to read every file there, and cannot read this one".into();
            return Some(DiscoveryCause::UnreadableFile { path: path.into(), error }.into());
        }
        let companion = self.companions.serving_here().next()?;
        let its_files = self.trace.files.iter().filter(|seen| is_of_port(seen, companion.port));
        if let Some(cause) = its_files.filter_map(unusable_file).next() {
            return Some(cause.into());
        }
        let (name, port, family) = (companion.name.clone(), companion.port, self.trace.agent.family);
        Some(match self.companions.locate(companion, family, self.release()) {
            FileLocation::Here => {
                let release = self.release();
                let later = family.behaviour.lookups.iter().map(|lookup| lookup.releases).rfind(|releases| {
                    !releases.hold(release) && releases.until.is_none() && releases.from > release
                });
                let any_since = later.map(|releases| release_number(releases.from));
                CompanionCause::OtherProcess { name, port, any_since }.into()
            }
            FileLocation::Elsewhere(at, directory) => self.elsewhere(name, at, directory).into(),
            FileLocation::Nowhere => match self.missing_directory().filter(|_| companion.host.is_some()) {
                Some(directory) => CompanionCause::NeverStarted { name, directory: directory.into() }.into(),
                None => without_files(companion).into(),
            },
        })
    }

    /// Returns the agent's own directory, if it is missing and our companions do not create it.
    fn missing_directory(&self) -> Option<PathBuf> {
        let agent = self.trace.agent;
        let below_home = |file: &&DiscoveryFile| matches!(file.directory, Directory::Home { .. });
        let file = agent.family.discovery_files().iter().filter(|_| !agent.is_proven()).find(below_home)?;
        let own = self.here.resolve(file.directory).parent()?.to_owned();
        (!own.exists()).then_some(own)
    }

    /// Returns the cause if the files of the companion are in `directory` of the place with this index.
    fn elsewhere(&self, name: String, at: usize, directory: Directory) -> CompanionCause {
        let there = &self.companions.places[at];
        match directory {
            Directory::Tmp(_) => {
                let (theirs, ours) = (there.tmp.clone().into(), self.here.tmp.clone().into());
                CompanionCause::OtherTmpdir { name, theirs, ours }
            }
            Directory::Home { base_variable: Some(variable), .. }
                if there.variables.get(variable) != self.here.variables.get(variable) =>
            {
                let base = |place: &Surroundings| {
                    place.variables.get(variable).map(|base| PathBuf::from(base).into())
                };
                CompanionCause::OtherBase { name, variable, theirs: base(there), ours: base(self.here) }
            }
            Directory::Home { .. } => {
                let (theirs, ours) = (there.home.clone().into(), self.here.home.clone().into());
                CompanionCause::OtherHome { name, theirs, ours }
            }
        }
    }

    /// Returns the cause if every attempt failed: of the first attempt, to the companion that the agent
    /// prefers.
    async fn no_answer(&self, results: &[ProbeResult]) -> Cause {
        let (Some(attempt), Some(result)) = (self.trace.attempts.first(), results.first()) else {
            return self.nothing_found();
        };
        let To::Http { host, port, proxy } = attempt.to else {
            return self.nothing_found();
        };
        let behaviour = &self.trace.agent.family.behaviour;
        let path = self.trace.seen().map(|seen| seen.path.clone().into());
        let cause = match result {
            ProbeResult::Proxied => ConnectionCause::Proxy { variable: proxy.unwrap_or("HTTP_PROXY"), host },
            // A name that cannot be resolved may also time out.
            ProbeResult::NotListening | ProbeResult::Silence
                if host == CONTAINER_HOST && probe::listens("127.0.0.1", port).await =>
            {
                let obeys_variable = matches!(behaviour.hosts(self.release()), Hosts::UnlessSet(_));
                ConnectionCause::ContainerHost { host, port, obeys_variable, connects_by_stdio: false }
            }
            ProbeResult::NotListening => return self.not_listening(&attempt.named_by, port),
            ProbeResult::Refused if !behaviour.sends_token.hold(self.release()) => {
                return AgentCause::SendsNoToken { needs: behaviour.sends_token.to_string() }.into();
            }
            ProbeResult::Refused if attempt.token().is_none() => ConnectionCause::NoToken { path },
            ProbeResult::Refused => ConnectionCause::WrongToken { path },
            ProbeResult::Silence => ConnectionCause::Hangs { port },
            ProbeResult::Stranger => ConnectionCause::Stranger { port, path },
            ProbeResult::Other(answer) => ConnectionCause::NotACompanion { port, answer: answer.clone() },
            ProbeResult::Connected { .. } | ProbeResult::Program => return self.nothing_found(),
        };
        cause.into()
    }

    /// Returns the cause if no program listens at the port of the first attempt.
    fn not_listening(&self, named_by: &NamedBy, port: u16) -> Cause {
        if let Some(path) = self.overriding_file() {
            return DiscoveryCause::OverridingFile { path: path.into() }.into();
        }
        let by_variable = self.trace.seen().is_none_or(|seen| seen.why == Why::PortVariable);
        let path = match named_by {
            NamedBy::File(path) | NamedBy::OtherFile(path) if self.companions.is_unreachable(path) => {
                return ConnectionCause::OtherNetwork { path: path.clone().into(), port }.into();
            }
            NamedBy::File(path) | NamedBy::OtherFile(path) if !by_variable => ShownPath::from(path.clone()),
            _ => return DiscoveryCause::StaleVariables { names: self.variable_names(), port }.into(),
        };
        if let Some(companion) = self.companions.serving_here().next() {
            return DiscoveryCause::StaleFileWins { path, running: companion.port }.into();
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let lookups = &self.trace.agent.family.behaviour.lookups;
        let pid_in_name = lookups.iter().find_map(|lookup| lookup.file.pid_in(name));
        let editor = self.trace.record().and_then(|record| record.ppid).or(pid_in_name);
        match editor.filter(|pid| process::is_alive(*pid)) {
            Some(pid) => ConnectionCause::PortClosed { path, port, pid }.into(),
            None => DiscoveryCause::StaleFile { path }.into(),
        }
    }

    /// Returns the cause if variables name a port where no program listens, for an agent that has connected
    /// in another way.
    pub(super) async fn stale_variables(&self) -> Option<DiscoveryCause> {
        let port = self.here.variables.get(self.trace.agent.family.env.port?)?.parse().ok()?;
        let is_stale = !probe::listens("127.0.0.1", port).await;
        is_stale.then(|| DiscoveryCause::UnusedStaleVariables { names: self.variable_names(), port })
    }

    /// Returns the family's variables that are set, as arguments of `unset`.
    fn variable_names(&self) -> String {
        let env = &self.trace.agent.family.env;
        let all = [env.port, env.workspace_path, env.auth_token, env.pid, env.stdio_command, env.stdio_args];
        let set = all.into_iter().flatten().filter(|name| self.here.variables.contains_key(*name));
        set.collect::<Vec<_>>().join(" ")
    }

    /// Returns the taken file, if it is one that the agent prefers to every other.
    fn overriding_file(&self) -> Option<PathBuf> {
        self.trace.seen().filter(|seen| seen.why == Why::Override).map(|seen| seen.path.clone())
    }

    fn release(&self) -> Release {
        self.trace.release.unwrap_or(NEWEST)
    }
}

/// Returns the cause if a companion answers but has no file.
fn without_files(companion: &RunningCompanion) -> CompanionCause {
    match &companion.host {
        Some(host) if host.hidden => {
            let editor = host.editors.first().map_or("an editor", |editor| editor.display_name.as_str());
            CompanionCause::EditorGone { editor: editor.to_owned() }
        }
        Some(host) => CompanionCause::FilesGone { host: host.name.clone(), pid: host.status.pid },
        None => {
            let (name, port) = (companion.name.clone(), companion.port);
            CompanionCause::OtherProcess { name, port, any_since: None }
        }
    }
}

/// Returns the cause why the agent cannot use a file; `None` if the file only belongs to another companion.
fn unusable_file(seen: &ExaminedFile) -> Option<DiscoveryCause> {
    let path = seen.path.clone().into();
    let reason = seen.passed_over.as_ref()?;
    match reason {
        SkipReason::Unreadable(_) | SkipReason::NotAFile => {
            Some(DiscoveryCause::UnreadableFile { path, error: reason.to_string() })
        }
        SkipReason::Malformed(_) => Some(DiscoveryCause::MalformedFile { path, error: reason.to_string() }),
        SkipReason::NotOurs => Some(DiscoveryCause::IgnoredFileOfOtherUser { path }),
        SkipReason::EditorGone { pid } => Some(DiscoveryCause::DeadEditor { path, pid: *pid }),
        SkipReason::WorkspaceGone { .. } => Some(DiscoveryCause::MissingWorkspace { path }),
        SkipReason::OtherWorkspace { .. } | SkipReason::Neighbour { .. } => None,
    }
}

/// Whether a file belongs to the companion at this port, by its content or by its name.
fn is_of_port(seen: &ExaminedFile, port: u16) -> bool {
    let name = seen.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let is_in_name = numbers.next_back().and_then(|digits| digits.parse().ok()) == Some(port);
    is_in_name || seen.record.as_ref().is_some_and(|record| record.port == port)
}
