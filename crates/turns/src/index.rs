//! Our index of a working tree, and its bringing up to date: what is on disk becomes a tree.
//!
//! A first index would read every file, so it begins as a copy of the project's: git trusts its times and
//! sizes there. Entries whose blob is not the raw content are read once more. Afterwards the index is kept.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alongside_platform::files::{self, Links};
use alongside_platform::paths;
use alongside_platform::untrusted::{self, Whose};

use crate::exclusions::Exclusions;
use crate::fault::Fault;
use crate::git::Git;
use crate::index_entries::{self, IndexEntry, REPOSITORY};
use crate::left_out::{LeftOut, LeftOuts, MAX_FILE, Why, stamp};
use crate::working_tree::WorkingTree;

/// The largest index that is copied, in bytes: some millions of files.
const MAX_INDEX: u64 = 1 << 30;
/// The largest file of attributes, in bytes, and how many are looked through.
const MAX_ATTRIBUTES: u64 = 1 << 20;
const MAX_ATTRIBUTE_FILES: usize = 1000;
/// How much older an index says that it is than the beginning of its writing: the times of files are some
/// milliseconds behind the clock.
const MARGIN: Duration = Duration::from_secs(1);

/// The state of a working tree, in our repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// The tree of all files that our repository holds.
    pub(crate) tree: String,
    /// The files that it does not.
    pub(crate) left: LeftOuts,
}

/// An index on a shelf, under its lock.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    path: PathBuf,
    tree: &'a WorkingTree,
    exclusions: &'a Exclusions,
    git: Git,
}

impl<'a> Index<'a> {
    /// The index at this path. The caller holds its lock.
    pub(crate) fn new(path: PathBuf, tree: &'a WorkingTree, exclusions: &'a Exclusions, git: &Git) -> Self {
        let git = git.with_index(&path);
        Self { path, tree, exclusions, git }
    }

    /// Brings the index up to date with the disk and makes a tree of it.
    ///
    /// # Errors
    /// When git or the disk refuses, or the time is over. The index is as before then.
    pub(crate) fn take_snapshot(&self) -> Result<Snapshot, Fault> {
        self.drop_leftovers();
        let begun = SystemTime::now();
        let taken = match self.begin().and_then(|()| self.update()) {
            Err(Fault::Said(_)) if self.git.run(["ls-files", "-z", "--stage"], None).is_err() => {
                // The index itself is broken: an older git, or a disk that was full.
                fs::remove_file(&self.path)?;
                self.begin()?;
                self.update()
            }
            Err(Fault::Late) => {
                // Ours was ended, with its lock in place.
                let _ = fs::remove_file(self.path.with_extension("lock"));
                Err(Fault::Late)
            }
            taken => taken,
        };
        self.date(begun - MARGIN, taken.is_ok());
        taken
    }

