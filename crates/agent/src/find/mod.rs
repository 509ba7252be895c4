//! How agents find a companion: files that companions leave in well-known places, matched by process or by
//! directory, and variables in the terminal. This replays it for every family of the table, so that "why does my
//! agent not see my editor?" has an answer. It only looks: nothing is ever deleted or connected to.

mod file;
mod process;
mod surroundings;
mod workspace;

use std::path::PathBuf;

use alongside_contract::discovery::Record;
use alongside_contract::family::{Directory, DiscoveryFile, FAMILIES, Family, Fields};

pub use alongside_platform::process::{Process, is_alive, look_up};
pub use process::editor_pid;
pub use surroundings::Surroundings;
pub use workspace::holds;

/// What a search brought to light.
#[derive(Debug, Default)]
pub struct Search {
    /// Companions that the agent would try, in its order.
    pub found: Vec<Found>,
    /// Files it looked at and would not use, and why.
    pub skipped: Vec<Skipped>,
}

/// A companion that an agent would connect to.
#[derive(Debug, Clone)]
pub struct Found {
    /// How to connect.
    pub record: Record,
    /// The file that says so; none if variables alone do.
    pub path: Option<PathBuf>,
    /// What led to it.
    pub why: Why,
}

/// What led an agent to a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A file under the editor's PID and no port, which overrides all others, whatever workspace it names. Gemini CLI
    /// reads such files; no well-behaved companion writes one.
    Override,
    /// The file is named after the port variable.
    PortVariable,
    /// The file is named after what the agent takes for the editor's process.
    EditorPid,
    /// The file's workspace holds the current directory.
    Workspace,
    /// The variables name port and workspace; there is no file.
    Variables,
}

/// A file that was looked at and not used.
#[derive(Debug)]
pub struct Skipped {
    /// The file, or the directory that could not be listed.
    pub path: PathBuf,
    /// Why it was not used.
    pub reason: Reason,
}

/// Why a discovery file was not used.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// Agents believe only files of their own user.
    #[error("it belongs to another user")]
    NotOurs,
    /// It is a directory, a pipe, or too large to be a record.
    #[error("it is not a small regular file")]
    NotAFile,
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::Error),
    /// It is no record.
    #[error("it is not a discovery record: {0}")]
    Malformed(serde_json::Error),
    /// It is of a companion elsewhere.
    #[error("its workspace {workspace:?} does not hold the current directory")]
    OtherWorkspace {
        /// The workspace it names.
        workspace: String,
    },
    /// Its editor is gone. Qwen Code deletes such files.
    #[error("its editor, process {pid}, is gone or belongs to another user")]
    EditorGone {
        /// The process it names.
        pid: u32,
    },
}

/// The companions that the newest release of a family would try from here, in its order.
///
/// Files named after the port variable or the editor's PID come first, then those whose workspace holds the current
/// directory (by port variable, editor's PID, living process and larger PID where the name holds a PID, else newest
/// first), then what the variables alone say.
pub fn candidates(family: &'static Family, here: &Surroundings) -> Search {
    let mut search = Search::default();
    let looker = Looker { family, here, port: here.port(family), pid: here.target_pid(family) };
    let read =
        |file: &DiscoveryFile| {
            family.behaviour.lookups.iter().any(|lookup| {
                lookup.releases.hold(alongside_contract::behaviour::NEWEST) && lookup.file == *file
            })
        };
    for row in family.files.iter().filter(|row| read(row)) {
        looker.by_exact_name(row, &mut search);
    }
    for row in family.files.iter().filter(|row| read(row) && row.directory != Directory::Tmp("")) {
        looker.by_searching(row, &mut search);
    }
    search.found.extend(looker.by_variables());
    search
}

/// Every discovery record of every family in all places, whatever its workspace: one for each companion, in
/// the order of the table. Files of other users and files that are no records are left out.
pub fn all_records(here: &Surroundings) -> Vec<(PathBuf, Record)> {
    let mut records: Vec<(PathBuf, Record)> = Vec::new();
    for row in FAMILIES.iter().flat_map(|family| family.files) {
        let Ok(names) = file::names(row, here) else {
            continue;
        };
        for path in names {
            if let Ok(record) = file::read(&path)
                && !records.iter().any(|(_, known)| known.is_same_companion(&record))
            {
                records.push((path, record));
            }
        }
    }
    records
}

