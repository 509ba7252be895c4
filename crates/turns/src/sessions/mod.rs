//! The sessions of agents, according to the log of turns: which one is at work, which one a message is for,
//! when it reads a message, and in which process it runs.

pub(crate) mod agent_process;
pub(crate) mod open_turns;
pub(crate) mod read_moment;
pub(crate) mod recipient;
