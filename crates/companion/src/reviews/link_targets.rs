//! The targets of links that agents, git or alongside follow: a write to such a target changes what is read
//! through the link.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::real_path;

/// The number of levels below a directory that are searched for links. Agents read skills three levels below.
const MAX_DEPTH: usize = 3;
/// The largest number of entries in a directory and below it that are checked.
const MAX_ENTRIES: usize = 4096;
/// The directory of packages, from which no program takes settings or instructions.
const PACKAGE_DIRECTORY: &str = "node_modules";

/// Adds the paths behind a link, without the link itself. Adds nothing for a path that is not a link.
pub(super) fn add_of(link: &Path, targets: &mut Vec<PathBuf>) {
    if link.is_symlink() {
        targets.extend(real_path::steps(link).into_iter().skip(1));
    }
}

/// Adds the paths behind the links in a directory, down to this depth, at most three levels. Returns false if
/// the directory has too many entries to check all of them. An unreadable directory has no entries, because
/// other programs cannot read it either.
pub(super) fn add_below(directory: &Path, depth: usize, targets: &mut Vec<PathBuf>) -> bool {
    let mut remaining = MAX_ENTRIES;
    // Breadth first: the higher levels matter more.
    let mut directories = VecDeque::from([(directory.to_owned(), 1)]);
    while let Some((directory, level)) = directories.pop_front() {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        for entry in entries {
            if remaining == 0 {
                return false;
            }
            remaining -= 1;
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => add_of(&entry.path(), targets),
                Ok(kind)
                    if kind.is_dir()
                        && level < depth.min(MAX_DEPTH)
                        && entry.file_name() != PACKAGE_DIRECTORY =>
                {
                    directories.push_back((entry.path(), level + 1));
                }
                _ => {}
            }
        }
    }
    true
}

/// Whether a path is one of these targets, or below one of them.
pub(super) fn cover(targets: &[PathBuf], path: &Path) -> bool {
    targets.iter().any(|target| path.starts_with(target))
}
