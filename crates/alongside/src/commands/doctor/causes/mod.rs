//! The faults between an agent and its companion. Each group of causes has a file with the causes and their
//! diagnoses.

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

use super::diagnosis::Diagnosis;

/// The reason why an agent finds no companion, or the wrong one, or proposes nothing to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    Agent(AgentCause),
    Discovery(DiscoveryCause),
    Companion(CompanionCause),
    Connection(ConnectionCause),
    Lock(LockCause),
}

impl Cause {
    /// Describes the cause for this agent.
    pub(super) fn diagnosis(&self, agent: &Agent) -> Diagnosis {
        match self {
            Self::Agent(cause) => cause.diagnosis(agent),
            Self::Discovery(cause) => cause.diagnosis(agent),
            Self::Companion(cause) => cause.diagnosis(agent),
            Self::Connection(cause) => cause.diagnosis(agent),
            Self::Lock(cause) => cause.diagnosis(agent),
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
