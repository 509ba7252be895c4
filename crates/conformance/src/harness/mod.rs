//! The surroundings of a check: the shared state of a run, and the steps that several checks take.

pub(crate) mod case;
pub(crate) mod connect;
pub(crate) mod diff_calls;
pub(crate) mod fixture;
pub(crate) mod received_outcomes;
pub(crate) mod scenes;
pub(crate) mod unanswered_diffs;
