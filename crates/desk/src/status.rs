//! What a desk shows around the reviews: who is connected, where, and what is wrong.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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
    /// How many reviews wait.
    pub reviews: usize,
    /// Whether agents are told nothing about the person's files just now.
    pub paused: bool,
}

/// A connected agent. Every string is as the agent gave it: render it harmless before showing it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Tells sessions apart; not the secret session id.
    pub number: u64,
    /// The family's name for people, or what the client calls itself.
    pub name: String,
    /// The version it gave; many agents give their client library's.
    pub version: String,
    /// When it connected, in milliseconds since the Unix epoch.
    pub since: u64,
    /// Whether its stream is open: it hears outcomes at once.
    pub listening: bool,
}

/// Something that is wrong, what follows from it, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// What is wrong, and with which path.
    pub what: String,
    /// What follows from it and what to do, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n  {hint}"))
    }
}
