//! Where a release looks for records, in its order, and what it makes of each file there.

use std::path::PathBuf;

use alongside_contract::behaviour::{How, Lookup, Release};
use alongside_contract::discovery::Record;
use alongside_contract::family::{DiscoveryFile, Family, Fields};
use alongside_platform::process;

use super::agent_environment::Surroundings;
use super::record_files::{self, Owners};
use super::search_result::{Reason, Skipped, Why};
use super::trace::{Seen, Step, Verdict};
use super::workspace::holds;

/// The result of a lookup.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) files: Vec<Seen>,
    /// The one that counts.
    pub(super) taken: Option<usize>,
    pub(super) steps: Vec<Step>,
}

/// One agent's view while it looks.
pub(super) struct Looker<'a> {
    pub(super) family: &'a Family,
    pub(super) release: Release,
    pub(super) here: &'a Surroundings,
    /// That of the variable.
    pub(super) port: Option<u16>,
    /// The editor's.
    pub(super) pid: Option<u32>,
}

impl Looker<'_> {
    pub(super) fn look(&self) -> Looked {
        let mut looked = Looked::default();
        let behaviour = &self.family.behaviour;
        for lookup in behaviour.lookups.iter().filter(|lookup| lookup.releases.hold(self.release)) {
            if self.port.is_some() && lookup.without_port_variable.hold(self.release) {
                let why = format!("not looked at, for {} is set", self.family.env.port.unwrap_or_default());
                looked.step(self.place(&lookup.file), Verdict::PassedOver, why);
                continue;
            }
            match lookup.how {
                How::Spelled => self.spelled(lookup, &mut looked),
                How::ListedForPid | How::ListedForAnyPid | How::ListedByAge => {
                    self.listed(lookup, &mut looked);
                }
            }
        }
        looked
    }

    fn place(&self, file: &DiscoveryFile) -> String {
        self.here.resolve(file.directory).join(file.name).display().to_string()
    }

    /// A name that the agent can spell without looking into the directory.
    fn spelled(&self, lookup: &Lookup, looked: &mut Looked) {
        let file = &lookup.file;
        let (name, why) = if file.names_pid() {
            let Some(pid) = self.pid else { return };
            // A file that no companion may write, for it counts whatever is in it.
            let is_written = self
                .family
                .discovery_files()
                .iter()
                .any(|row| row.name == file.name && row.directory == file.directory);
            (file.file_name(pid, 0), if is_written { Why::EditorPid } else { Why::Override })
        } else {
            let Some(port) = self.port else { return };
            (file.file_name(0, port), Why::PortVariable)
        };
        let path = self.here.resolve(file.directory).join(name);
        if looked.has(&path) {
            return;
        }
        let mut seen = self.read(path, why);
        if matches!(&seen.passed_over, Some(Reason::Unreadable(error)) if is_absent(error)) {
            return looked.step(
                seen.path.display().to_string(),
                Verdict::PassedOver,
                "there is no such file",
            );
        }
        if !lookup.unchecked.hold(self.release) {
            self.must_fit(&mut seen);
        }
        looked.add(seen);
        looked.take_first();
    }

    /// Names that are found by listing a directory.
    fn listed(&self, lookup: &Lookup, looked: &mut Looked) {
        let mut paths = match record_files::names(&lookup.file, self.here) {
            Ok(paths) => paths,
            Err(skipped) => {
                let Some(Skipped { path, reason }) = skipped else {
                    let place = self.here.resolve(lookup.file.directory).display().to_string();
                    return looked.step(place, Verdict::PassedOver, "there is no such directory");
                };
                let seen = Seen {
                    path,
                    why: Why::Workspace,
                    record: None,
                    is_ours: true,
                    passed_over: Some(reason),
                };
                return looked.add(seen);
            }
        };
        let pid_of = |path: &PathBuf| lookup.file.pid_in(path.file_name()?.to_str()?);
        match lookup.how {
            How::ListedForPid => paths.retain(|path| pid_of(path).is_some() && pid_of(path) == self.pid),
            How::ListedForAnyPid => paths.sort_by_cached_key(|path| {
                let pid = pid_of(path).unwrap_or_default();
                std::cmp::Reverse((Some(pid) == self.pid, process::is_alive(pid), pid))
            }),
            _ => paths.sort_by_cached_key(|path| std::cmp::Reverse(record_files::modified(path))),
        }
        paths.retain(|path| !looked.has(path));
        if paths.is_empty() {
            let why = match lookup.how {
                How::ListedForPid => format!("no file of process {}", self.pid.unwrap_or_default()),
                _ => "no file".into(),
            };
            return looked.step(self.place(&lookup.file), Verdict::PassedOver, why);
        }
        let mut listed: Vec<Seen> = paths
            .into_iter()
            .map(|path| {
                let is_editors = pid_of(&path).is_some() && pid_of(&path) == self.pid;
                self.read(path, if is_editors { Why::EditorPid } else { Why::Workspace })
            })
            .collect();
        self.one_may_end_all(&mut listed);
        for seen in &mut listed {
            self.must_live(&lookup.file, seen);
            self.must_fit(seen);
        }
        if lookup.file.names_pid() {
            // Stable: among the files of one directory, the port variable outranks everything else.
            listed.sort_by_key(|seen| seen.passed_over.is_some() || seen.port() != self.port);
        }
        let first = looked.files.len();
        for seen in listed {
            looked.add(seen);
        }
        looked.take_first();
        if looked.taken.is_none() && self.family.behaviour.takes_misfit.hold(self.release) {
            looked.take_misfit(first, self.port);
        }
    }

    fn read(&self, path: PathBuf, why: Why) -> Seen {
        let owners = match self.family.behaviour.own_files_only.hold(self.release) {
            true => Owners::OnlyUs,
            false => Owners::Anybody,
        };
        let is_ours = record_files::is_ours(&path);
        match record_files::read(&path, owners) {
            Ok(record) => Seen { path, why, record: Some(record), is_ours, passed_over: None },
            Err(reason) => Seen { path, why, record: None, is_ours, passed_over: Some(reason) },
        }
    }

    /// Older releases read all files of a directory at once, and have none if one of them fails.
    fn one_may_end_all(&self, listed: &mut [Seen]) {
        if !self.family.behaviour.one_unreadable_ends.hold(self.release) {
            return;
        }
        let fails = |seen: &Seen| matches!(seen.passed_over, Some(Reason::Unreadable(_) | Reason::NotAFile));
        let Some(culprit) = listed.iter().find(|seen| fails(seen)).map(|seen| seen.path.clone()) else {
            return;
        };
        for seen in listed.iter_mut().filter(|seen| seen.passed_over.is_none()) {
            seen.passed_over = Some(Reason::Neighbour { path: culprit.clone() });
        }
    }

    /// A lock is deleted if its editor is gone; without an editor, if its workspace is.
    fn must_live(&self, file: &DiscoveryFile, seen: &mut Seen) {
        if file.fields != Fields::WithParent
            || file.names_pid()
            || !self.family.behaviour.needs_living_editor.hold(self.release)
        {
            return;
        }
        let Some(record) = seen.record.as_ref().filter(|_| seen.passed_over.is_none()) else { return };
        let workspace = &record.workspace_path;
        seen.passed_over = match record.ppid {
            Some(pid) if !process::may_signal(pid) => Some(Reason::EditorGone { pid }),
            None if !workspace.is_empty() && !std::path::Path::new(workspace).exists() => {
                Some(Reason::WorkspaceGone { workspace: workspace.clone() })
            }
            _ => None,
        };
    }

    fn must_fit(&self, seen: &mut Seen) {
        let Some(record) = seen.record.as_ref().filter(|_| seen.passed_over.is_none()) else { return };
        if !holds(&record.workspace_path, &self.here.cwd) {
            seen.passed_over = Some(Reason::OtherWorkspace { workspace: record.workspace_path.clone() });
        }
    }
}

