//! The names of files and agents for people.

use std::path::{Path, PathBuf};

use alongside_contract::agents::AGENTS;
use alongside_contract::hook::Hook;

use crate::harmless;
use crate::review::Review;
use crate::status::Agent;

/// Returns the file's name for people. It is relative to the outermost root that contains the file, so that a
/// file of a worktree differs from that of the project; after the root's name if there are several roots; and
/// with single separators, because some programs open `sftp://host` as a URL.
pub fn file_name(file: &str, roots: &[PathBuf]) -> String {
    let path = Path::new(file);
    let is_outermost = |root: &&PathBuf| roots.iter().all(|other| other == *root || !root.starts_with(other));
    let mut outermost: Vec<&PathBuf> = roots.iter().filter(is_outermost).collect();
    outermost.sort();
    outermost.dedup();
    let within = outermost.iter().find_map(|root| Some((*root, path.strip_prefix(root).ok()?)));
    let shown = match within.filter(|(_, rest)| !rest.as_os_str().is_empty()) {
        Some((_, rest)) if outermost.len() == 1 => rest.to_owned(),
        Some((root, rest)) => {
            let is_namesake = |other: &&&PathBuf| other.file_name() == root.file_name();
            match (root.file_name(), outermost.iter().filter(is_namesake).count()) {
                (Some(name), 1) => Path::new(name).join(rest),
                _ => path.to_owned(),
            }
        }
        None => path.to_owned(),
    };
    harmless::path(&shown.components().collect::<PathBuf>())
}

/// Returns the agent's name for people.
pub fn agent_name(agent: &Agent) -> String {
    if agent.name.trim().is_empty() {
        return format!("agent {}", agent.number);
    }
    harmless::name(&agent.name).into_owned()
}

/// Returns the hook of an agent that is known by its name.
pub(super) fn hook_of(agent: &Agent) -> Option<&'static Hook> {
    AGENTS.iter().find(|row| row.display_name == agent.name)?.hook.as_ref()
}

/// Whether a rejected diff of this agent may have ended its turn, which nothing reports. A rejection by a
/// hook does not end a turn.
pub fn may_end_turn_by_rejection(agent: &Agent) -> bool {
    let turns = || AGENTS.iter().find(|row| row.display_name == agent.name)?.turns.as_ref();
    !agent.by_hook && turns().is_some_and(|turns| turns.ends_by_rejection)
}

/// Returns the file without its directory.
pub fn short_name(review: &Review) -> String {
    let name = Path::new(&review.file).file_name().unwrap_or_default();
    harmless::name(&name.to_string_lossy()).into_owned()
}
