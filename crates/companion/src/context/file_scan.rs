//! The result of a scan of reported files: the files that exist and that agents may know, and the
//! directories to watch.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use alongside_contract::context::IdeContext;
use alongside_platform::paths::Canonical as _;

/// The result of a scan.
#[derive(Debug)]
pub(crate) struct ScanResult {
    /// The files that agents may know of.
    pub(super) context: IdeContext,
    /// The real paths of files with unsaved changes.
    pub(super) real: HashMap<String, PathBuf>,
    /// All files that the scan has checked.
    pub(super) checks: FileChecks,
}

/// The checked files by path, and whether agents may know of each file.
pub(super) type FileChecks = HashMap<String, bool>;

impl ScanResult {
    /// Returns the directories in which a change may change the context: those of the files, and the
    /// directories above them that may hold a `.gitignore`, up to their root. Blocks.
    pub(crate) fn depends_on(&self, roots: &[PathBuf]) -> BTreeSet<PathBuf> {
        let mut directories = BTreeSet::new();
        for file in self.checks.keys().map(Path::new).filter(|file| file.is_absolute()) {
            let real = file.canonical().ok();
            directories.extend(real.iter().filter_map(|real| real.parent()).map(Path::to_owned));
            let root = roots.iter().find(|root| file.starts_with(root));
            let above = file.ancestors().skip(1);
            let within = above.take_while(|directory| root.is_none_or(|root| directory.starts_with(root)));
            let steps = if root.is_some() { usize::MAX } else { 1 };
            directories.extend(within.take(steps).map(Path::to_owned));
        }
        directories
    }
}
