//! The log of a working tree's store: a line for each prompt, each end of a turn, each finish of a review,
//! and each undo. Trimming removes old lines.

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use alongside_desk::Author;
use alongside_platform::process;
use serde::{Deserialize, Serialize};

use crate::store::json_lines;
use crate::store::session_address::Address;

/// The event that a line records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    /// A person's prompt began a turn.
    Prompt,
    /// A turn has ended.
    End,
    /// A person has finished a turn review.
    Finish,
    /// The undo of a file is about to be carried out.
    Undo,
    /// An event of a newer version.
    #[default]
    #[serde(other)]
    Other,
}

/// A line of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    /// The event.
    pub(crate) kind: Kind,
    /// The time at which the snapshot was begun, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
    /// For a finish, the time at which the person finished. `at` is then the time of the look that they saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<u64>,
    /// The display name of the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) agent: String,
    /// The session's identifier, which the agent has chosen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) session: String,
    /// The turn's identifier, which the agent has chosen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) turn: String,
    /// Whether the agent reports that a script has started the session, so that no person is at it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_unattended: bool,
    /// For a prompt: whether the agent starts a hook at the end of the turn that can wake its session.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_woken: bool,
    /// The agent's process, if the hook could determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<AgentProcess>,
    /// The snapshot: a tree of our repository; absent if no snapshot could be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tree: Option<String>,
    /// The name of the list of files that the snapshot does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// The reason why there is no snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// The undo that the line announces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undone: Option<Undone>,
}

/// The largest difference between two readings of the start of a process, in milliseconds: the system
/// computes the start from its clock, which small corrections move.
const MAX_START_DIFFERENCE_MS: u64 = 2000;

/// A process. The time of its start distinguishes it from later processes with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentProcess {
    pub(crate) pid: u32,
    /// The time of its start, in milliseconds since the Unix epoch.
    pub(crate) started: u64,
}

impl AgentProcess {
    /// Returns the agent that has started the calling hook.
    pub(crate) fn here() -> Option<Self> {
        Self::of(process::caller()?)
    }

    /// Returns the process with this id; `None` if there is none.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Some(Self { pid, started: started(pid)? })
    }

    /// Whether this process still runs.
    pub(crate) fn runs(&self) -> bool {
        started(self.pid).is_some_and(|started| started.abs_diff(self.started) <= MAX_START_DIFFERENCE_MS)
    }
}

fn started(pid: u32) -> Option<u64> {
    let since = process::started(pid)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// The undo of a file, which is written into the log before the file is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undone {
    /// The path of the file below the top, escaped.
    pub(crate) path: String,
    /// The hash of the content before; absent where there is no file.
    pub(crate) before: Option<String>,
    /// The path of the copy of the content before.
    pub(crate) copy: Option<String>,
    /// The hash of the content afterwards; absent where there is no file.
    pub(crate) after: Option<String>,
    /// The permission bits before, if the undo changes them, or there is no file afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<u32>,
    /// Whether this takes an undo back. The content afterwards is then the content that the undo had removed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_back: bool,
    /// The author of the change that is undone or restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<Author>,
}

impl Record {
    pub(crate) fn address(&self) -> Address {
        Address::new(&self.agent, &self.session)
    }

    /// Whether the line belongs to this session.
    pub(crate) fn is_of(&self, session: &Address) -> bool {
        self.agent == session.agent && self.session == session.session
    }

    /// Whether the line is the beginning or the end of a turn.
    pub(crate) fn is_of_turn(&self) -> bool {
        matches!(self.kind, Kind::Prompt | Kind::End)
    }

    /// Whether the agent may still run: its process runs, or is not known.
    pub(crate) fn may_go_on(&self) -> bool {
        self.process.as_ref().is_none_or(AgentProcess::runs)
    }

    /// Creates a line of this kind and time without further content.
    pub(crate) fn new(kind: Kind, at: u64) -> Self {
        Self { kind, at, ..Self::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The log at a path.
#[derive(Debug, Clone)]
pub(crate) struct TurnLog {
    path: PathBuf,
}

impl TurnLog {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Reads every complete line, oldest first.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub(crate) fn read(&self) -> io::Result<Vec<Record>> {
        json_lines::read(&self.path)
    }

    /// Appends a line, which is on the disk when this function returns.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn append(&self, record: &Record) -> io::Result<()> {
        json_lines::append(&self.path, [record])
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use alongside_platform::private::open_for_appending;

    use super::*;

    #[test]
    fn a_half_written_line_and_unknown_kinds_hide_no_other_line() {
        let directory = tempfile::tempdir().unwrap();
        let log = TurnLog::at(directory.path().join("log"));
        assert_eq!(log.read().unwrap(), []);
        let first = Record { tree: Some("a".into()), ..Record::new(Kind::Prompt, 1) };
        log.append(&first).unwrap();
        let half = b"{\"kind\":\"end\",\"at\":2";
        open_for_appending(&log.path).unwrap().write_all(half).unwrap();
        assert_eq!(log.read().unwrap(), std::slice::from_ref(&first));
        log.append(&Record::new(Kind::End, 3)).unwrap();
        open_for_appending(&log.path).unwrap().write_all(b"{\"kind\":\"later\",\"at\":4}\n").unwrap();
        let read = log.read().unwrap();
        assert_eq!(read, [first, Record::new(Kind::End, 3), Record::new(Kind::Other, 4)]);
    }
}
