//! The project's own index beside a revision: it knows which files are what they were checked out as, though
//! their bytes may differ from the blob, as line ends do; and which are outside of a sparse checkout.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use alongside_platform::paths;

use crate::fault::Fault;
use crate::git::Git;
use crate::index::copy_with_time;
use crate::index_entries::{self, IndexEntry};
use crate::repository::Repository;
use crate::tree_diff::Side;
use crate::workbench::Workbench;

/// The paths that the index has now; none if that is not known. It costs one git, and nothing of the project
/// is run or written: git reads a copy.
pub(crate) fn staged_paths(bench: &Workbench) -> Option<HashSet<Vec<u8>>> {
    let has_index = |repository: &Repository| repository.directory.join("index").exists();
    if !bench.tree.repository.as_ref().is_some_and(has_index) {
        return Some(HashSet::new());
    }
    let list = copied(bench)?.run(["ls-files", "--cached", "-z"], None);
    let list = list.inspect_err(|fault| tracing::debug!(%fault, "git's index is not known")).ok()?;
    Some(list.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
}

/// A git that reads a copy of the index; none if there is no index, or it cannot be copied.
fn copied(bench: &Workbench) -> Option<Git> {
    let index = bench.tree.repository.as_ref()?.directory.join("index");
    let copy = bench.shelf.file("project-index");
    copy_with_time(&index, &copy).then(|| bench.git.with_index(&copy))
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct ProjectIndex {
    entries: HashMap<Vec<u8>, IndexEntry>,
    differing: HashSet<Vec<u8>>,
    top: PathBuf,
}

impl ProjectIndex {
    /// Reads a copy of it; an empty one if there is none, or git cannot read it.
    ///
    /// # Errors
    /// When the time is over.
    pub(crate) fn read(bench: &Workbench) -> Result<Self, Fault> {
        let Some(git) = copied(bench) else { return Ok(Self::default()) };
        let args = ["diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=all"];
        let read = git.run(index_entries::LIST, None).and_then(|list| Ok((list, git.run(args, None)?)));
        let (list, differing) = match read {
            Err(Fault::Late) => return Err(Fault::Late),
            Err(_) => return Ok(Self::default()),
            Ok(read) => read,
        };
        let entries = index_entries::parse(&list)?.into_iter().filter(|entry| entry.stage == 0);
        let entries = entries.map(|entry| (entry.path.clone(), entry)).collect();
        let differing = differing.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        Ok(Self { entries, differing, top: bench.tree.top.clone() })
    }

    /// Whether the file is what a commit with this side was checked out as.
    pub(crate) fn is_unchanged(&self, path: &[u8], before: &Side) -> bool {
        let Some(entry) = self.entries.get(path) else { return false };
        let is_same = entry.object == before.object && entry.mode == before.mode;
        is_same && (entry.is_skipped() || !self.differs(entry))
    }

    /// Whether the file differs from what git last saw. Git reads those that it doubts, and finds the bytes
    /// that a checkout has written different.
    fn differs(&self, entry: &IndexEntry) -> bool {
        let found =
            paths::from_bytes(&entry.path).and_then(|path| self.top.join(path).symlink_metadata().ok());
        let is_as_seen = found.is_some_and(|found| entry.is_of(&found));
        entry.is_assumed() || (self.differing.contains(&entry.path) && !is_as_seen)
    }
}
