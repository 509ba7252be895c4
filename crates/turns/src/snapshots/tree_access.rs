//! A working tree opened together with its store and a git, for one look or one snapshot, until a deadline.

use std::path::Path;
use std::time::Instant;

use crate::error::Error;
use crate::git::Git;
use crate::snapshots::exclusions::Exclusions;
use crate::snapshots::index_copy::copy_with_time;
use crate::snapshots::snapshot_index::{Snapshot, SnapshotIndex};
use crate::store::tree_store::{SNAPSHOT_LOCK, TreeStore};
use crate::store::turn_dirs::TurnDirs;
use crate::working_tree::WorkingTree;

/// The lock of looks. A look has an index and a lock of its own, so that a prompt never waits for a look.
const LOOK_LOCK: &str = "look-lock";

/// An open working tree, with its store and a git.
#[derive(Debug)]
pub(crate) struct TreeAccess {
    pub(crate) tree: WorkingTree,
    pub(crate) store: TreeStore,
    pub(crate) exclusions: Exclusions,
    pub(crate) git: Git,
}

impl TreeAccess {
    /// Opens the store of a working tree, and creates its directory and repository if they are missing.
    ///
    /// # Errors
    /// When there is no git, or the store cannot be created.
    pub(crate) fn open(dirs: &TurnDirs, tree: WorkingTree, until: Instant) -> Result<Self, Error> {
        let store = TreeStore::of(dirs.state(), &tree.top);
        store.make(dirs.state(), &tree.top)?;
        let git = Git::new(store.repository(), &tree.top, until)?.with_ignore_file(dirs.ignore_file());
        let access = Self { tree, store, exclusions: Exclusions::new(dirs.excludes()), git };
        if !access.store.is_ready(&access.tree) {
            let _lock = access.store.lock(SNAPSHOT_LOCK, until)?;
            access.store.make_repository(&access.tree, &access.git)?;
        }
        Ok(access)
    }

    /// Takes the snapshot of a prompt or an end, with the index that all prompts and ends share.
    ///
    /// # Errors
    /// When git fails, a file cannot be read or written, or the deadline passes.
    pub(crate) fn take_snapshot(&self) -> Result<Snapshot, Error> {
        let _lock = self.store.lock(SNAPSHOT_LOCK, self.git.until())?;
        self.index("index").take_snapshot()
    }

    /// Takes a snapshot for a look. The look copies the index of the last prompt or end if that index is
    /// newer than its own.
    ///
    /// # Errors
    /// As [`take_snapshot`](Self::take_snapshot).
    pub(crate) fn take_look_snapshot(&self) -> Result<Snapshot, Error> {
        let _lock = self.store.lock(LOOK_LOCK, self.git.until())?;
        let (kept, own) = (self.store.file("index"), self.store.file("look-index"));
        let at = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
        if at(&kept).is_some_and(|kept| at(&own).is_none_or(|own| own < kept)) {
            copy_with_time(&kept, &own);
            copy_with_time(&kept.with_extension("form"), &own.with_extension("form"));
        }
        self.index("look-index").take_snapshot()
    }

    /// Returns the index of this name.
    pub(crate) fn index(&self, name: &str) -> SnapshotIndex<'_> {
        SnapshotIndex::new(self.store.file(name), &self.tree, &self.exclusions, &self.git)
    }

    /// Returns the commit that is checked out.
    pub(crate) fn head(&self) -> Option<String> {
        let found = self.tree.repository.as_ref()?.commit();
        found.or_else(|| self.commit("HEAD"))
    }

    /// Returns the commit that a revision of the project names. Git reads the repository and its settings for
    /// that, but starts no program that they name.
    pub(crate) fn commit(&self, revision: &str) -> Option<String> {
        self.object(&format!("{revision}^{{commit}}"))
    }

    /// Returns the tree that a revision of the project names.
    pub(crate) fn tree_of(&self, revision: &str) -> Option<String> {
        self.object(&format!("{revision}^{{tree}}"))
    }

    fn object(&self, name: &str) -> Option<String> {
        let repository = self.tree.repository.as_ref()?;
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
        let found = self.git.with_directory(&repository.directory).line(args, None).ok()?;
        let object = found.lines().last()?;
        object.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| object.to_owned())
    }

    /// Returns the tree that holds no file.
    ///
    /// # Errors
    /// When git fails.
    pub(crate) fn empty_tree(&self) -> Result<String, Error> {
        self.git.line(["mktree"], Some(Vec::new()))
    }
}
