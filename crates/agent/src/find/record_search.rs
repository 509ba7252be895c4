//! The places where a release looks for records, in its order, and what it does with each file there.

use std::path::PathBuf;

use alongside_contract::behaviour::{Lookup, NameSearch, Release};
use alongside_contract::discovery::Record;
use alongside_contract::family::{DiscoveryFile, Family, Fields};
use alongside_platform::process;

use super::agent_environment::Surroundings;
use super::record_files::{self, Owners};
use super::search_result::{SkipReason, Skipped, Why};
use super::trace::{ExaminedFile, Step, StepResult};
use super::workspace::holds;

/// The files of a search.
#[derive(Debug, Default)]
pub(super) struct SearchedFiles {
    pub(super) files: Vec<ExaminedFile>,
    /// The index in `files` of the file that the agent uses.
    pub(super) taken: Option<usize>,
    pub(super) steps: Vec<Step>,
}

/// A search by an agent.
pub(super) struct FileSearch<'a> {
    pub(super) family: &'a Family,
    pub(super) release: Release,
    pub(super) here: &'a Surroundings,
    /// The port in the port variable.
    pub(super) port: Option<u16>,
    /// The PID that the agent takes for the editor.
    pub(super) pid: Option<u32>,
}

impl FileSearch<'_> {
    pub(super) fn run(&self) -> SearchedFiles {
        let mut searched = SearchedFiles::default();
        let behaviour = &self.family.behaviour;
        for lookup in behaviour.lookups.iter().filter(|lookup| lookup.releases.hold(self.release)) {
            if self.port.is_some() && lookup.without_port_variable.hold(self.release) {
                let why = format!("not looked at, for {} is set", self.family.env.port.unwrap_or_default());
                searched.step(self.place(&lookup.file), StepResult::PassedOver, why);
                continue;
            }
            match lookup.name_search {
                NameSearch::Spelled => self.look_up_by_name(lookup, &mut searched),
                NameSearch::ListedForPid | NameSearch::ListedForAnyPid | NameSearch::ListedByAge => {
                    self.look_up_by_listing(lookup, &mut searched);
                }
            }
        }
        searched
    }

    fn place(&self, file: &DiscoveryFile) -> String {
        self.here.resolve(file.directory).join(file.name).display().to_string()
    }

    /// Looks up a name that the agent can build without listing a directory.
    fn look_up_by_name(&self, lookup: &Lookup, searched: &mut SearchedFiles) {
        let file = &lookup.file;
        let (name, why) = if file.names_pid() {
            let Some(pid) = self.pid else { return };
            // Gemini CLI also reads a file named only after the PID. No companion writes it, since it
            // overrides all others.
            let companions_write_it = self
                .family
                .discovery_files()
                .iter()
                .any(|row| row.name == file.name && row.directory == file.directory);
            (file.file_name(pid, 0), if companions_write_it { Why::EditorPid } else { Why::Override })
        } else {
            let Some(port) = self.port else { return };
            (file.file_name(0, port), Why::PortVariable)
        };
        let path = self.here.resolve(file.directory).join(name);
        if searched.has(&path) {
            return;
        }
        let mut seen = self.read(path, why);
        if matches!(&seen.passed_over, Some(SkipReason::Unreadable(error)) if is_absent(error)) {
            return searched.step(
                seen.path.display().to_string(),
                StepResult::PassedOver,
                "there is no such file",
            );
        }
        if !lookup.unchecked.hold(self.release) {
            self.pass_over_other_workspace(&mut seen);
        }
        searched.add(seen);
        searched.take_first();
    }

    /// Looks up the names that are found by listing a directory.
    fn look_up_by_listing(&self, lookup: &Lookup, searched: &mut SearchedFiles) {
        let mut paths = match record_files::names(&lookup.file, self.here) {
            Ok(paths) => paths,
            Err(skipped) => {
                let Some(Skipped { path, reason }) = skipped else {
                    let place = self.here.resolve(lookup.file.directory).display().to_string();
                    return searched.step(place, StepResult::PassedOver, "there is no such directory");
                };
                // The directory itself stands in for the files that could not be listed.
                let seen = ExaminedFile {
                    path,
                    why: Why::Workspace,
                    record: None,
                    is_ours: true,
                    passed_over: Some(reason),
                };
                return searched.add(seen);
            }
        };
        let pid_of = |path: &PathBuf| lookup.file.pid_in(path.file_name()?.to_str()?);
        match lookup.name_search {
            NameSearch::ListedForPid => {
                paths.retain(|path| pid_of(path).is_some() && pid_of(path) == self.pid);
            }
            NameSearch::ListedForAnyPid => paths.sort_by_cached_key(|path| {
                let pid = pid_of(path).unwrap_or_default();
                std::cmp::Reverse((Some(pid) == self.pid, process::is_alive(pid), pid))
            }),
            _ => paths.sort_by_cached_key(|path| std::cmp::Reverse(record_files::modified(path))),
        }
        paths.retain(|path| !searched.has(path));
        if paths.is_empty() {
            let why = match lookup.name_search {
                NameSearch::ListedForPid => format!("no file of process {}", self.pid.unwrap_or_default()),
                _ => "no file".into(),
            };
            return searched.step(self.place(&lookup.file), StepResult::PassedOver, why);
        }
        let mut listed: Vec<ExaminedFile> = paths
            .into_iter()
            .map(|path| {
                let is_editors = pid_of(&path).is_some() && pid_of(&path) == self.pid;
                self.read(path, if is_editors { Why::EditorPid } else { Why::Workspace })
            })
            .collect();
        self.pass_over_all_after_read_error(&mut listed);
        for seen in &mut listed {
            self.pass_over_if_editor_gone(&lookup.file, seen);
            self.pass_over_other_workspace(seen);
        }
        if lookup.file.names_pid() {
            // The sort is stable: among the files of a directory, the port variable takes precedence.
            listed.sort_by_key(|seen| seen.passed_over.is_some() || seen.port() != self.port);
        }
        let first = searched.files.len();
        for seen in listed {
            searched.add(seen);
        }
        searched.take_first();
        if searched.taken.is_none() && self.family.behaviour.takes_misfit.hold(self.release) {
            searched.take_misfit(first, self.port);
        }
    }

    fn read(&self, path: PathBuf, why: Why) -> ExaminedFile {
        let owners = match self.family.behaviour.own_files_only.hold(self.release) {
            true => Owners::OnlyUs,
            false => Owners::Anybody,
        };
        let is_ours = record_files::is_ours(&path);
        match record_files::read(&path, owners) {
            Ok(record) => ExaminedFile { path, why, record: Some(record), is_ours, passed_over: None },
            Err(reason) => ExaminedFile { path, why, record: None, is_ours, passed_over: Some(reason) },
        }
    }

    /// Passes over all files of a directory if one of them cannot be read: older releases read them all at
    /// once, and have none if one fails.
    fn pass_over_all_after_read_error(&self, listed: &mut [ExaminedFile]) {
        if !self.family.behaviour.one_unreadable_ends.hold(self.release) {
            return;
        }
        let fails = |seen: &ExaminedFile| {
            matches!(seen.passed_over, Some(SkipReason::Unreadable(_) | SkipReason::NotAFile))
        };
        let Some(unreadable) = listed.iter().find(|seen| fails(seen)).map(|seen| seen.path.clone()) else {
            return;
        };
        for seen in listed.iter_mut().filter(|seen| seen.passed_over.is_none()) {
            seen.passed_over = Some(SkipReason::Neighbour { path: unreadable.clone() });
        }
    }

    /// Passes over a lock whose editor has ended, which the agent deletes. Without an editor, the lock's
    /// workspace must exist.
    fn pass_over_if_editor_gone(&self, file: &DiscoveryFile, seen: &mut ExaminedFile) {
        if file.fields != Fields::WithParent
            || file.names_pid()
            || !self.family.behaviour.needs_living_editor.hold(self.release)
        {
            return;
        }
        let Some(record) = seen.record.as_ref().filter(|_| seen.passed_over.is_none()) else { return };
        let workspace = &record.workspace_path;
        seen.passed_over = match record.ppid {
            Some(pid) if !process::may_signal(pid) => Some(SkipReason::EditorGone { pid }),
            None if !workspace.is_empty() && !std::path::Path::new(workspace).exists() => {
                Some(SkipReason::WorkspaceGone { workspace: workspace.clone() })
            }
            _ => None,
        };
    }

    fn pass_over_other_workspace(&self, seen: &mut ExaminedFile) {
        let Some(record) = seen.record.as_ref().filter(|_| seen.passed_over.is_none()) else { return };
        if !holds(&record.workspace_path, &self.here.cwd) {
            seen.passed_over = Some(SkipReason::OtherWorkspace { workspace: record.workspace_path.clone() });
        }
    }
}

