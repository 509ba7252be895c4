//! Lists the working trees in which changes wait for a review.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alongside_companion::turns::source::TurnLook;

use crate::error::Error;
use crate::snapshots::compared_trees::baseline;
use crate::snapshots::tree_access::TreeAccess;
use crate::store::tree_store::TreeStore;
use crate::store::turn_dirs::TurnDirs;
use crate::store::turn_log::Kind;
use crate::turn_review::look::look;

/// The time limit of the look at one working tree.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// A working tree with a baseline, in which changes may wait for a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreviewedTree {
    /// The top of the working tree.
    pub root: PathBuf,
    /// The agents that have begun a turn since the baseline, by name.
    pub agents: Vec<String>,
    /// The changes, or the reason why the look has failed.
    pub look: Result<TurnLook, String>,
}

/// Lists every working tree of this user that has a baseline, sorted by path.
pub fn unreviewed_trees(dirs: &TurnDirs) -> Vec<UnreviewedTree> {
    let mut all: Vec<UnreviewedTree> = TreeStore::all(dirs.state())
        .into_iter()
        .filter_map(|(_, top)| unreviewed_in(dirs, &top).ok().flatten().filter(|one| one.root == top))
        .collect();
    all.sort_by(|one, other| one.root.cmp(&other.root));
    all
}

/// Returns the working tree around a directory, if it has a baseline.
///
/// # Errors
/// When the directory is in no working tree, or the log cannot be read.
pub fn unreviewed_in(dirs: &TurnDirs, directory: &Path) -> Result<Option<UnreviewedTree>, Error> {
    let tree = dirs.working_tree(directory)?;
    let log = TreeStore::of(dirs.state(), &tree.top).log().read()?;
    let Some(place) = baseline(&log) else { return Ok(None) };
    let mut agents: Vec<String> = Vec::new();
    for record in log.iter().skip(place).filter(|record| record.kind == Kind::Prompt) {
        if !agents.contains(&record.agent) {
            agents.push(record.agent.clone());
        }
    }
    let root = tree.top.clone();
    let access = TreeAccess::open(dirs, tree, Instant::now() + TIME_LIMIT);
    let look = access.and_then(|access| look(&access, None)).map_err(|fault| fault.to_string());
    Ok(Some(UnreviewedTree { root, agents, look }))
}
