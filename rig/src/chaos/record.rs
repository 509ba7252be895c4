//! The record of a round: the script's actions, the results of the agents' clients, and the files on disk at
//! the end. The oracle uses nothing that a companion logs or reports about itself.
//!
//! All times are milliseconds since the round began, on the harness's clock.

use std::path::PathBuf;

use super::tool_call::CallScript;
pub use alongside_desk::Word as FileWord;

/// The record of a round.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// Every `openDiff` call, in order.
    pub proposals: Vec<Proposal>,
    /// Every tool call that passed hooks, in order.
    pub calls: Vec<Call>,
    /// Every edit at a desk.
    pub edits: Vec<Edit>,
    /// Every decision at a desk.
    pub decisions: Vec<Decision>,
    /// Every last word that a desk has received, in order.
    pub last_words: Vec<ReportedWord>,
    /// The time spans in which desks received messages.
    pub presences: Vec<Presence>,
    /// The script's disturbances.
    pub troubles: Vec<Trouble>,
    /// The number of ports that a squatter took.
    pub squats: usize,
    /// A sentence for each valid token that a squatter received, without the token.
    pub leaks: Vec<String>,
    /// The number of steps that were not void.
    pub steps: usize,
    /// The results of turn hooks and turn reviews.
    pub turns: Turns,
    /// The files and processes that are left at the end.
    pub leftovers: Leftovers,
    /// The companions' logs and the state of connections, for finding the cause of a violation. The oracle
    /// does not read them.
    pub diagnostics: Vec<String>,
}

impl Record {
    /// Adds a trouble that has started, and returns its index.
    pub fn begin_trouble(&mut self, kind: TroubleKind, agent: Option<usize>, from: u64, until: u64) -> usize {
        push(&mut self.troubles, Trouble { kind, agent, from, until })
    }

    /// Adds a leak, unless it is in the record.
    pub fn add_leak(&mut self, port: u16) {
        let leak = format!("a squatter knows the token of the companion on port {port}");
        if !self.leaks.contains(&leak) {
            self.leaks.push(leak);
        }
    }
}

/// Appends an entry to a list of the record, and returns its index.
pub fn push<T>(list: &mut Vec<T>, entry: T) -> usize {
    list.push(entry);
    list.len() - 1
}

/// An `openDiff` call.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// The agent's number.
    pub agent: usize,
    /// The number of the agent's connection. A restarted agent has another number.
    pub connection: usize,
    /// The agent's release, where excuses depend on it.
    pub release: Option<&'static str>,
    /// The file.
    pub path: String,
    /// A line of the text that occurs in no other proposal of the round. Edits do not change it.
    pub marker: String,
    /// The proposed text.
    pub text: String,
    /// The time of the `openDiff` call.
    pub asked: u64,
    /// The response to `openDiff` with its time. Empty for clients that return only the outcome.
    pub shown: Option<(u64, Result<(), String>)>,
    /// The outcome that the client returned, with its time.
    pub outcome: Option<(u64, Outcome)>,
    /// The `closeDiff` call, if a person answered in the agent's own prompt.
    pub closed: Option<CloseCall>,
    /// The reason why the agent stopped waiting without an outcome, with the time.
    pub departed: Option<(u64, Departure)>,
}

impl Proposal {
    /// Whether `openDiff` itself failed.
    pub fn has_failed(&self) -> bool {
        matches!(self.shown, Some((_, Err(_))))
    }

    /// Whether the agent still waits for an outcome.
    pub fn is_waiting(&self) -> bool {
        let is_closed = self.closed.as_ref().is_some_and(|close| close.answered.is_some());
        self.outcome.is_none() && self.departed.is_none() && !is_closed && !self.has_failed()
    }
}

/// The outcome of a diff, as the agent received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The agent writes this text.
    Accepted(String),
    /// The agent writes nothing.
    Rejected,
}

/// A `closeDiff` call.
#[derive(Debug, Clone)]
pub struct CloseCall {
    /// The time of the call.
    pub asked: u64,
    /// The response with its time: the text, if there is one.
    pub answered: Option<(u64, Result<Option<String>, String>)>,
}

/// The reason why an agent stopped waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// The script ended the agent.
    Ended,
    /// The agent's client gave up on the companion, as shipped clients do 2.5 s after the loss of the stream.
    GaveUp,
}

