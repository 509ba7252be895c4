//! The plan of a round: a list of timed steps, made from a seed alone. Steps name parties by number and do
//! not refer to each other, so that minimising can drop any of them.

use serde::{Deserialize, Serialize};

use super::tool_call::CallScript;

/// A round. All agents, all desks and the companion are present from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The seed that the plan was made from.
    pub seed: u64,
    /// Number of agents.
    pub agents: usize,
    /// Number of desks.
    pub desks: usize,
    /// Number of project files; all agents propose for all of them.
    pub files: usize,
    /// Whether some agents write something else than was decided. Harnesses with real clients ignore it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unruly: bool,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One timed action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When: milliseconds since the round began.
    pub at: u64,
    /// Event-loop turns that every party takes between the previous step and this one when both have the same
    /// time. Harnesses on a real clock ignore it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turns: u8,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

fn is_zero(turns: &u8) -> bool {
    *turns == 0
}

/// The possible actions. Fields name parties by number, from 0; times are milliseconds.
#[allow(missing_docs, reason = "the enum's comment explains all fields")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Action {
    /// An idle agent calls `openDiff`.
    Propose { agent: usize, file: usize },
    /// A person types a line in review number `pick` (modulo the number of reviews) at a desk.
    Edit { desk: usize, pick: usize },
    /// A person decides on that review, as the desk shows it.
    Decide { desk: usize, pick: usize, accept: bool },
    /// A person answers a waiting agent in its own prompt, so that it calls `closeDiff`.
    Answer { agent: usize },
    /// An agent ends: with a DELETE if `says_so`, else killed.
    EndAgent { agent: usize, says_so: bool },
    /// An agent that ended, or lost its stream, connects anew.
    StartAgent { agent: usize },
    /// A desk leaves: properly if `says_so`, else killed.
    LeaveDesk { desk: usize, says_so: bool },
    /// A desk that left joins again.
    JoinDesk { desk: usize },
    /// The person opens a file, which changes the agents' context.
    Look { desk: usize, file: usize },
    /// Another program writes a project file.
    Rewrite { file: usize },
    /// The companion is killed; a desk restarts it after `back`.
    Kill { back: u64 },
    /// The companion stops properly; another one starts after `back`.
    Stop { back: u64 },
    /// The companion ends for a successor, which starts after `back`.
    HandOver { back: u64 },
    /// The editor ends; another one takes the companion over after `back`.
    Hide { back: u64 },
    /// The companion freezes.
    Freeze { ms: u64 },
    /// An agent freezes.
    FreezeAgent { agent: usize, ms: u64 },
    /// A desk freezes.
    FreezeDesk { desk: usize, ms: u64 },
    /// All connections of one agent are reset, or of all agents.
    Cut { agent: Option<usize> },
    /// The next request of this kind is cut after so many bytes of the request (`up`) or of its answer.
    CutAfter { agent: usize, stream: bool, up: bool, bytes: usize },
    /// Nothing passes between an agent and the companion for `ms`; then all of it does.
    Hold { agent: usize, ms: u64 },
    /// As `Hold`, but the connections are reset at the end.
    Stall { agent: usize, ms: u64 },
    /// A cleaner deletes the files of the temporary directory.
    Clean,
    /// Another program takes every companion port that nobody holds.
    Squat { ms: u64 },
    /// Other programs fill the disk that holds our state. Void on a harness without a
    /// [small disk](super::small_disk).
    FillDisk { ms: u64 },
    /// An idle agent calls a tool that writes a file, and runs its hooks before. This action and the next
    /// three are void on the harnesses without hooks.
    Call { agent: usize, file: usize, call: CallScript },
    /// The hook that an agent waits for is killed.
    KillHook { agent: usize },
    /// That hook freezes.
    FreezeHook { agent: usize, ms: u64 },
    /// A person drops the last change of review number `pick`, unless it is the one that names the proposal.
    Drop { desk: usize, pick: usize },
    /// An agent with hooks of turns, and another one `beside` it, work on files. Their hooks at the prompt
    /// and at the end may be killed after some milliseconds. This action and the next one are void on the
    /// harnesses without turns.
    Turn { agent: usize, file: usize, beside: bool, kill_prompt: Option<u64>, kill_end: Option<u64> },
    /// A person opens a desk, comments, marks a file to be undone, and finishes.
    ReviewTurn { file: usize, undo: bool, send: bool, end: ReviewEnd, after: u64 },
}

/// The end of a review of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReviewEnd {
    /// The person finishes.
    Properly,
    /// The host is killed after the wish to finish.
    HostKilled,
    /// The host is killed after a comment.
    HostKilledWithComment,
    /// The desk is killed after the wish to finish.
    DeskKilled,
    /// The desk is killed after a comment.
    DeskKilledWithComment,
}
