//! The record of a round: what the script did, what the agents' clients returned, and what lay on disk at the
//! end. It never holds what a companion logs or says of itself.
//!
//! All times are milliseconds since the round began, on the harness's clock.

use std::path::PathBuf;

use super::tool_call::CallScript;
pub use alongside_desk::Word as FileWord;

/// A round.
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
    /// Every last word that a desk heard, in order.
    pub words: Vec<ToldWord>,
    /// When desks were there.
    pub attention: Vec<Attention>,
    /// The script's actions, and the parties they hit.
    pub troubles: Vec<Trouble>,
    /// Number of ports that a squatter took.
    pub squats: usize,
    /// Valid tokens that a squatter received: one sentence each, without the token.
    pub leaks: Vec<String>,
    /// Number of steps that were not void.
    pub steps: usize,
    /// All that was seen of turns.
    pub turns: Turns,
    /// The files that were left when everything had ended.
    pub leftovers: Leftovers,
    /// The companions' logs and the state of connections, for finding the cause of a violation. The oracle
    /// does not read them.
    pub diagnostics: Vec<String>,
}

impl Record {
    /// Notes the start of a trouble, and returns its index.
    pub fn begin_trouble(&mut self, kind: TroubleKind, agent: Option<usize>, from: u64, until: u64) -> usize {
        push(&mut self.troubles, Trouble { kind, agent, from, until })
    }

    /// Notes a leak once.
    pub fn note_leak(&mut self, port: u16) {
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
    /// The number of the agent's connection: an agent that ended and came back has another.
    pub connection: usize,
    /// The agent's release, where excuses depend on it.
    pub release: Option<&'static str>,
    /// The file.
    pub path: String,
    /// A line of the text that occurs in no other proposal of the round. Edits do not touch it.
    pub mark: String,
    /// The proposed text.
    pub text: String,
    /// When the agent called `openDiff`.
    pub asked: u64,
    /// When and how `openDiff` was answered. Clients that return only the outcome leave it empty.
    pub shown: Option<(u64, Result<(), String>)>,
    /// When and with which outcome the client returned.
    pub outcome: Option<(u64, Outcome)>,
    /// The `closeDiff` call, if a person answered in the agent's own prompt.
    pub closed: Option<CloseCall>,
    /// When and why the agent stopped waiting without an outcome.
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
    /// When the agent called it.
    pub asked: u64,
    /// When it was answered, and with which text, if any.
    pub answered: Option<(u64, Result<Option<String>, String>)>,
}

/// Why an agent waits no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// The script ended it.
    Ended,
    /// Its client gave up on the companion, as shipped ones do 2.5 s after the stream broke.
    GaveUp,
}

/// A tool call that passes hooks.
#[derive(Debug, Clone)]
pub struct Call {
    /// The agent's number.
    pub agent: usize,
    /// The agent and its mode.
    pub player: &'static str,
    /// The file, without links.
    pub path: PathBuf,
    /// A line of the text that occurs in no other call of the round. Edits do not touch it.
    pub mark: String,
    /// The text that the agent's model wants.
    pub text: String,
    /// The text of the file before.
    pub before: Option<String>,
    /// The script's part.
    pub script: CallScript,
    /// Whether the agent refuses a change whose hook fails.
    pub refuses_without_hook: bool,
    /// When the model called.
    pub asked: u64,
    /// Every run of our hook, in order.
    pub runs: Vec<HookRun>,
    /// When and how the hooks together decided.
    pub ruling: Option<(u64, Ruling)>,
    /// When the script ended the call or the agent.
    pub departed: Option<u64>,
    /// The text that the agent wrote, whatever the ruling.
    pub written: Option<String>,
}

impl Call {
    /// Whether another hook gave arguments that the agent took in place of ours: no program can prevent that.
    pub fn is_outvoted(&self) -> bool {
        self.script.other.is_some_and(|other| other.rewrites && other.has_last_word)
    }
}

/// A run of our hook.
#[derive(Debug, Clone)]
pub struct HookRun {
    /// The agent's event.
    pub event: &'static str,
    /// When it was started.
    pub began: u64,
    /// When it ended, or the agent gave it up.
    pub ended: u64,
    /// Its end.
    pub end: HookEnd,
}

/// The end of a run of our hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEnd {
    /// It refused, for this reason.
    Refused(String),
    /// It said yes.
    Allowed,
    /// It said nothing.
    Silent,
    /// A signal ended it.
    Killed,
    /// The agent waited no longer, and killed it.
    Late,
    /// Its program was not there.
    Missing,
    /// It failed by itself.
    Failed(String),
    /// Its agent was gone, or broke the call off.
    Abandoned,
}

impl HookEnd {
    /// Whether it ended without an answer, by no fault of its own.
    pub fn is_dead(&self) -> bool {
        matches!(self, Self::Killed | Self::Late | Self::Missing)
    }
}

/// The outcome of all hooks together, by the rules of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// The agent's tool writes this text.
    Writes(String),
    /// The tool does not run, for this reason.
    Refused(String),
    /// The tool runs, and cannot make the change: the file is not as it was.
    CannotWrite(String),
}