/// A tool call that passes hooks.
#[derive(Debug, Clone)]
pub struct Call {
    /// The agent's number.
    pub agent: usize,
    /// The name of the agent and of its mode.
    pub player: &'static str,
    /// The path of the file, with links resolved.
    pub path: PathBuf,
    /// A line of the text that occurs in no other call of the round. Edits do not change it.
    pub marker: String,
    /// The text that the agent's model wants to write.
    pub text: String,
    /// The text of the file before the call; `None` without a file.
    pub before: Option<String>,
    /// The circumstances that the script chose.
    pub script: CallScript,
    /// Whether the agent refuses a change whose hook fails.
    pub refuses_without_hook: bool,
    /// The time of the call.
    pub asked: u64,
    /// Every run of alongside's hook, in order.
    pub runs: Vec<HookRun>,
    /// The result of the call by all its hooks, with its time.
    pub result: Option<(u64, CallResult)>,
    /// The time at which the script ended the call or the agent.
    pub departed: Option<u64>,
    /// The text that the agent wrote, whatever the result was.
    pub written: Option<String>,
}

impl Call {
    /// Whether the hooks allowed the tool to write.
    pub fn may_write(&self) -> bool {
        matches!(self.result, Some((_, CallResult::Writes(_))))
    }

    /// Whether the agent used the arguments of another hook in place of alongside's. No hook can prevent
    /// that.
    pub fn is_outvoted(&self) -> bool {
        self.script.other.is_some_and(|other| other.rewrites && other.has_last_word)
    }
}

/// A run of alongside's hook.
#[derive(Debug, Clone)]
pub struct HookRun {
    /// The agent's event.
    pub event: &'static str,
    /// The time of its start.
    pub began: u64,
    /// The time at which the hook ended, or the agent stopped waiting for it.
    pub ended: u64,
    /// The way in which it ended.
    pub end: HookEnd,
}

/// The end of a run of alongside's hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEnd {
    /// The hook refused the call, for this reason.
    Refused(String),
    /// The hook allowed the call.
    Allowed,
    /// The hook gave no answer.
    Silent,
    /// A signal ended the hook.
    Killed,
    /// The agent killed the hook after its patience.
    Late,
    /// The program of the hook did not exist.
    Missing,
    /// The hook failed by itself.
    Failed(String),
    /// The agent ended, or cancelled the call.
    Abandoned,
}

impl HookEnd {
    /// Whether the hook ended without an answer for a cause outside the hook.
    pub fn is_dead(&self) -> bool {
        matches!(self, Self::Killed | Self::Late | Self::Missing)
    }
}

/// The result of a tool call by all its hooks and the rules of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// The agent's tool writes this text.
    Writes(String),
    /// The tool does not run, for this reason.
    Refused(String),
    /// The tool runs and fails, because the file has changed.
    CannotWrite(String),
}

/// The companion's reply to a desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The companion accepted the request.
    Taken,
    /// The companion refused the request, with this message.
    Refused(String),
    /// No reply arrived: the companion may have accepted the request.
    Missing,
}

/// A person's edit.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The desk's number.
    pub desk: usize,
    /// The marker of the proposal.
    pub proposal: String,
    /// The typed line, which occurs nowhere else in the round.
    pub typed: String,
    /// The time of the request.
    pub asked: u64,
    /// The time of the reply.
    pub replied_at: u64,
    /// The reply.
    pub reply: Reply,
}

impl Edit {
    /// Sets the reply with its time.
    pub fn set_reply(&mut self, at: u64, reply: Reply) {
        (self.replied_at, self.reply) = (at, reply);
    }
}

/// A person's decision.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The desk's number.
    pub desk: usize,
    /// The marker of the proposal.
    pub proposal: String,
    /// The text that the desk shows.
    pub text: String,
    /// Whether the person accepted; otherwise they rejected.
    pub accept: bool,
    /// The time of the request.
    pub asked: u64,
    /// The time of the reply.
    pub replied_at: u64,
    /// The reply.
    pub reply: Reply,
}

impl Decision {
    /// Sets the reply with its time.
    pub fn set_reply(&mut self, at: u64, reply: Reply) {
        (self.replied_at, self.reply) = (at, reply);
    }
}

