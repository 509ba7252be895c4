//! Reads the project's own index, for a comparison with a commit. The index shows which files are unchanged
//! since their checkout, even where their bytes differ from the blob, as with other line ends. It also shows
//! which files are outside of a sparse checkout.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use alongside_platform::paths;

use crate::error::Error;
use crate::git::Git;
use crate::git::index_listing::{self, IndexEntry};
use crate::git::tree_diff::Side;
use crate::snapshots::index_copy::copy_with_time;
use crate::snapshots::tree_access::TreeAccess;
use crate::working_tree::repository::Repository;

/// Returns the paths in the project's index; `None` if git cannot read the index. Starts git once, on a copy
/// of the index, so that nothing of the project is run or written.
pub(crate) fn staged_paths(access: &TreeAccess) -> Option<HashSet<Vec<u8>>> {
    let has_index = |repository: &Repository| repository.directory.join("index").exists();
    if !access.tree.repository.as_ref().is_some_and(has_index) {
        return Some(HashSet::new());
    }
    let list = git_with_copy(access)?.run(["ls-files", "--cached", "-z"], None);
    let list = list.inspect_err(|fault| tracing::debug!(%fault, "git's index is not known")).ok()?;
    Some(list.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
}

/// Returns a git that reads a copy of the project's index; `None` if there is no index, or it cannot be
/// copied.
fn git_with_copy(access: &TreeAccess) -> Option<Git> {
    let index = access.tree.repository.as_ref()?.directory.join("index");
    let copy = access.store.file("project-index");
    copy_with_time(&index, &copy).then(|| access.git.with_index(&copy))
}

/// The project's index, as git read it from a copy.
#[derive(Debug, Default)]
pub(crate) struct ProjectIndex {
    entries: HashMap<Vec<u8>, IndexEntry>,
    differing: HashSet<Vec<u8>>,
    top: PathBuf,
}

impl ProjectIndex {
    /// Reads a copy of the project's index. If there is no index, or git cannot read it, the result is empty.
    ///
    /// # Errors
    /// When the deadline passes.
    pub(crate) fn read(access: &TreeAccess) -> Result<Self, Error> {
        let Some(git) = git_with_copy(access) else { return Ok(Self::default()) };
        let args = ["diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=all"];
        let read = git.run(index_listing::LIST, None).and_then(|list| Ok((list, git.run(args, None)?)));
        let (list, differing) = match read {
            Err(Error::Late) => return Err(Error::Late),
            Err(_) => return Ok(Self::default()),
            Ok(read) => read,
        };
        let entries = index_listing::parse(&list)?.into_iter().filter(|entry| entry.stage == 0);
        let entries = entries.map(|entry| (entry.path.clone(), entry)).collect();
        let differing = differing.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        Ok(Self { entries, differing, top: access.tree.top.clone() })
    }

    /// Whether the file is unchanged since the checkout of a commit that has `before` at this path.
    pub(crate) fn is_unchanged(&self, path: &[u8], before: &Side) -> bool {
        let Some(entry) = self.entries.get(path) else { return false };
        let is_same = entry.object == before.object && entry.mode == before.mode;
        is_same && (entry.is_skipped() || !self.differs(entry))
    }

    /// Whether the file has changed since git last examined it. The list of `diff-files` is not enough: git
    /// reads the files whose times it doubts, and may find the bytes of a checkout different from the blob.
    fn differs(&self, entry: &IndexEntry) -> bool {
        let found =
            paths::from_bytes(&entry.path).and_then(|path| self.top.join(path).symlink_metadata().ok());
        let is_as_seen = found.is_some_and(|found| entry.is_of(&found));
        entry.is_assumed() || (self.differing.contains(&entry.path) && !is_as_seen)
    }
}