/// One agent's view while it searches.
struct Looker<'a> {
    family: &'static Family,
    here: &'a Surroundings,
    port: Option<u16>,
    pid: Option<u32>,
}

impl Looker<'_> {
    /// Names that the agent can spell without looking into the directory.
    fn by_exact_name(&self, row: &DiscoveryFile, search: &mut Search) {
        let directory = self.here.resolve(row.directory);
        match (row.names_pid(), row.names_port()) {
            (true, true) => {
                let Some(pid) = self.pid else { return };
                let name = row.name.replace("{pid}", &pid.to_string()).replace("-{port}", "");
                // No workspace check: the agent takes it, and fails if it is of another project.
                search.take(directory.join(name), Why::Override, |_| Ok(()));
            }
            (true, false) => {
                let Some(pid) = self.pid else { return };
                search
                    .take(directory.join(row.file_name(pid, 0)), Why::EditorPid, |record| self.fits(record));
            }
            (false, true) => {
                let Some(port) = self.port else { return };
                search.take(directory.join(row.file_name(0, port)), Why::PortVariable, |record| {
                    self.fits(record)
                });
            }
            (false, false) => {}
        }
    }

    /// Names that are found by listing a directory of the family's own.
    fn by_searching(&self, row: &DiscoveryFile, search: &mut Search) {
        let mut paths = match file::names(row, self.here) {
            Ok(paths) => paths,
            Err(skipped) => return search.skipped.extend(skipped),
        };
        let pid_of = |path: &PathBuf| row.pid_in(path.file_name()?.to_str()?);
        if row.names_pid() {
            paths.sort_by_cached_key(|path| {
                let pid = pid_of(path).unwrap_or_default();
                std::cmp::Reverse((Some(pid) == self.pid, is_alive(pid), pid))
            });
        } else {
            paths.sort_by_cached_key(|path| std::cmp::Reverse(file::modified(path)));
        }
        let mut hits = Search::default();
        for path in paths.into_iter().filter(|path| !search.has(path)) {
            let why =
                if row.names_pid() && pid_of(&path) == self.pid { Why::EditorPid } else { Why::Workspace };
            hits.take(path, why, |record| match (row.fields, record.ppid) {
                (Fields::WithParent, Some(pid)) if !alongside_platform::process::may_signal(pid) => {
                    Err(Reason::EditorGone { pid })
                }
                _ => self.fits(record),
            });
        }
        if row.names_pid() {
            // Stable: among the files of this directory, the port variable outranks everything else.
            hits.found.sort_by_key(|found| Some(found.record.port) != self.port);
        }
        search.found.append(&mut hits.found);
        search.skipped.append(&mut hits.skipped);
    }

    fn by_variables(&self) -> Option<Found> {
        let variable = |name: Option<&str>| name.and_then(|name| self.here.variables.get(name)).cloned();
        let record = Record {
            port: self.port?,
            workspace_path: variable(self.family.env.workspace_path)?,
            auth_token: variable(self.family.env.auth_token),
            ide_info: None,
            ppid: None,
            ide_name: None,
            stdio: None,
            writer: None,
        };
        self.fits(&record).is_ok().then_some(Found { record, path: None, why: Why::Variables })
    }

    fn fits(&self, record: &Record) -> Result<(), Reason> {
        if holds(&record.workspace_path, &self.here.cwd) {
            return Ok(());
        }
        Err(Reason::OtherWorkspace { workspace: record.workspace_path.clone() })
    }
}

impl Search {
    fn has(&self, path: &PathBuf) -> bool {
        self.found.iter().any(|found| found.path.as_ref() == Some(path))
            || self.skipped.iter().any(|skipped| skipped.path == *path)
    }

    fn take(&mut self, path: PathBuf, why: Why, fits: impl FnOnce(&Record) -> Result<(), Reason>) {
        match file::read(&path).and_then(|record| fits(&record).map(|()| record)) {
            Ok(record) => self.found.push(Found { record, path: Some(path), why }),
            Err(Reason::Unreadable(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(reason) => self.skipped.push(Skipped { path, reason }),
        }
    }
}

#[cfg(test)]
mod tests;