/// The companion's reply to a desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The companion took the request.
    Taken,
    /// The companion refused it, with this message.
    Refused(String),
    /// No reply came, so nobody knows whether the companion took it.
    Missing,
}

/// A person typed.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The desk's number.
    pub desk: usize,
    /// The mark of the proposal.
    pub proposal: String,
    /// The typed line, which occurs nowhere else in the round.
    pub typed: String,
    /// When the desk sent it.
    pub asked: u64,
    /// When the reply came, and which.
    pub answered: (u64, Reply),
}

/// A person decided.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The desk's number.
    pub desk: usize,
    /// The mark of the proposal.
    pub proposal: String,
    /// The text on the screen.
    pub text: String,
    /// Accept, or reject.
    pub accept: bool,
    /// When the desk sent it.
    pub asked: u64,
    /// When the reply came, and which.
    pub answered: (u64, Reply),
}

/// The last word of a review, as a desk heard it.
#[derive(Debug, Clone)]
pub struct ToldWord {
    /// The desk's number.
    pub desk: usize,
    /// The mark of the proposal.
    pub proposal: String,
    /// The word.
    pub word: FileWord,
    /// When the desk had heard everything before.
    pub since: u64,
    /// When the desk heard it.
    pub at: u64,
}

/// A span in which a desk was there: it hears all that is told then.
#[derive(Debug, Clone, Copy)]
pub struct Attention {
    /// The desk's number.
    pub desk: usize,
    /// When it joined.
    pub from: u64,
    /// When it left; the largest number for one that never did.
    pub until: u64,
}

/// Something that the script did to a party, and how long it lasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trouble {
    /// The script's action.
    pub kind: TroubleKind,
    /// The agent that it touches, or whose connection; `None` for all.
    pub agent: Option<usize>,
    /// When it began.
    pub from: u64,
    /// When it ended: the companion is back, the frozen process runs, the held connection passes or is cut.
    pub until: u64,
}

/// All that was seen of turns and their reviews.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// Every hook at a prompt or an end.
    pub hooks: Vec<TurnHook>,
    /// Every comment of which a desk was told that it is kept.
    pub comments: Vec<KeptComment>,
    /// Number of lists that were told.
    pub lists: usize,
    /// The files that had changed since the baseline, and that such a list did not have.
    pub escaped: Vec<String>,
    /// The files that held something else than they may.
    pub files: Vec<TurnFile>,
}

/// A hook at a prompt or an end of a turn.
#[derive(Debug, Clone)]
pub struct TurnHook {
    /// Whether it was a prompt.
    pub is_prompt: bool,
    /// Its exit code; `None` if it was killed.
    pub code: Option<i32>,
    /// Its output.
    pub said: String,
    /// Its error output.
    pub complained: String,
    /// Its time in milliseconds.
    pub took: u64,
}

/// A comment on a turn that was kept.
#[derive(Debug, Clone)]
pub struct KeptComment {
    /// Its text, which occurs nowhere else.
    pub text: String,
    /// The outputs of hooks that gave it to an agent.
    pub found: Vec<String>,
    /// Whether the program lists it at the end.
    pub waits: bool,
}

/// A project file that held something else than it may.
#[derive(Debug, Clone)]
pub struct TurnFile {
    /// Its path.
    pub path: String,
    /// The texts that it may have held.
    pub possible: Vec<String>,
    /// Its text; `None` if it was missing or no text.
    pub found: Option<String>,
}

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TroubleKind {
    /// The companion was killed.
    Killed,
    /// The companion ended for a successor.
    HandedOver,
    /// The companion was stopped properly, and another one started.
    Stopped,
    /// The editor was gone.
    Hidden,
    /// The companion was frozen.
    Frozen,
    /// An agent was frozen.
    AgentFrozen,
    /// A connection was cut or held.
    Link,
    /// A cleaner deleted files in the temporary directory.
    Cleaned,
    /// A squatter took the ports that nobody held.
    Squatted,
    /// Other programs filled the disk.
    DiskFull,
    /// A hook was killed.
    HookKilled,
    /// A hook was frozen.
    HookFrozen,
    /// No desk was there, or none held the port of the companion that had ended: hooks found nobody.
    Unserved,
}

impl TroubleKind {
    /// Whether it ends open reviews without a person's decision.
    pub fn ends_reviews(self) -> bool {
        matches!(self, Self::Killed | Self::HandedOver | Self::Stopped | Self::Hidden)
    }
}

/// The files that were left at the end.
#[derive(Debug, Clone, Default)]
pub struct Leftovers {
    /// The text of each draft.
    pub drafts: Vec<String>,
    /// The project files that agents proposed for.
    pub targets: Vec<Target>,
    /// Anything that must not be left: discovery files, journals, sockets, temporary files, processes.
    pub strays: Vec<String>,
}

/// A file of the project.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its path.
    pub path: PathBuf,
    /// The texts that the script and the agents wrote, and when.
    pub writes: Vec<(u64, String)>,
    /// Its content at the end; `None` if it is missing or no text.
    pub found: Option<String>,
}
