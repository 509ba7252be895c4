//! The companion's status: its agents, the files they know about, and problems.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::context::Position;
use crate::error_text::without_error_codes;
use crate::rule_acceptance::Grant;

/// The state of the companion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The process the companion runs in.
    pub pid: u32,
    /// The workspace roots.
    pub roots: Vec<PathBuf>,
    /// Connected agents, in the order they came.
    pub agents: Vec<Agent>,
    /// The number of waiting reviews.
    pub reviews: usize,
    /// Whether agents get no reports of the person's files at present.
    pub paused: bool,
    /// Whether agents get no reviews here, by the settings: they ask in their own prompts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub context_only: bool,
    /// The number of desks that show reviews, this one among them.
    #[serde(default)]
    pub desks: usize,
    /// The names of the parties that keep the companion and its reviews when this desk leaves, for people:
    /// the other desks, or the parties without a screen if no desk stays. Absent if the companion does not
    /// know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_by: Option<Vec<String>>,
    /// The files that agents know about, the active one first; empty while paused.
    #[serde(default)]
    pub context: Vec<SharedFile>,
    /// The grants that the person has given agents at desks, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Grant>,
    /// Variables that lead agents in a terminal here. They hold the token: never show or log them.
    #[serde(default, skip_serializing_if = "Environment::is_empty")]
    pub environment: Environment,
}

impl Status {
    /// Whether reviews stay open when this desk leaves.
    pub fn outlives_desk(&self) -> bool {
        self.kept_by.as_ref().map_or(self.desks > 1, |kept_by| !kept_by.is_empty())
    }
}

/// Names and values of variables, which hold a token: their values show in no `Debug` form.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Environment(pub BTreeMap<String, String>);

impl Environment {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A file that agents know about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedFile {
    /// Absolute path: render it harmless before showing it.
    pub path: String,
    /// Whether the person is in this file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
    /// The cursor, if agents learn it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Position>,
    /// The number of selected characters, for people; not a unit of positions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub selected: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Returns the time of day, as [`Agent::since`] counts it: milliseconds since the Unix epoch.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A connected agent. Every string is as the agent gave it: render it harmless before showing it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// The number of the session, which is not the secret session id.
    pub number: u64,
    /// The family's name for people, or the name that the client gives itself.
    pub name: String,
    /// The version that the agent gave. Many agents give that of their client library.
    pub version: String,
    /// The time at which the agent connected, in milliseconds since the Unix epoch.
    pub since: u64,
    /// Whether the agent's stream is open, so that it receives outcomes at once. False after an interruption
    /// until the agent sends a request: it may show itself as disconnected until `/ide enable`.
    pub listening: bool,
    /// Whether the agent's own prompt stays open when no desk can decide any more. Such an end rejects
    /// nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_itself: bool,
    /// Whether the agent takes files for its prompt: see [`Request::MentionFile`](crate::Request).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_files: bool,
    /// Whether the agent's hook asked for the review: the agent has no session, and waits for the outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hook: bool,
}

/// A fault, its consequence, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The fault, with its path.
    pub what: String,
    /// The consequence and the remedy, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    /// Returns a problem with its remedy. The fault may quote an error of the system: people do not read its
    /// number.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::without_hint(what) }
    }

    /// Returns a problem without a remedy, or the end of one.
    pub fn without_hint(what: impl Into<String>) -> Self {
        Self { what: without_error_codes(&what.into()), hint: None }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n  {hint}"))
    }
}
