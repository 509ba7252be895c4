//! The reviews that wait when a person leaves a desk.

use crate::status::Agent;

/// The numbers of waiting reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The number of all waiting reviews.
    pub all: usize,
    /// The number of reviews of hooks, whose agents are refused where no desk has been open for a while.
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