    /// Begins with the project's index, or with ours as it was left, without what is excluded by now.
    fn begin(&self) -> Result<(), Fault> {
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

    /// Makes the index as old as the beginning of its writing. Git compares times by the second, and reads
    /// files that have changed in the second of the index or later: with the time of its end, a file that
    /// somebody changes while git writes, and that keeps its size, would seem to be unchanged ever after.
    fn date(&self, at: SystemTime, is_compared: bool) {
        let dated = File::options().write(true).open(&self.path).and_then(|index| {
            // Files that nobody has compared may have changed earlier.
            let earlier = if is_compared { at } else { index.metadata()?.modified()?.min(at) };
            index.set_modified(earlier)
        });
        if let Err(error) = dated {
            tracing::debug!(%error, "an index has the time of its end");
        }
    }

    /// A git that was killed leaves its lock, and nobody else writes this index.
    fn drop_leftovers(&self) {
        let lock = self.path.with_extension("lock");
        let is_old = |found: fs::Metadata| found.modified().is_ok_and(|at| at.elapsed().is_ok_and(is_over));
        if lock.metadata().is_ok_and(is_old) {
            // If it fails, git says so.
            let _ = fs::remove_file(lock);
        }
    }

    /// Begins with a copy of the project's index, as far as its blobs are the raw content of the files.
    fn seed(&self) -> Result<(), Fault> {
        let Some(repository) = &self.tree.repository else { return Ok(()) };
        let copied = self.path.with_extension("new");
        // A git that was ended may have left its lock.
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
        let git = self.git.with_index(&copied);
        let cleaned = git.run(index_entries::LIST, None).and_then(|list| {
            let entries = index_entries::parse(&list)?;
            let records = self.records(&entries)?;
            match records.is_empty() {
                true => Ok(()),
                false => git.run(["update-index", "-z", "--index-info"], Some(records)).map(drop),
            }
        });
        match cleaned {
            Ok(()) => Ok(fs::rename(&copied, &self.path)?),
            Err(Fault::Late) => Err(Fault::Late),
            // An index that this git cannot read: all files are read then.
            Err(_) => Ok(fs::remove_file(&copied)?),
        }
    }

    /// The changes by which a copy of the project's index becomes ours: entries that no file stands for go,
    /// and those whose file differs from the blob lose what git knows of the file.
    fn records(&self, entries: &[IndexEntry]) -> Result<Vec<u8>, Fault> {
        let mut records = Vec::new();
        let sizes = self.sizes(entries)?;
        let filtered = self.filtered(entries)?;
        for (entry, size) in entries.iter().zip(sizes) {
            self.git.check_time()?;
            let path = paths::from_bytes(&entry.path);
            let is_ours = entry.counts()
                && entry.mode != REPOSITORY
                && entry.size <= MAX_FILE
                && path.is_some_and(|path| !self.exclusions.exclude(&path));
            if !is_ours {
                remove_record(&mut records, &entry.object, &entry.path);
            } else if size != Some(entry.size) || entry.is_assumed() || filtered.contains(&entry.path) {
                let head = format!("{} {} 0\t", entry.mode, entry.object);
                records.extend([head.as_bytes(), &entry.path, b"\0"].concat());
            }
        }
        Ok(records)
    }

    /// The sizes of the blobs of these entries, as far as git has them.
    fn sizes(&self, entries: &[IndexEntry]) -> Result<Vec<Option<u64>>, Fault> {
        let wanted: String = entries.iter().map(|entry| format!("{}\n", entry.object)).collect();
        let args = ["cat-file", "--buffer", "--batch-check=%(objectsize)"];
        let output = self.git.run(args, Some(wanted.into_bytes()))?;
        let text = String::from_utf8_lossy(&output);
        let sizes: Vec<_> = text.lines().map(|line| line.parse().ok()).collect();
        if sizes.len() == entries.len() { Ok(sizes) } else { Err(Fault::said("git lists objects otherwise")) }
    }

    /// The paths for which the project names a filter: a filter may keep the size. No filter is run.
    fn filtered(&self, entries: &[IndexEntry]) -> Result<BTreeSet<Vec<u8>>, Fault> {
        let Some(repository) = &self.tree.repository else { return Ok(BTreeSet::new()) };
        let is_attributes = |path: &[u8]| path == b".gitattributes" || path.ends_with(b"/.gitattributes");
        let in_tree = entries.iter().filter(|entry| is_attributes(&entry.path));
        let in_tree = in_tree.filter_map(|entry| Some(self.tree.top.join(paths::from_bytes(&entry.path)?)));
        let all: Vec<PathBuf> = in_tree.chain([repository.common.join("info/attributes")]).collect();
        let names_one = |path: &PathBuf| match untrusted::read(path, MAX_ATTRIBUTES, Whose::Anybodys) {
            Ok(text) => text.windows(6).any(|word| word == b"filter"),
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        };
        if all.len() <= MAX_ATTRIBUTE_FILES && !all.iter().any(names_one) {
            return Ok(BTreeSet::new());
        }
        let mut input = Vec::new();
        for entry in entries {
            input.extend([&entry.path, b"\0".as_slice()].concat());
        }
        let args = ["check-attr", "-z", "--stdin", "filter"];
        let output = self.git.with_directory(&repository.directory).run(args, Some(input))?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let set = fields.as_chunks::<3>().0.iter().filter(|[_, _, value]| *value != b"unspecified");
        Ok(set.map(|[path, _, _]| path.to_vec()).collect())
    }

    /// Takes the files out that are excluded by now.
    fn drop_excluded(&self) -> Result<(), Fault> {
        let list = self.git.run(index_entries::LIST, None)?;
        let mut records = Vec::new();
        for entry in index_entries::parse(&list)? {
            self.git.check_time()?;
            if paths::from_bytes(&entry.path).is_none_or(|path| self.exclusions.exclude(&path)) {
                remove_record(&mut records, &entry.object, &entry.path);
            }
        }
        self.apply(records, Vec::new())
    }

    fn update(&self) -> Result<Snapshot, Fault> {
        let (differing, untracked) = std::thread::scope(|scope| {
            let differing = scope.spawn(|| {
                let args = ["diff-files", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff"];
                self.git.run(args.into_iter().chain(["--ignore-submodules=all"]), None)
            });
            let untracked = self.untracked();
            let differing = differing.join().unwrap_or_else(|_| Err(Fault::said("a thread ended")));
            (differing, untracked)
        });
        let (differing, untracked) = (differing?, untracked?);
        let (mut records, mut added, mut left) = (Vec::new(), Vec::new(), LeftOuts::new());
        for change in raw_paths(&differing)? {
            self.git.check_time()?;
            // The way to a deleted file may have a link now, and a file behind it.
            if change.is_gone || !self.place(change.path, &mut added, &mut left) {
                remove_record(&mut records, change.object, change.path);
            }
        }
        for path in untracked.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            self.git.check_time()?;
            self.place(path, &mut added, &mut left);
        }
        self.apply(records, added)?;
        let tree = self.git.line(["write-tree", "--missing-ok"], None)?;
        Ok(Snapshot { tree, left })
    }

    /// Every file that the index does not hold and nothing ignores; a nested repository ends in `/`.
    fn untracked(&self) -> Result<Vec<u8>, Fault> {
        let mut args: Vec<std::ffi::OsString> = vec!["ls-files".into(), "-o".into(), "-z".into()];
        args.push("--exclude-standard".into());
        args.extend(self.exclude_from());
        self.git.run(args, None)
    }

    /// The option that names the repository's own patterns, if it has any.
    pub(crate) fn exclude_from(&self) -> Option<std::ffi::OsString> {
        let own = self.tree.repository.as_ref()?.common.join("info/exclude");
        own.metadata().ok().filter(fs::Metadata::is_file)?;
        let mut option = std::ffi::OsString::from("--exclude-from=");
        option.push(own);
        Some(option)
    }

    /// Adds a path to those that git reads, or to those that are left out. Returns whether git reads it.
    fn place(&self, path: &[u8], added: &mut Vec<u8>, left: &mut LeftOuts) -> bool {
        let (path, is_directory) = match path.strip_suffix(b"/") {
            Some(path) => (path, true),
            None => (path, false),
        };
        let Some(below) = paths::from_bytes(path) else { return false };
        let place = self.tree.top.join(&below);
        let Ok(found) = place.symlink_metadata() else { return false };
        let why = match () {
            () if self.exclusions.exclude(&below) => Why::Excluded,
            () if is_directory || found.is_dir() => Why::Repository,
            () if path.split(|byte| *byte == b'/').any(|name| name.eq_ignore_ascii_case(b".git")) => {
                Why::Name
            }
            () if found.is_symlink() => return add(added, path),
            () if !found.is_file() => Why::Special,
            () if found.len() > MAX_FILE => Why::Large,
            () if files::open_without_waiting(&place, Links::Refused).is_err() => Why::Unreadable,
            () => return add(added, path),
        };
        left.insert(path.to_vec(), LeftOut { why, stamp: stamp(why, &place, &found) });
        false
    }

    /// Takes entries out, then reads files into the index.
    fn apply(&self, records: Vec<u8>, added: Vec<u8>) -> Result<(), Fault> {
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

/// Whether a lock that is so old belongs to a git that was killed. A prompt gives up sooner, and whoever
/// takes longer holds the lock of the shelf.
fn is_over(age: std::time::Duration) -> bool {
    age.as_secs() >= 5
}

fn add(added: &mut Vec<u8>, path: &[u8]) -> bool {
    added.extend_from_slice(path);
    added.push(0);
    true
}

/// A record that takes all entries of a path out of an index.
fn remove_record(records: &mut Vec<u8>, object: &str, path: &[u8]) {
    let none = "0".repeat(object.len());
    records.extend([format!("0 {none}\t").as_bytes(), path, b"\0"].concat());
}

/// A file that differs from the index.
struct Differing<'a> {
    /// The object that the index holds.
    object: &'a str,
    path: &'a [u8],
    is_gone: bool,
}

/// Reads a raw diff without renames.
fn raw_paths(raw: &[u8]) -> Result<Vec<Differing<'_>>, Fault> {
    let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut paths = Vec::new();
    while let Some(head) = fields.next() {
        let head: Option<Vec<&str>> = std::str::from_utf8(head).ok().map(|head| head.split(' ').collect());
        match (head.as_deref(), fields.next()) {
            (Some([_, _, object, _, status]), Some(path)) => {
                paths.push(Differing { object, path, is_gone: *status == "D" });
            }
            _ => return Err(Fault::said("git lists changes otherwise")),
        }
    }
    Ok(paths)
}

/// Copies a regular file with its time, by which git judges whether a file may have changed since.
pub(crate) fn copy_with_time(from: &Path, to: &Path) -> bool {
    let copy = || -> std::io::Result<()> {
        let file = untrusted::open(from, MAX_INDEX, Whose::Anybodys)?;
        let modified = file.metadata().modified()?;
        let mut copy = File::create(to)?;
        copy.write_all(&file.whole()?)?;
        copy.set_modified(modified)
    };
    copy().is_ok()
}
