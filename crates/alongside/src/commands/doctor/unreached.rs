//! Why an agent reaches nobody: from the step at which it fails, and from what is there all the same.

use std::path::{Path, PathBuf};

use alongside_agent::find::{End, NamedBy, Reason, Seen, Surroundings, To, Trace, Why};
use alongside_contract::behaviour::{CONTAINER_HOST, Hosts, NEWEST};
use alongside_contract::family::Directory;
use alongside_desk::harmless;
use alongside_platform::process;

use super::cause::Cause;
use super::examine::{Examiner, number};
use super::living::Lies;
use super::probe::{self, Answer};

impl Examiner<'_> {
    /// Why nothing is reached.
    pub(super) async fn why_not(&self, trace: &Trace, answers: &[Answer]) -> Vec<Cause> {
        match &trace.end {
            None => vec![self.no_answer(trace, answers).await],
            Some(End::NoIdeMode) => Vec::new(),
            Some(End::NoFolder { .. }) if overrides(trace).is_none() => {
                let info = trace.record().and_then(|record| record.ide_info.as_ref());
                let name =
                    info.map_or("the editor".into(), |info| harmless::name(&info.display_name).into_owned());
                vec![Cause::NoFolder { name }]
            }
            Some(End::OtherWorkspace { workspace, path }) if overrides(trace).is_none() => {
                self.of_another_workspace(trace, workspace, path.as_deref())
            }
            Some(End::UnknownEditor) if overrides(trace).is_none() => vec![self.unknown_editor(trace)],
            Some(End::NothingFound) => vec![self.nothing_found(trace)],
            Some(_) => overrides(trace).map(|path| Cause::OverridingFile { path }).into_iter().collect(),
        }
    }

    /// Where variables are to blame, a companion of this directory comes into its own without them; where
    /// there is none, that is the worse trouble.
    fn of_another_workspace(&self, trace: &Trace, workspace: &str, path: Option<&Path>) -> Vec<Cause> {
        let by_port = trace.seen().is_some_and(|seen| seen.why == Why::PortVariable);
        if path.is_some() && !by_port {
            return vec![self.nothing_found(trace)];
        }
        let misled = Cause::VariablesElsewhere { names: self.names(trace), workspace: workspace.to_owned() };
        match self.machine.here().next() {
            Some(_) => vec![misled],
            None => vec![self.nothing_found(trace), misled],
        }
    }

    fn unknown_editor(&self, trace: &Trace) -> Cause {
        let release = trace.release.unwrap_or(NEWEST);
        match trace.seen() {
            None => match self.hidden(trace) {
                Some(cause) => cause,
                None => Cause::VariablesAlone { names: self.names(trace) },
            },
            Some(_) if !trace.family.behaviour.reads_editor_name.hold(release) => {
                Cause::NeedsTerminal { needs: trace.family.behaviour.reads_editor_name.to_string() }
            }
            // Without a folder, or in another one, a name would not help either.
            Some(seen) if seen.passed_over.is_some() => self.nothing_found(trace),
            Some(seen) => Cause::NoEditorName { path: seen.path.clone() },
        }
    }

    /// No file fits. The companion may be there all the same.
    fn nothing_found(&self, trace: &Trace) -> Cause {
        if let Some(cause) = self.hidden(trace) {
            return cause;
        }
        let cwd = &self.here.cwd;
        let no_folder = trace.files.iter().filter_map(|seen| seen.record.as_ref()).find(|record| {
            record.workspace_path.is_empty()
                && self.machine.living.iter().any(|living| living.port == record.port)
        });
        if let Some(broken) = trace.files.iter().find_map(broken) {
            return broken;
        }
        if let Some(record) = no_folder {
            let name = record.ide_info.as_ref().map_or("the editor", |info| info.display_name.as_str());
            return Cause::NoFolder { name: harmless::name(name).into_owned() };
        }
        // A directory that discovery files cannot name: written anyhow, or left out by who knows better.
        let workspaces = trace.files.iter().filter_map(|seen| Some(&seen.record.as_ref()?.workspace_path));
        let joined = |workspace: &&String| cwd.starts_with(workspace.as_str()) && !workspace.is_empty();
        if let Some(root) = workspaces.clone().find(joined) {
            return Cause::Delimiter { root: root.into() };
        }
        let delimiter = alongside_contract::discovery::delimiter();
        if cwd.to_string_lossy().contains(delimiter) {
            return Cause::Delimiter { root: cwd.clone() };
        }
        let near = self.machine.living.iter().filter(|living| living.is_near());
        let roots: Vec<String> = near.flat_map(|living| living.roots.clone()).collect();
        let folded = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
        if let Some(root) = roots.iter().find(|root| folded(cwd).starts_with(folded(Path::new(root)))) {
            return Cause::CaseDiffers { root: root.into() };
        }
        if roots.is_empty() { Cause::NoCompanion } else { Cause::Elsewhere { roots } }
    }

    /// A companion that serves this directory and that this release does not see, and why it does not.
    fn hidden(&self, trace: &Trace) -> Option<Cause> {
        let release = trace.release.unwrap_or(NEWEST);
        let spoils = |seen: &Seen| match &seen.passed_over {
            Some(Reason::Neighbour { path }) => Some(path.clone()),
            _ => None,
        };
        if let Some(path) = trace.files.iter().find_map(spoils) {
            return Some(Cause::UnreadableFile {
                path,
                why: "older releases need to read every file there".into(),
            });
        }
        let living = self.machine.here().next()?;
        let its = trace.files.iter().filter(|seen| concerns(seen, living.port));
        for seen in its {
            let path = seen.path.clone();
            match seen.passed_over.as_ref() {
                Some(Reason::NotOurs) => return Some(Cause::OtherUser { path }),
                Some(Reason::EditorGone { pid }) => return Some(Cause::DeadEditor { path, pid: *pid }),
                Some(Reason::WorkspaceGone { .. }) => return Some(Cause::MissingWorkspace { path }),
                Some(Reason::Unreadable(_) | Reason::NotAFile | Reason::Malformed(_)) => return broken(seen),
                Some(Reason::OtherWorkspace { .. } | Reason::Neighbour { .. }) | None => {}
            }
        }
        let name = living.name.clone();
        Some(match self.machine.lies(living, trace.family, release) {
            Lies::Here => {
                let any = trace.family.behaviour.lookups.iter().rfind(|lookup| {
                    !lookup.releases.hold(release)
                        && lookup.releases.until.is_none()
                        && lookup.releases.from > release
                });
                let reads_any = any.map(|lookup| number(lookup.releases.from));
                Cause::OtherProcess { name, port: living.port, reads_any }
            }
            Lies::There(at, directory) => self.elsewhere(name, at, directory),
            Lies::Nowhere => match &living.host {
                Some(host) if host.hidden => {
                    let owner = host.owner.as_ref().map_or("an editor", |owner| owner.display_name.as_str());
                    Cause::Waiting { editor: harmless::name(owner).into_owned() }
                }
                Some(host) => Cause::FilesGone { host: host.name.clone(), pid: host.status.pid },
                None => Cause::OtherProcess { name, port: living.port, reads_any: None },
            },
        })
    }

    fn elsewhere(&self, name: String, at: usize, directory: Directory) -> Cause {
        let there = &self.machine.places[at];
        match directory {
            Directory::Tmp(_) => {
                Cause::OtherTmpdir { name, theirs: there.tmp.clone(), ours: self.here.tmp.clone() }
            }
            Directory::Home { base_variable: Some(variable), .. }
                if there.variables.get(variable) != self.here.variables.get(variable) =>
            {
                let base = |place: &Surroundings| place.variables.get(variable).map(PathBuf::from);
                Cause::OtherBase { name, variable, theirs: base(there), ours: base(self.here) }
            }
            Directory::Home { .. } => {
                Cause::OtherHome { name, theirs: there.home.clone(), ours: self.here.home.clone() }
            }
        }
    }

    /// Everything that is dialled fails. The first is what the agent believes in most.
    async fn no_answer(&self, trace: &Trace, answers: &[Answer]) -> Cause {
        let release = trace.release.unwrap_or(NEWEST);
        let (Some(attempt), Some(answer)) = (trace.attempts.first(), answers.first()) else {
            return self.nothing_found(trace);
        };
        let To::Http { host, port, proxy } = attempt.to else {
            return self.nothing_found(trace);
        };
        let path = trace.seen().map(|seen| seen.path.clone());
        match answer {
            Answer::Proxied => Cause::Proxy { variable: proxy.unwrap_or("HTTP_PROXY"), host },
            // A name that nobody resolves may also just take its time.
            Answer::Nobody | Answer::Silence
                if host == CONTAINER_HOST && probe::listens("127.0.0.1", port).await =>
            {
                let minds_variables = matches!(trace.family.behaviour.hosts(release), Hosts::UnlessSet(_));
                Cause::ContainerHost { host, port, minds_variables, is_carried: false }
            }
            Answer::Nobody => self.nobody(trace, &attempt.named_by, port),
            Answer::Refused if !trace.family.behaviour.sends_token.hold(release) => {
                Cause::SendsNoToken { needs: trace.family.behaviour.sends_token.to_string() }
            }
            Answer::Refused if attempt.token().is_none() => Cause::NoToken { path },
            Answer::Refused => Cause::WrongToken { path },
            Answer::Silence => Cause::Hangs { port },
            Answer::Stranger => Cause::Stranger { port, path },
            Answer::Other(said) => Cause::NotACompanion { port, said: said.clone() },
            Answer::Connected { .. } | Answer::Program => self.nothing_found(trace),
        }
    }

    /// Nobody listens at the port.
    fn nobody(&self, trace: &Trace, named_by: &NamedBy, port: u16) -> Cause {
        if let Some(path) = overrides(trace) {
            return Cause::OverridingFile { path };
        }
        let by_variable = trace.seen().is_none_or(|seen| seen.why == Why::PortVariable);
        let path = match named_by {
            NamedBy::File(path) | NamedBy::OtherFile(path) if !by_variable => path.clone(),
            _ => return Cause::StaleVariables { names: self.names(trace), port },
        };
        if let Some(living) = self.machine.here().next() {
            return Cause::StaleFileWins { path, living: living.port };
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let in_name = trace.family.behaviour.lookups.iter().find_map(|lookup| lookup.file.pid_in(name));
        let editor = trace.record().and_then(|record| record.ppid).or(in_name);
        match editor.filter(|pid| process::is_alive(*pid)) {
            Some(pid) => Cause::PortClosed { path, port, pid },
            None => Cause::StaleFile { path },
        }
    }

    /// Variables that name a port where nobody listens, though another way led to a companion.
    pub(super) async fn stale_variables(&self, trace: &Trace) -> Option<Cause> {
        let port = self.here.variables.get(trace.family.env.port)?.parse().ok()?;
        let is_stale = !probe::listens("127.0.0.1", port).await;
        is_stale.then(|| Cause::StaleVariablesBeside { names: self.names(trace), port })
    }

    /// The variables of the family that are set, as `unset` takes them.
    fn names(&self, trace: &Trace) -> String {
        let env = &trace.family.env;
        let all =
            [Some(env.port), env.workspace_path, env.auth_token, env.pid, env.stdio_command, env.stdio_args];
        let set = all.into_iter().flatten().filter(|name| self.here.variables.contains_key(*name));
        set.collect::<Vec<_>>().join(" ")
    }
}

