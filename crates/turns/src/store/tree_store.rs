//! The store: the private directory of one working tree below the state directory. It holds our repository,
//! its index, the logs, and the lists of files that snapshots do not hold. Its name is a hash of the
//! canonical path of the working tree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use alongside_companion::private::{self, PathTrust};
use alongside_platform::paths;
use alongside_platform::untrusted::{self, Whose};

use crate::error::Error;
use crate::git::Git;
use crate::store::comment_log::CommentLog;
use crate::store::file_lock::FileLock;
use crate::store::hash::hash;
use crate::store::turn_log::TurnLog;
use crate::working_tree::WorkingTree;

/// The directory of all stores, in the state directory.
const TURNS: &str = "turns";
/// The lock that a process holds while it writes the snapshot of a prompt or of an end, or removes snapshots.
pub(crate) const SNAPSHOT_LOCK: &str = "lock";
/// The lock that a process holds while it writes comments or delivers messages. A process that also needs
/// [`SNAPSHOT_LOCK`] takes [`SNAPSHOT_LOCK`] first.
pub(crate) const COMMENTS_LOCK: &str = "comments-lock";
/// The file name of the notes.
pub(crate) const NOTES: &str = "notes";
/// The number of attempts to remove a directory while other processes create files in it.
const MAX_REMOVALS: usize = 20;
/// The time between two attempts to take a lock, or to remove a directory.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// The attributes of our repository: git runs no filter and no driver of the project, and counts lines in all
/// files.
const ATTRIBUTES: &str = "* -text -filter -ident -working-tree-encoding !diff !eol !crlf\n";
/// The longest path of a working tree, in bytes.
const MAX_PATH: u64 = 64 << 10;

/// The store of one working tree.
#[derive(Debug, Clone)]
pub(crate) struct TreeStore {
    path: PathBuf,
}

impl TreeStore {
    /// Returns the store of a working tree, which need not exist.
    pub(crate) fn of(state: &Path, top: &Path) -> Self {
        let name = &hash(&paths::to_bytes(top))[..16];
        Self { path: state.join(TURNS).join(name) }
    }

    /// Lists every store, each with its working tree.
    pub(crate) fn all(state: &Path) -> Vec<(Self, PathBuf)> {
        let entries = fs::read_dir(state.join(TURNS)).into_iter().flatten().flatten();
        let store = |entry: fs::DirEntry| {
            let store = Self { path: entry.path() };
            let top = untrusted::read(&store.path.join("tree"), MAX_PATH, Whose::Ours).ok()?;
            Some((store, paths::from_bytes(&top)?))
        };
        entries.filter_map(store).collect()
    }

