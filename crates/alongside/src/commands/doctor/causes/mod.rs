//! Everything that can be wrong between an agent and its companion. Each group of causes is one file, which
//! holds the causes and their messages.

mod agent;
mod companion;
mod connection;
mod discovery;
mod hook;
mod lock;

pub(super) use agent::AgentCause;
pub(super) use companion::CompanionCause;
pub(super) use connection::ConnectionCause;
pub(super) use discovery::DiscoveryCause;
pub(super) use hook::HookCause;
pub(super) use lock::LockCause;

use alongside_contract::agent::Agent;

use super::message::Message;

/// Why an agent does not find a companion, or not the right one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    Agent(AgentCause),
    Discovery(DiscoveryCause),
    Companion(CompanionCause),
    Connection(ConnectionCause),
    Lock(LockCause),
}

impl Cause {
    /// The cause as a message about this agent.
    pub(super) fn message(&self, agent: &Agent) -> Message {
        match self {
            Self::Agent(cause) => cause.message(agent),
            Self::Discovery(cause) => cause.message(agent),
            Self::Companion(cause) => cause.message(agent),
            Self::Connection(cause) => cause.message(agent),
            Self::Lock(cause) => cause.message(agent),
        }
    }
}

macro_rules! from {
    ($($group:ident($cause:ident)),*) => {
        $(impl From<$cause> for Cause {
            fn from(cause: $cause) -> Self {
                Self::$group(cause)
            }
        })*
    };
}

from!(
    Agent(AgentCause),
    Discovery(DiscoveryCause),
    Companion(CompanionCause),
    Connection(ConnectionCause),
    Lock(LockCause)
);
