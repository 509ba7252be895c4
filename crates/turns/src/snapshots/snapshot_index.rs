//! Our index of a working tree: updates it from the disk, and writes a tree of it.
//!
//! With an empty index, git would read every file. So our first index is a copy of the project's index, whose
//! times and sizes let git skip unchanged files. Where the blob in the copy is not the raw content of the
//! file, as after a filter, git reads the file again. Our index then stays on disk for the next snapshot.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_platform::files::{self, Links};
use alongside_platform::paths;

use crate::error::Error;
use crate::git::Git;
use crate::git::index_listing;
use crate::git::index_records::{self, remove_record};
use crate::snapshots::exclusions::Exclusions;
use crate::snapshots::index_copy::{IndexCopy, copy_with_time};
use crate::snapshots::left_out_files::{LeftOut, LeftOuts, MAX_FILE, Why, stamp};
use crate::working_tree::WorkingTree;

/// The time by which an index is dated before the beginning of its writing: file times may be some
/// milliseconds behind the clock.
const CLOCK_MARGIN: Duration = Duration::from_secs(1);

/// The state of a working tree, in our repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// The tree of all files that our repository holds.
    pub(crate) tree: String,
    /// The files that the tree does not hold.
    pub(crate) left: LeftOuts,
}

/// An index in a store, under its lock.
#[derive(Debug)]
pub(crate) struct SnapshotIndex<'a> {
    path: PathBuf,
    tree: &'a WorkingTree,
    exclusions: &'a Exclusions,
    git: Git,
}

impl<'a> SnapshotIndex<'a> {
    /// Creates the index at this path. The caller holds its lock.
    pub(crate) fn new(path: PathBuf, tree: &'a WorkingTree, exclusions: &'a Exclusions, git: &Git) -> Self {
        let git = git.with_index(&path);
        Self { path, tree, exclusions, git }
    }

    /// Updates the index from the disk and writes a tree of it.
    ///
    /// # Errors
    /// When git fails, a file cannot be read or written, or the deadline passes. Then the index stays as it
    /// was.
    pub(crate) fn take_snapshot(&self) -> Result<Snapshot, Error> {
        self.drop_leftovers();
        let begun = SystemTime::now();
        let taken = match self.begin().and_then(|()| self.update()) {
            Err(Error::Other(_)) if self.git.run(["ls-files", "-z", "--stage"], None).is_err() => {
                // This git cannot read the index: an older git wrote it, or the disk was full.
                fs::remove_file(&self.path)?;
                self.begin()?;
                self.update()
            }
            Err(Error::Late) => {
                // The deadline has killed our git, which has left its lock.
                let _ = fs::remove_file(self.path.with_extension("lock"));
                Err(Error::Late)
            }
            taken => taken,
        };
        self.date(begun - CLOCK_MARGIN, taken.is_ok());
        taken
    }

    /// Creates the index if there is none yet. Otherwise removes the entries that are excluded by now.
    fn begin(&self) -> Result<(), Error> {
        let form = self.path.with_extension("form");
        if !self.path.exists() {
            self.seed()?;
        } else if fs::read(&form).ok().as_deref() == Some(self.exclusions.form().as_bytes()) {
            return Ok(());
        } else {
            self.drop_excluded()?;
        }
        Ok(fs::write(&form, self.exclusions.form())?)
    }

    /// Dates the index back to the beginning of its writing. Git compares times by the second, and reads
    /// every file again that has changed in the second of the index or later. If the index had the time at
    /// which its writing ended, a file that is changed while git writes, and that keeps its size, would
    /// always seem unchanged.
    fn date(&self, at: SystemTime, is_compared: bool) {
        let dated = File::options().write(true).open(&self.path).and_then(|index| {
            // After a failure, files that git has not compared may have changed before this run.
            let earlier = if is_compared { at } else { index.metadata()?.modified()?.min(at) };
            index.set_modified(earlier)
        });
        if let Err(error) = dated {
            tracing::debug!(%error, "an index has the time of its end");
        }
    }

    /// Removes the lock that a killed git has left. No other program writes this index.
    fn drop_leftovers(&self) {
        let lock = self.path.with_extension("lock");
        let is_old =
            |found: fs::Metadata| found.modified().is_ok_and(|at| at.elapsed().is_ok_and(is_left_behind));
        if lock.metadata().is_ok_and(is_old) {
            // If the lock stays, git fails and names the lock.
            let _ = fs::remove_file(lock);
        }
    }

    /// Copies the project's index, and removes the cached file state of each entry whose blob is not the
    /// raw content of the file.
    fn seed(&self) -> Result<(), Error> {
        let Some(repository) = &self.tree.repository else { return Ok(()) };
        let copied = self.path.with_extension("new");
        // A killed git may have left its lock.
        let _ = fs::remove_file(self.path.with_extension("new.lock"));
        if !copy_with_time(&repository.directory.join("index"), &copied) {
            return Ok(());
        }
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        for shared in fs::read_dir(&repository.directory)?.flatten() {
            if shared.file_name().as_encoded_bytes().starts_with(b"sharedindex.") {
                let ours = directory.join("git").join(shared.file_name());
                copy_with_time(&shared.path(), &ours);
            }
        }
        let copy = IndexCopy { tree: self.tree, exclusions: self.exclusions, git: &self.git };
        let cleaned = copy.clean(&self.git.with_index(&copied));
        match cleaned {
            Ok(()) => Ok(fs::rename(&copied, &self.path)?),
            Err(Error::Late) => Err(Error::Late),
            // This git cannot read the copy. Our index begins empty then, and git reads all files.
            Err(_) => Ok(fs::remove_file(&copied)?),
        }
    }