impl Looked {
    fn has(&self, path: &PathBuf) -> bool {
        self.files.iter().any(|seen| seen.path == *path)
    }

    fn step(&mut self, what: impl Into<String>, verdict: Verdict, why: impl Into<String>) {
        self.steps.push(Step::new(what, verdict, why));
    }

    fn add(&mut self, seen: Seen) {
        let step = match (&seen.passed_over, &seen.record) {
            (Some(reason), _) => Step::new("", Verdict::PassedOver, reason.to_string()),
            (None, Some(record)) => Step::new("", Verdict::Good, in_words(record)),
            (None, None) => Step::new("", Verdict::PassedOver, "it holds no record"),
        };
        self.steps.push(Step { what: seen.path.display().to_string(), ..step });
        self.files.push(seen);
    }

    /// The first that is not passed over counts; it is said of the others that they would do.
    fn take_first(&mut self) {
        if self.taken.is_none() {
            self.taken = self.files.iter().position(|seen| seen.passed_over.is_none());
        }
    }

    /// A record of another workspace, which lets the agent say which directories would be right.
    fn take_misfit(&mut self, first: usize, port: Option<u16>) {
        let is_record = |seen: &&(usize, &Seen)| seen.1.record.is_some();
        let records: Vec<_> = self.files.iter().enumerate().skip(first).collect();
        let of_port =
            records.iter().filter(is_record).find(|(_, seen)| port.is_some() && seen.port() == port);
        self.taken = of_port.or_else(|| records.iter().find(is_record)).map(|(at, _)| *at);
    }
}

/// A record in words, without the token.
fn in_words(record: &Record) -> String {
    let token = if record.auth_token.is_some() { "a token" } else { "no token" };
    let editor = record.ide_info.as_ref().map(|info| format!(", editor {}", info.display_name));
    format!(
        "fits: port {}, {token}, workspace {}{}",
        record.port,
        record.workspace_path,
        editor.unwrap_or_default()
    )
}

fn is_absent(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}
