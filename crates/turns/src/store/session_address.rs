//! The session of an agent that gets or has read messages.

use serde::{Deserialize, Serialize};

use crate::store::hash::hash;

/// A session of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    /// The display name of the agent.
    pub(crate) agent: String,
    /// The session's identifier, which the agent has chosen.
    #[serde(default)]
    pub(crate) session: String,
}

impl Address {
    pub(crate) fn new(agent: &str, session: &str) -> Self {
        Self { agent: agent.to_owned(), session: session.to_owned() }
    }

    /// Returns a hash for file names, because the identifier of a session may hold any character.
    pub(crate) fn key(&self) -> String {
        let Self { agent, session } = self;
        hash(format!("{agent}\0{session}").as_bytes())[..16].to_owned()
    }
}
