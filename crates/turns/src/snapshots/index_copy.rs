//! Makes our first index from a copy of the project's index. Removes the cached file state of each entry
//! whose blob may differ from the raw content of its file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use alongside_platform::paths;
use alongside_platform::untrusted::{self, Whose};

use crate::error::Error;
use crate::git::Git;
use crate::git::index_listing::{self, IndexEntry, REPOSITORY};
use crate::git::index_records::{remove_record, set_record};
use crate::snapshots::exclusions::Exclusions;
use crate::snapshots::left_out_files::MAX_FILE;
use crate::working_tree::WorkingTree;

/// The largest index that is copied, in bytes. It has some millions of files.
const MAX_INDEX: u64 = 1 << 30;
/// The largest `.gitattributes` file that is read, in bytes, and the largest number of such files.
const MAX_ATTRIBUTES: u64 = 1 << 20;
const MAX_ATTRIBUTE_FILES: usize = 1000;

/// The copy of the index of a working tree.
pub(super) struct IndexCopy<'a> {
    pub(super) tree: &'a WorkingTree,
    pub(super) exclusions: &'a Exclusions,
    /// Our git, with another index than the copy.
    pub(super) git: &'a Git,
}

impl IndexCopy<'_> {
    /// Removes the cached file state of each entry of the copy whose blob is not the raw content of the
    /// file. `copy`: git with the copy as its index.
    ///
    /// # Errors
    /// When git cannot read the copy, or the deadline passes.
    pub(super) fn clean(&self, copy: &Git) -> Result<(), Error> {
        let list = copy.run(index_listing::LIST, None)?;
        let entries = index_listing::parse(&list)?;
        let records = self.records(&entries)?;
        match records.is_empty() {
            true => Ok(()),
            false => copy.run(["update-index", "-z", "--index-info"], Some(records)).map(drop),
        }
    }

    /// Returns the changes that turn a copy of the project's index into ours, in the form that `git
    /// update-index` reads. They remove entries that no snapshot holds. Entries whose blob may not be the raw
    /// content of the file lose the size and times, so that git reads the file.
    fn records(&self, entries: &[IndexEntry]) -> Result<Vec<u8>, Error> {
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
                set_record(&mut records, &entry.mode, &entry.object, &entry.path);
            }
        }
        Ok(records)
    }

    /// Returns the size of the blob of each entry; `None` if git does not have the blob.
    fn sizes(&self, entries: &[IndexEntry]) -> Result<Vec<Option<u64>>, Error> {
        let wanted: String = entries.iter().map(|entry| format!("{}\n", entry.object)).collect();
        let args = ["cat-file", "--buffer", "--batch-check=%(objectsize)"];
        let output = self.git.run(args, Some(wanted.into_bytes()))?;
        let text = String::from_utf8_lossy(&output);
        let sizes: Vec<_> = text.lines().map(|line| line.parse().ok()).collect();
        if sizes.len() == entries.len() { Ok(sizes) } else { Err("git lists objects otherwise".into()) }
    }

    /// Returns the paths for which the project names a filter: the output of a filter may have the size of
    /// its input. Runs no filter.
    fn filtered(&self, entries: &[IndexEntry]) -> Result<BTreeSet<Vec<u8>>, Error> {
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
}

/// Copies a regular file with its modification time, by which git judges whether files may have changed
/// since.
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