    /// Removes the directory of all stores if there is no store in it.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn remove_empty(state: &Path) -> io::Result<()> {
        if Self::all(state).is_empty() {
            remove(&state.join(TURNS))?;
        }
        Ok(())
    }

    /// Creates the directory if it is missing.
    ///
    /// # Errors
    /// When the directory cannot be created, or cannot be made private.
    pub(crate) fn make(&self, state: &Path, top: &Path) -> io::Result<()> {
        let below = self.path.strip_prefix(state).unwrap_or(&self.path);
        private::directory(state, below, PathTrust::Own)?;
        let tree = self.path.join("tree");
        if !tree.exists() {
            private::write(&tree, &paths::to_bytes(top))?;
        }
        Ok(())
    }

    /// Whether our repository exists, with the hash format and the objects of the project's repository.
    pub(crate) fn is_ready(&self, tree: &WorkingTree) -> bool {
        let alternates = read(&self.repository().join("objects/info/alternates"));
        let has_format = read(&self.path.join("format")).as_deref() == Some(format_of(tree).as_bytes());
        has_format && alternates == alternates_of(tree)
    }

    /// Creates or updates our repository, with the objects of the project's repository as alternates.
    ///
    /// # Errors
    /// When git fails, or a file cannot be read or written.
    pub(crate) fn make_repository(&self, tree: &WorkingTree, git: &Git) -> Result<(), Error> {
        let format = format_of(tree);
        if read(&self.path.join("format")).as_deref() != Some(format.as_bytes()) {
            let has_snapshots = self.log().read()?.iter().any(|record| record.tree.is_some());
            self.forget_repository(has_snapshots)?;
            let unfinished = self.path.join("git.new");
            remove(&unfinished)?;
            let init = ["init", "--bare", "--quiet", "--template="].map(str::to_owned);
            let init = init.into_iter().chain([format!("--object-format={format}")]);
            git.bare(&unfinished).run(init, None)?;
            fs::create_dir_all(unfinished.join("info"))?;
            fs::write(unfinished.join("info/attributes"), ATTRIBUTES)?;
            fs::rename(&unfinished, self.repository())?;
            private::write(&self.path.join("format"), format.as_bytes())?;
        }
        let file = self.repository().join("objects/info/alternates");
        match alternates_of(tree) {
            Some(alternates) => private::write(&file, &alternates)?,
            None => remove(&file)?,
        }
        Ok(())
    }

    /// Removes our repository with its index and lists. With `has_snapshots`, also removes the log, whose
    /// lines name trees of that repository.
    fn forget_repository(&self, has_snapshots: bool) -> io::Result<()> {
        let log = has_snapshots.then_some("log");
        for name in ["format", "git", "index", "look-index", "left", NOTES].into_iter().chain(log) {
            remove(&self.path.join(name))?;
        }
        Ok(())
    }

    /// Removes the store, but keeps the log of comments if it holds comments or messages that no agent has
    /// read. Holds the lock of comments meanwhile.
    ///
    /// # Errors
    /// When the system refuses, the log of comments cannot be read, or other processes hold its lock until
    /// the deadline.
    pub(crate) fn remove(&self, until: Instant) -> Result<(), Error> {
        let _lock = self.lock(COMMENTS_LOCK, until)?;
        match self.comments().read()?.is_needed() {
            true => self.forget_repository(true)?,
            false => remove(&self.path)?,
        }
        Ok(())
    }

    /// Removes the store, also comments and messages that no agent has read.
    ///
    /// # Errors
    /// When the system refuses, or other processes hold the lock of comments until the deadline.
    pub(crate) fn delete(&self, until: Instant) -> Result<(), Error> {
        let _lock = self.lock(COMMENTS_LOCK, until)?;
        Ok(remove(&self.path)?)
    }

    /// Whether the store holds no turns, but comments or messages that no agent has read.
    pub(crate) fn has_only_comments(&self) -> bool {
        let has_turns = self.repository().exists() || self.file("log").exists();
        !has_turns && self.comments().read().is_ok_and(|comments| comments.is_needed())
    }

    /// Takes the lock of this name. Waits for it until the deadline.
    ///
    /// # Errors
    /// When the file of the lock cannot be created, or another process holds the lock until the deadline:
    /// [`Error::Late`].
    pub(crate) fn lock(&self, name: &str, until: Instant) -> Result<FileLock, Error> {
        self.try_lock(name, until)?.ok_or(Error::Late)
    }

    /// Takes the lock of this name. Waits for it until the deadline; `None` if another process holds the lock
    /// until then.
    ///
    /// # Errors
    /// When the file of the lock cannot be created.
    pub(crate) fn try_lock(&self, name: &str, until: Instant) -> io::Result<Option<FileLock>> {
        loop {
            let lock = FileLock::take(&self.path.join(name))?;
            if lock.is_some() || Instant::now() + RETRY_INTERVAL > until {
                return Ok(lock);
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Returns the path of our repository.
    pub(crate) fn repository(&self) -> PathBuf {
        self.path.join("git")
    }

    /// Returns the path of a file or directory in the store.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the log of comments and messages.
    pub(crate) fn comments(&self) -> CommentLog {
        CommentLog::at(self.path.join("comments"))
    }

    /// Returns the log of prompts, ends, finishes and undos.
    pub(crate) fn log(&self) -> TurnLog {
        TurnLog::at(self.path.join("log"))
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    untrusted::read(path, MAX_PATH, Whose::Ours).ok()
}

/// Returns git's name of the hash format of the project's objects; `sha1` without a repository.
fn format_of(tree: &WorkingTree) -> &str {
    tree.repository.as_ref().map_or("sha1", |repository| &repository.format)
}

/// Returns the content of git's file of alternates, which names the project's objects. Git also follows the
/// alternates of the project.
fn alternates_of(tree: &WorkingTree) -> Option<Vec<u8>> {
    tree.repository.as_ref().map(|repository| quoted(&repository.common.join("objects")))
}

/// Returns a quoted line for git's file of alternates. In quotes, a path may hold every byte but zero.
fn quoted(path: &Path) -> Vec<u8> {
    let mut line = vec![b'"'];
    for byte in paths::to_bytes(path) {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', byte]),
            0x20..0x7f => line.push(byte),
            byte => line.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    line.extend(b"\"\n");
    line
}

/// Removes a file, or a directory with its content, if it exists. Retries if another process creates a file
/// in the directory meanwhile, as a process does that tries to take a lock.
fn remove(path: &Path) -> io::Result<()> {
    for _ in 0..MAX_REMOVALS {
        match remove_once(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(RETRY_INTERVAL);
            }
            removed => return removed,
        }
    }
    remove_once(path)
}

fn remove_once(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