/// The last word of a review that a desk has received.
#[derive(Debug, Clone)]
pub struct ReportedWord {
    /// The desk's number.
    pub desk: usize,
    /// The marker of the proposal.
    pub proposal: String,
    /// The last word.
    pub word: FileWord,
    /// The latest time at which the desk had received everything, before this word.
    pub since: u64,
    /// The time at which the desk received this word.
    pub at: u64,
}

/// A time span in which a desk receives all messages.
#[derive(Debug, Clone, Copy)]
pub struct Presence {
    /// The desk's number.
    pub desk: usize,
    /// The time at which the desk joined.
    pub from: u64,
    /// The time at which the desk left; the largest number if it never did.
    pub until: u64,
}

/// A disturbance by the script, with its time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trouble {
    /// The kind of the disturbance.
    pub kind: TroubleKind,
    /// The agent that is disturbed, or whose connection is; `None` for all agents.
    pub agent: Option<usize>,
    /// The time of its start.
    pub from: u64,
    /// The time of its end: the companion is back, the frozen process runs, or the held connection is
    /// released.
    pub until: u64,
}

/// The results of turn hooks and turn reviews.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// Every run of a turn hook.
    pub hooks: Vec<TurnHook>,
    /// Every comment that the companion has confirmed to a desk.
    pub comments: Vec<KeptComment>,
    /// The number of lists of changed files that desks received.
    pub lists: usize,
    /// The files that had changed since the baseline and were missing in a list.
    pub escaped: Vec<String>,
    /// The files with a text that the round does not explain.
    pub files: Vec<TurnFile>,
}

/// A run of a turn hook.
#[derive(Debug, Clone)]
pub struct TurnHook {
    /// Whether it ran at a prompt; otherwise at the end of a turn.
    pub is_prompt: bool,
    /// Its exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its duration in milliseconds.
    pub took: u64,
}

/// A comment on a turn that the companion has confirmed.
#[derive(Debug, Clone)]
pub struct KeptComment {
    /// Its text, which occurs nowhere else in the round.
    pub text: String,
    /// The outputs of turn hooks that delivered the comment to an agent.
    pub deliveries: Vec<String>,
    /// Whether the program lists the comment as waiting at the end.
    pub is_waiting: bool,
}

/// A project file with a text that the round does not explain.
#[derive(Debug, Clone)]
pub struct TurnFile {
    /// Its path.
    pub path: String,
    /// The texts that the file may have.
    pub possible: Vec<String>,
    /// The text of the file; `None` if the file is missing or is not text.
    pub found: Option<String>,
}

/// A kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TroubleKind {
    /// The companion was killed.
    Killed,
    /// The companion ended for a successor.
    HandedOver,
    /// The companion was stopped properly, and another one started.
    Stopped,
    /// The companion had no editor any more.
    EditorGone,
    /// The companion was frozen.
    Frozen,
    /// An agent was frozen.
    AgentFrozen,
    /// A connection was cut or held.
    Link,
    /// A cleaner deleted files in the temporary directory.
    Cleaned,
    /// A squatter took the ports that no process held.
    Squatted,
    /// Other programs filled the disk.
    DiskFull,
    /// A hook was killed.
    HookKilled,
    /// A hook was frozen.
    HookFrozen,
    /// There was no desk, or no desk held the port of the ended companion: hooks found no host.
    Unserved,
}

impl TroubleKind {
    /// Whether this kind of trouble ends open reviews without a person's decision.
    pub fn ends_reviews(self) -> bool {
        matches!(self, Self::Killed | Self::HandedOver | Self::Stopped | Self::EditorGone)
    }
}

/// The files and processes that are left at the end of a round.
#[derive(Debug, Clone, Default)]
pub struct Leftovers {
    /// The text of each draft.
    pub drafts: Vec<String>,
    /// The project files that agents proposed for.
    pub targets: Vec<Target>,
    /// Everything that must not be left: discovery files, journals, sockets, temporary files, processes.
    pub strays: Vec<String>,
}

/// A file of the project.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its path.
    pub path: PathBuf,
    /// The texts that the script and the agents wrote, each with its time.
    pub writes: Vec<(u64, String)>,
    /// Its content at the end; `None` if the file is missing or is not text.
    pub found: Option<String>,
}
