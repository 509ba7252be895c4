//! The result of a search: companions, and files that were passed over with their reasons.

use std::path::PathBuf;

use alongside_contract::discovery::Record;

/// The result of a search.
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
    /// The reason why it was found.
    pub why: Why,
}

/// The reason why an agent goes by a file.
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
