//! Everything that can be wrong. Each group of causes is one file, which holds the causes and their messages.

mod agent;
mod companion;
mod connection;
mod discovery;
mod hook;
mod installation;
mod lock;
mod turn_hook;

pub(super) use agent::AgentCause;
pub(super) use companion::CompanionCause;
pub(super) use connection::ConnectionCause;
pub(super) use discovery::DiscoveryCause;
pub(super) use hook::HookCause;
pub(super) use installation::InstallationCause;
pub(super) use lock::LockCause;
pub(super) use turn_hook::message as turn_hook_message;

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

impl From<LockCause> for Cause {
    fn from(cause: LockCause) -> Self {
        Self::Lock(cause)
    }
}

impl From<AgentCause> for Cause {
    fn from(cause: AgentCause) -> Self {
        Self::Agent(cause)
    }
}

impl From<DiscoveryCause> for Cause {
    fn from(cause: DiscoveryCause) -> Self {
        Self::Discovery(cause)
    }
}

impl From<CompanionCause> for Cause {
    fn from(cause: CompanionCause) -> Self {
        Self::Companion(cause)
    }
}

impl From<ConnectionCause> for Cause {
    fn from(cause: ConnectionCause) -> Self {
        Self::Connection(cause)
    }
}