/// The file that counts whatever it says, if it is the one that does.
fn overrides(trace: &Trace) -> Option<PathBuf> {
    trace.seen().filter(|seen| seen.why == Why::Override).map(|seen| seen.path.clone())
}

/// A file that is no record, or cannot be read.
fn broken(seen: &Seen) -> Option<Cause> {
    let path = seen.path.clone();
    match seen.passed_over.as_ref()? {
        Reason::Unreadable(_) | Reason::NotAFile => {
            let why = seen.passed_over.as_ref().map(ToString::to_string).unwrap_or_default();
            Some(Cause::UnreadableFile { path, why })
        }
        reason @ Reason::Malformed(_) => Some(Cause::MalformedFile { path, why: reason.to_string() }),
        Reason::NotOurs => Some(Cause::OtherUser { path }),
        Reason::EditorGone { pid } => Some(Cause::DeadEditor { path, pid: *pid }),
        Reason::WorkspaceGone { .. } => Some(Cause::MissingWorkspace { path }),
        Reason::OtherWorkspace { .. } | Reason::Neighbour { .. } => None,
    }
}

/// Whether a file is of the companion at this port, by what it says or by its name.
fn concerns(seen: &Seen, port: u16) -> bool {
    let name = seen.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut numbers = name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let in_name = numbers.next_back().and_then(|digits| digits.parse().ok()) == Some(port);
    in_name || seen.record.as_ref().is_some_and(|record| record.port == port)
}
