//! The result of a search: companions, and the files that were passed over, each with the reason.

use std::path::PathBuf;

use alongside_contract::discovery::Record;

/// The result of a search.
#[derive(Debug, Default)]
pub struct Search {
    /// The companions that the agent would try, in its order.
    pub found: Vec<Found>,
    /// The files that the agent examined and would not use, each with the reason.
    pub skipped: Vec<Skipped>,
}

/// A companion that an agent would connect to.
#[derive(Debug, Clone)]
pub struct Found {
    /// The data to connect with.
    pub record: Record,
    /// The file with the record. `None` if the record comes from variables alone.
    pub path: Option<PathBuf>,
    /// The reason why the agent uses it.
    pub why: Why,
}

/// The reason why an agent uses a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The file is named after the editor's PID without a port, and overrides all others, whatever its
    /// workspace is. Gemini CLI reads such files, but no companion should write any.
    Override,
    /// The file is named after the port variable.
    PortVariable,
    /// The file is named after the PID that the agent takes for the editor.
    EditorPid,
    /// The file's workspace holds the current directory.
    Workspace,
    /// The variables contain the port and the workspace. There is no file.
    Variables,
}

/// A file that was examined and not used.
#[derive(Debug)]
pub struct Skipped {
    /// The file, or the directory that could not be listed.
    pub path: PathBuf,
    /// The reason why it was not used.
    pub reason: SkipReason,
}

/// The reason why a discovery file was not used.
#[derive(Debug, thiserror::Error)]
pub enum SkipReason {
    /// The file belongs to another user, and agents accept only files of their own user.
    #[error("it belongs to another user")]
    NotOurs,
    /// It is a directory, a pipe, or too large to be a record.
    #[error("it is not a small regular file")]
    NotAFile,
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::Error),
    /// The file holds no record.
    #[error("it is not a discovery record: {0}")]
    Malformed(serde_json::Error),
    /// The companion serves another directory.
    #[error("its workspace {workspace:?} does not hold the current directory")]
    OtherWorkspace {
        /// The workspace in the record.
        workspace: String,
    },
    /// The editor has ended. Qwen Code deletes such files.
    #[error("its editor, process {pid}, is gone or belongs to another user")]
    EditorGone {
        /// The PID in the record.
        pid: u32,
    },
    /// The record has no editor, and its workspace is not a single existing path. Qwen Code deletes such
    /// files.
    #[error("it names no editor, and its workspace {workspace:?} is not there")]
    WorkspaceGone {
        /// The workspace in the record.
        workspace: String,
    },
    /// Older releases read the file together with a file that cannot be read, which ends their search.
    #[error("a file beside it cannot be read: {}", path.display())]
    Neighbour {
        /// The unreadable file.
        path: PathBuf,
    },
}
