//! How agents find a companion: files that companions leave in well-known places, matched by process or by
//! directory, and variables in the terminal. This replays it for every family of the table, so that "why does
//! my agent not see my editor?" has an answer. It only looks: nothing is ever deleted or connected to.

mod dial;
mod file;
mod lookup;
mod process;
mod replay;
mod surroundings;
mod workspace;

use std::path::PathBuf;

use alongside_contract::behaviour::NEWEST;
use alongside_contract::discovery::Record;
use alongside_contract::family::{FAMILIES, Family};

pub use alongside_platform::process::{Process, is_alive, look_up};
pub use dial::{Attempt, NamedBy, To};
pub use lookup::Seen;
pub use process::editor_pid;
pub use replay::{End, Step, Trace, Verdict, in_container, replay};
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
    /// A file under the editor's PID and no port, which overrides all others, whatever workspace it names.
    /// Gemini CLI reads such files; no well-behaved companion writes one.
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
    /// It names no editor, and its workspace is not there as one path. Qwen Code deletes such files.
    #[error("it names no editor, and its workspace {workspace:?} is not there")]
    WorkspaceGone {
        /// The workspace it names.
        workspace: String,
    },
    /// It is read together with a file that cannot be read, which ends the search of older releases.
    #[error("a file beside it cannot be read: {}", path.display())]
    Neighbour {
        /// That file.
        path: PathBuf,
    },
}

/// The companions that the newest release of a family would try from here, in its order: [`replay`] without
/// its words. Files of other users are left out, though some agents believe them.
pub fn candidates(family: &'static Family, here: &Surroundings) -> Search {
    let mut search = Search::default();
    let port = here.port(family);
    let looker = lookup::Looker { family, release: NEWEST, here, port, pid: here.target_pid(family) };
    for Seen { path, why, record, is_ours, passed_over } in looker.look().files {
        match (record, passed_over) {
            (_, Some(reason)) => search.skipped.push(Skipped { path, reason }),
            (Some(_), None) if !is_ours => search.skipped.push(Skipped { path, reason: Reason::NotOurs }),
            (Some(record), None) => search.found.push(Found { record, path: Some(path), why }),
            (None, None) => {}
        }
    }
    search.found.extend(by_variables(family, here));
    search
}

fn by_variables(family: &Family, here: &Surroundings) -> Option<Found> {
    let variable = |name: Option<&str>| name.and_then(|name| here.variables.get(name)).cloned();
    let record = Record {
        port: here.port(family)?,
        workspace_path: variable(family.env.workspace_path)?,
        auth_token: variable(family.env.auth_token),
        ide_info: None,
        ppid: None,
        ide_name: None,
        stdio: None,
        writer: None,
    };
    let fits = holds(&record.workspace_path, &here.cwd);
    fits.then_some(Found { record, path: None, why: Why::Variables })
}

/// Every discovery record of every family in all places, whatever its workspace: one for each companion, in
/// the order of the table. Files of other users and files that are no records are left out.
pub fn all_records(here: &Surroundings) -> Vec<(PathBuf, Record)> {
    let mut records: Vec<(PathBuf, Record)> = Vec::new();
    for (path, record) in all_files(here) {
        if !records.iter().any(|(_, known)| known.is_same_companion(&record)) {
            records.push((path, record));
        }
    }
    records
}

/// The same with every file of each companion.
pub fn all_files(here: &Surroundings) -> Vec<(PathBuf, Record)> {
    let mut files: Vec<(PathBuf, Record)> = Vec::new();
    for row in FAMILIES.iter().flat_map(|family| family.files) {
        for path in file::names(row, here).unwrap_or_default() {
            let known = files.iter().any(|(known, _)| *known == path);
            if let Ok(record) = file::read(&path, file::Owners::OnlyUs)
                && !known
            {
                files.push((path, record));
            }
        }
    }
    files
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_by_release;
