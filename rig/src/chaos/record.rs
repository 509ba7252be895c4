//! What happened in a round, as the script and the agents' clients saw it, and what lay on the disk at the
//! end. Never what a companion logs or says of itself.
//!
//! All times are milliseconds since the round began, on the stage's clock.

use std::path::PathBuf;

/// A round.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// Every `openDiff` that an agent called, in order.
    pub proposals: Vec<Proposal>,
    /// Everything that was typed at a desk.
    pub edits: Vec<Edit>,
    /// Every decision that was made at a desk.
    pub decisions: Vec<Decision>,
    /// What was done to whom.
    pub troubles: Vec<Trouble>,
    /// How many ports a squatter has had.
    pub squats: usize,
    /// Tokens of companions that a squatter had heard by then, each said once, in words without the token.
    pub leaks: Vec<String>,
    /// How many steps were not void.
    pub steps: usize,
    /// What lay on the disk when all had ended.
    pub left: Left,
    /// What companions logged and connections were in, for whoever looks for the cause of a broken rule. The
    /// oracle does not read it.
    pub aside: Vec<String>,
}

/// An `openDiff`.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// Which agent.
    pub agent: usize,
    /// Which of that agent's connections: an agent that ended and came back is another.
    pub life: usize,
    /// Its release, where excuses ask for that.
    pub release: Option<&'static str>,
    /// The file.
    pub path: String,
    /// Stands in its text and in no other proposal's of the round: a line of its own, so that edits leave it
    /// alone.
    pub mark: String,
    /// The proposed text.
    pub text: String,
    /// When `openDiff` was called.
    pub asked: u64,
    /// When it was answered, and how. A client that only returns the outcome says nothing here.
    pub shown: Option<(u64, Result<(), String>)>,
    /// What the agent's client returned in the end, and when.
    pub outcome: Option<(u64, Outcome)>,
    /// The agent answered it in its own prompt.
    pub closed: Option<Close>,
    /// The agent went away while it waited, or will hear nothing any more.
    pub gone: Option<(u64, Gone)>,
}

/// What an agent heard of its diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It shall write this text.
    Accepted(String),
    /// It shall not.
    Rejected,
}

/// A `closeDiff`.
#[derive(Debug, Clone)]
pub struct Close {
    /// When it was called.
    pub asked: u64,
    /// When it was answered, and how: with the text, if any.
    pub answered: Option<(u64, Result<Option<String>, String>)>,
}

/// Why an agent waits no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// The script ended it.
    Ended,
    /// Its client has given up on the companion, as shipped ones do 2.5 s after the stream broke.
    Deaf,
}

/// What a desk was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is taken.
    Taken,
    /// It is not; the words.
    Refused(String),
    /// Nothing was heard: nobody knows whether it was taken.
    Nothing,
}

/// A person typed.
#[derive(Debug, Clone)]
pub struct Edit {
    /// At which desk.
    pub desk: usize,
    /// The mark of the proposal.
    pub proposal: String,
    /// What was typed: a line that occurs nowhere else in the round.
    pub typed: String,
    /// When.
    pub asked: u64,
    /// When the desk was answered, and how.
    pub answered: (u64, Answer),
}

/// A person decided.
#[derive(Debug, Clone)]
pub struct Decision {
    /// At which desk.
    pub desk: usize,
    /// The mark of the proposal.
    pub proposal: String,
    /// The text on the screen.
    pub text: String,
    /// Accept, or reject.
    pub accept: bool,
    /// When.
    pub asked: u64,
    /// When the desk was answered, and how.
    pub answered: (u64, Answer),
}

/// Something was done to somebody, from then until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trouble {
    /// What.
    pub kind: Kind,
    /// To which agent, or to the connection of which one; `None` for all of them.
    pub agent: Option<usize>,
    /// When it began.
    pub from: u64,
    /// When it was over: the companion is back, what was frozen goes on, a connection that was held is cut or
    /// passes again.
    pub until: u64,
}

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
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
    /// A connection was cut, or bytes were kept from passing.
    Link,
    /// A cleaner took files in the temporary directory.
    Cleaned,
    /// Somebody took the ports that nobody held.
    Squatted,
    /// Others filled the disk.
    DiskFull,
}

/// What lay on the disk at the end.
#[derive(Debug, Clone, Default)]
pub struct Left {
    /// The drafts: each file's text.
    pub drafts: Vec<String>,
    /// Files that were to be proposed for: what was written into them, and what is there.
    pub targets: Vec<Target>,
    /// Whatever else must not be there: discovery files, journals, sockets, temporary files, processes.
    pub strays: Vec<String>,
}

/// A file of the project.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where.
    pub path: PathBuf,
    /// What the script and the agents wrote, and when.
    pub writes: Vec<(u64, String)>,
    /// What is there; `None` if it is not, or is no text.
    pub found: Option<String>,
}