    /// Removes the entries of files that are excluded by now.
    fn drop_excluded(&self) -> Result<(), Error> {
        let list = self.git.run(index_listing::LIST, None)?;
        let mut records = Vec::new();
        for entry in index_listing::parse(&list)? {
            self.git.check_time()?;
            if paths::from_bytes(&entry.path).is_none_or(|path| self.exclusions.exclude(&path)) {
                remove_record(&mut records, &entry.object, &entry.path);
            }
        }
        self.apply(records, Vec::new())
    }

    fn update(&self) -> Result<Snapshot, Error> {
        let (differing, untracked) = std::thread::scope(|scope| {
            let differing = scope.spawn(|| {
                let args = ["diff-files", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff"];
                self.git.run(args.into_iter().chain(["--ignore-submodules=all"]), None)
            });
            let untracked = self.untracked();
            let differing = differing.join().unwrap_or_else(|_| Err("a thread ended".into()));
            (differing, untracked)
        });
        let (differing, untracked) = (differing?, untracked?);
        let (mut records, mut added, mut left) = (Vec::new(), Vec::new(), LeftOuts::new());
        for change in index_records::differing(&differing)? {
            self.git.check_time()?;
            // A deleted file stays deleted, even if a directory above it is now a link that leads to such a
            // file.
            if change.is_gone || !self.sort_in(change.path, &mut added, &mut left) {
                remove_record(&mut records, change.object, change.path);
            }
        }
        for path in untracked.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            self.git.check_time()?;
            self.sort_in(path, &mut added, &mut left);
        }
        self.apply(records, added)?;
        let tree = self.git.line(["write-tree", "--missing-ok"], None)?;
        Ok(Snapshot { tree, left })
    }

    /// Lists every file that the index does not hold and no rule ignores. The path of a nested repository
    /// ends in `/`.
    fn untracked(&self) -> Result<Vec<u8>, Error> {
        let mut args: Vec<std::ffi::OsString> = vec!["ls-files".into(), "-o".into(), "-z".into()];
        args.push("--exclude-standard".into());
        args.extend(self.exclude_from());
        self.git.run(args, None)
    }

    /// Returns the option that names the repository's own file of ignored patterns, if there is one.
    pub(crate) fn exclude_from(&self) -> Option<std::ffi::OsString> {
        let own = self.tree.repository.as_ref()?.common.join("info/exclude");
        own.metadata().ok().filter(fs::Metadata::is_file)?;
        let mut option = std::ffi::OsString::from("--exclude-from=");
        option.push(own);
        Some(option)
    }

    /// Adds a path to `added`, the files that git reads, or to `left`, the files that are left out. Returns
    /// whether git reads the file.
    fn sort_in(&self, path: &[u8], added: &mut Vec<u8>, left: &mut LeftOuts) -> bool {
        let (path, is_directory) = match path.strip_suffix(b"/") {
            Some(path) => (path, true),
            None => (path, false),
        };
        let Some(below) = paths::from_bytes(path) else { return false };
        let path_on_disk = self.tree.top.join(&below);
        let Ok(found) = path_on_disk.symlink_metadata() else { return false };
        let why = match () {
            () if self.exclusions.exclude(&below) => Why::Excluded,
            () if is_directory || found.is_dir() => Why::Repository,
            () if path.split(|byte| *byte == b'/').any(|name| name.eq_ignore_ascii_case(b".git")) => {
                Why::Name
            }
            () if found.is_symlink() => return add(added, path),
            () if !found.is_file() => Why::Special,
            () if found.len() > MAX_FILE => Why::Large,
            () if files::open_without_waiting(&path_on_disk, Links::Refused).is_err() => Why::Unreadable,
            () => return add(added, path),
        };
        left.insert(path.to_vec(), LeftOut { why, stamp: stamp(why, &path_on_disk, &found) });
        false
    }

    /// Removes the entries that `records` names, then reads the files of `added` into the index.
    fn apply(&self, records: Vec<u8>, added: Vec<u8>) -> Result<(), Error> {
        if !records.is_empty() {
            self.git.run(["update-index", "-z", "--index-info"], Some(records))?;
        }
        if !added.is_empty() {
            let args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
            self.git.run(args, Some(added))?;
        }
        Ok(())
    }
}

/// Whether a lock of this age was left by a killed git. A prompt gives up sooner, and a process that takes
/// longer holds the lock of the store, so that this process does not get here.
fn is_left_behind(age: std::time::Duration) -> bool {
    age.as_secs() >= 5
}

fn add(added: &mut Vec<u8>, path: &[u8]) -> bool {
    added.extend_from_slice(path);
    added.push(0);
    true
}
