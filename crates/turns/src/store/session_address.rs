//! The session of an agent that gets or has read messages.

use serde::{Deserialize, Serialize};

use crate::store::hash::hash;

/// A session of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    /// The agent, for people.
    pub(crate) agent: String,
    /// The agent's name of its session.
    #[serde(default)]
    pub(crate) session: String,
}

impl Address {
    pub(crate) fn new(agent: &str, session: &str) -> Self {
        Self { agent: agent.to_owned(), session: session.to_owned() }
    }

    /// A hash for file names. The agent's name of a session could hold any character.
    pub(crate) fn key(&self) -> String {
        let Self { agent, session } = self;
        hash(format!("{agent}\0{session}").as_bytes())[..16].to_owned()
    }
}
