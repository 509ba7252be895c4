//! The log of a working tree's store, a line for each prompt, end, finish and undo. Trimming keeps it small.

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use alongside_desk::Author;
use alongside_platform::process;
use serde::{Deserialize, Serialize};

use crate::json_lines;

/// The reason of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    /// A person's prompt began a turn.
    Prompt,
    /// A turn has ended.
    End,
    /// A person has finished a turn review.
    Finish,
    /// A file is about to be undone.
    Undo,
    /// A newer version wrote it.
    #[serde(other)]
    Other,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    /// Its reason.
    pub(crate) kind: Kind,
    /// When the snapshot was begun, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
    /// For a finish: when the person finished. Its snapshot is that of the look before, which they saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<u64>,
    /// The agent, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) agent: String,
    /// The agent's name of its session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) session: String,
    /// The agent's name of the turn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) turn: String,
    /// Nobody is at the session, as far as the agent says so: a script has started it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_unattended: bool,
    /// For a prompt: the agent starts a hook at the end of the turn that wakes its session.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_woken: bool,
    /// The agent's process, as far as its hook can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<AgentProcess>,
    /// The snapshot: a tree of our repository; absent where it could not be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tree: Option<String>,
    /// The list of what the snapshot does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    /// The branch that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// Why there is no snapshot, or the reason of the line in other words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// The file that is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undone: Option<Undone>,
}

/// The start of a process moves with the clock of the system, as far as one that is kept right does, in
/// milliseconds.
const CLOCK_STEP_MS: u64 = 2000;

/// A process that is surely the same as long as both match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentProcess {
    pub(crate) pid: u32,
    /// When it was started, in milliseconds since the Unix epoch.
    pub(crate) started: u64,
}

impl AgentProcess {
    /// The program that runs this hook.
    pub(crate) fn here() -> Option<Self> {
        Self::of(process::caller()?)
    }

    /// The process of this number, if it runs.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Some(Self { pid, started: started(pid)? })
    }

    /// Whether it still runs.
    pub(crate) fn runs(&self) -> bool {
        started(self.pid).is_some_and(|started| started.abs_diff(self.started) <= CLOCK_STEP_MS)
    }
}

fn started(pid: u32) -> Option<u64> {
    let since = process::started(pid)?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// A file that is undone, as the log knows it beforehand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undone {
    /// Its path below the top, escaped.
    pub(crate) path: String,
    /// The hash of the content before; absent where there is no file.
    pub(crate) before: Option<String>,
    /// The path of the copy of that content.
    pub(crate) copy: Option<String>,
    /// The hash of the content afterwards; absent where there is no file.
    pub(crate) after: Option<String>,
    /// The permission bits before, if the undo changes them, or there is no file afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<u32>,
    /// An undo was taken back: the content afterwards is the one that the undo had taken.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) is_back: bool,
    /// Whose the change is that is undone, or comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<Author>,
}

impl Record {
    /// Whether the agent still runs, as far as that is known.
    pub(crate) fn may_go_on(&self) -> bool {
        self.process.as_ref().is_none_or(AgentProcess::runs)
    }

    /// A line of this kind, now.
    pub(crate) fn new(kind: Kind, at: u64) -> Self {
        let (agent, session, turn) = (String::new(), String::new(), String::new());
        let (tree, left, head, branch, why, undone) = (None, None, None, None, None, None);
        let (finished, is_unattended, is_woken, process) = (None, false, false, None);
        Self {
            kind,
            at,
            finished,
            agent,
            session,
            turn,
            is_unattended,
            is_woken,
            process,
            tree,
            left,
            head,
            branch,
            why,
            undone,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The log at a path.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Every line that can be read, oldest first. A half-written one is none.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub(crate) fn read(&self) -> io::Result<Vec<Record>> {
        json_lines::read(&self.path)
    }

    /// Adds a line, on the disk.
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
    fn a_half_written_line_and_unknown_kinds_hide_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let log = Log::at(directory.path().join("log"));
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
