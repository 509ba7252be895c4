//! The process of the agent that a message is for, if it still runs.

use std::path::Path;

use crate::fault::Fault;
use crate::log::AgentProcess;
use crate::open_turns::last_of;
use crate::places::Places;
use crate::route;
use crate::shelf::Shelf;
use crate::working_tree::WorkingTree;

/// An agent whose session is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningAgent {
    /// Its name, for people. Render it harmless before showing it.
    pub name: String,
    /// Its process, as its hook has told it.
    pub pid: u32,
}

/// The agent of the session that would get a message from the working tree around a directory. `None` if it
/// has ended, or its hook could not tell its process.
///
/// # Errors
/// When the log cannot be read.
pub fn running_agent(places: &Places, directory: &Path) -> Result<Option<RunningAgent>, Fault> {
    let Some(tree) = WorkingTree::around_or_at(directory, &places.homes()) else { return Ok(None) };
    let log = Shelf::of(places.state(), &tree.top).log().read()?;
    let Some(to) = route::address(&log) else { return Ok(None) };
    let process = last_of(&log, &to).and_then(|record| record.process).filter(AgentProcess::runs);
    Ok(process.map(|process| RunningAgent { name: to.agent, pid: process.pid }))
}
