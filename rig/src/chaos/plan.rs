//! The plan of a round: a list of timed steps. Steps name agents, desks and files by number and do not refer
//! to each other, so that minimising can drop any of them.

use serde::{Deserialize, Serialize};

use super::tool_call::CallScript;

/// The plan of a round. All agents, all desks and the companion are present from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The seed that the plan was made from.
    pub seed: u64,
    /// The number of agents.
    pub agents: usize,
    /// The number of desks.
    pub desks: usize,
    /// The number of project files; every agent proposes for every file.
    pub files: usize,
    /// Whether some agents write another text than the decided one. Harnesses with real clients ignore this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unruly: bool,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One timed action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The time since the round began, in milliseconds.
    pub at: u64,
    /// The turns of each event loop between the previous step and this one, if both have the same time.
    /// Harnesses on a real clock ignore this.
    #[serde(default, rename = "turns", skip_serializing_if = "is_zero")]
    pub loop_turns: u8,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

fn is_zero(loop_turns: &u8) -> bool {
    *loop_turns == 0
}

/// The possible actions. Fields name agents, desks and files by number, from 0; times are in milliseconds.
#[allow(missing_docs, reason = "the enum's comment explains all fields")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Action {
    /// An idle agent calls `openDiff`.
    Propose { agent: usize, file: usize },
    /// A person types a line in review number `pick` (modulo the number of reviews) at a desk.
    Edit { desk: usize, pick: usize },
    /// A person decides on review number `pick` of a desk, in its present revision.
    Decide { desk: usize, pick: usize, accept: bool },
    /// A person answers in the own prompt of an agent that waits, so that the agent calls `closeDiff`.
    Answer { agent: usize },
    /// An agent ends: if `says_so`, it sends a DELETE first; otherwise it is killed.
    EndAgent { agent: usize, says_so: bool },
    /// An agent that has ended, or has lost its stream, connects again.
    StartAgent { agent: usize },
    /// A desk leaves: properly if `says_so`; otherwise it is killed.
    LeaveDesk { desk: usize, says_so: bool },
    /// A desk that has left joins again.
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
    /// The next request of this kind is cut after so many bytes of the request (`up`) or of its response.
    CutAfter { agent: usize, stream: bool, up: bool, bytes: usize },
    /// All bytes between an agent and the companion are held back for `ms`, and then passed on.
    Hold { agent: usize, ms: u64 },
    /// All bytes between an agent and the companion are held back for `ms`, and then the connections are
    /// reset.
    Stall { agent: usize, ms: u64 },
    /// A cleaner deletes the files of the temporary directory.
    Clean,
    /// For `ms`, another program takes every port of a companion that no desk holds.
    Squat { ms: u64 },
    /// Other programs fill the disk with the companion's state for `ms`. Void on a harness without a
    /// [small disk](super::small_disk).
    FillDisk { ms: u64 },
    /// An idle agent runs its hooks, and then calls a tool that writes a file. This action and the next three
    /// are void on the harnesses without hooks.
    Call { agent: usize, file: usize, call: CallScript },
    /// The hook that an agent waits for is killed.
    KillHook { agent: usize },
    /// The hook that an agent waits for freezes.
    FreezeHook { agent: usize, ms: u64 },
    /// A person drops the last hunk of review number `pick`, unless it is the hunk that names the proposal.
    Drop { desk: usize, pick: usize },
    /// An agent with turn hooks works on a file; with `beside`, another agent works at the same time. The
    /// first agent's hook at the prompt, or at the end, is killed after so many milliseconds. This action and
    /// the next one are void on the harnesses without turns.
    Turn { agent: usize, file: usize, beside: bool, kill_prompt: Option<u64>, kill_end: Option<u64> },
    /// A person opens a desk, comments, and finishes the turn review; with `undo`, markers a file before.
    ReviewTurn { file: usize, undo: bool, send: bool, end: ReviewEnd, after: u64 },
}

/// The end of a turn review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReviewEnd {
    /// The person finishes.
    Properly,
    /// The host is killed after the request to finish.
    HostKilled,
    /// The host is killed after a comment.
    HostKilledWithComment,
    /// The desk is killed after the request to finish.
    DeskKilled,
    /// The desk is killed after a comment.
    DeskKilledWithComment,
}