impl SearchedFiles {
    fn has(&self, path: &PathBuf) -> bool {
        self.files.iter().any(|seen| seen.path == *path)
    }

    fn step(&mut self, what: impl Into<String>, result: StepResult, why: impl Into<String>) {
        self.steps.push(Step::new(what, result, why));
    }

    fn add(&mut self, seen: ExaminedFile) {
        let step = match (&seen.passed_over, &seen.record) {
            (Some(reason), _) => Step::new("", StepResult::PassedOver, reason.to_string()),
            (None, Some(record)) => Step::new("", StepResult::Good, in_words(record)),
            (None, None) => Step::new("", StepResult::PassedOver, "it holds no record"),
        };
        self.steps.push(Step { what: seen.path.display().to_string(), ..step });
        self.files.push(seen);
    }

    /// Takes the first usable file. The trace still lists the other ones as usable.
    fn take_first(&mut self) {
        if self.taken.is_none() {
            self.taken = self.files.iter().position(|seen| seen.passed_over.is_none());
        }
    }

    /// Takes a record of another workspace, so that the agent can name that workspace in its error.
    fn take_misfit(&mut self, first: usize, port: Option<u16>) {
        let is_record = |seen: &&(usize, &ExaminedFile)| seen.1.record.is_some();
        let records: Vec<_> = self.files.iter().enumerate().skip(first).collect();
        let with_port =
            records.iter().filter(is_record).find(|(_, seen)| port.is_some() && seen.port() == port);
        self.taken = with_port.or_else(|| records.iter().find(is_record)).map(|(at, _)| *at);
    }
}

/// Describes a record that the agent uses, without its token. Some lookups ignore the workspace.
fn in_words(record: &Record) -> String {
    let token = if record.auth_token.is_some() { "a token" } else { "no token" };
    let editor = record.ide_info.as_ref().map(|info| format!(", editor {}", info.display_name));
    format!(
        "usable: port {}, {token}, workspace {}{}",
        record.port,
        record.workspace_path,
        editor.unwrap_or_default()
    )
}

fn is_absent(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}
