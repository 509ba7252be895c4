//! The reviews that wait when a person leaves a desk.

use crate::status::Agent;

/// How many reviews wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// All of them.
    pub all: usize,
    /// Those of hooks: their agents are refused where no desk has been open for a while.
    pub by_hook: usize,
}

impl<'a> FromIterator<&'a Agent> for Waiting {
    fn from_iter<T: IntoIterator<Item = &'a Agent>>(agents: T) -> Self {
        agents.into_iter().fold(Self::default(), |waiting, agent| Self {
            all: waiting.all + 1,
            by_hook: waiting.by_hook + usize::from(agent.by_hook),
        })
    }
}
