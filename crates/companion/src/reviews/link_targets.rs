//! The targets of links that agents, git or alongside follow: whoever writes such a target changes what the
//! link stands for.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::real_path;

/// How deep links are looked for below a directory. Agents read a skill three levels below their directory.
const MAX_DEPTH: usize = 3;
/// The most entries of a directory, with those below it, that are looked at.
const MAX_ENTRIES: usize = 4096;
/// Directories of packages, with which nobody tells a program what to do.
const PACKAGES: &str = "node_modules";

/// Adds the paths behind a link, without the link itself. Adds nothing if this is no link.
pub(super) fn add_of(link: &Path, targets: &mut Vec<PathBuf>) {
    if link.is_symlink() {
        targets.extend(real_path::passed(link).into_iter().skip(1));
    }
}

/// Adds the paths behind the links in a directory, down to this depth, at most three. False if the directory
/// holds too many entries to look at all of them. A directory that cannot be read holds nothing for its
/// programs either.
pub(super) fn add_below(directory: &Path, depth: usize, targets: &mut Vec<PathBuf>) -> bool {
    let mut left = MAX_ENTRIES;
    // Directories higher up count for more.
    let mut directories = VecDeque::from([(directory.to_owned(), 1)]);
    while let Some((directory, level)) = directories.pop_front() {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        for entry in entries {
            if left == 0 {
                return false;
            }
            left -= 1;
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => add_of(&entry.path(), targets),
                Ok(kind)
                    if kind.is_dir() && level < depth.min(MAX_DEPTH) && entry.file_name() != PACKAGES =>
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
pub(super) fn holds(targets: &[PathBuf], path: &Path) -> bool {
    targets.iter().any(|target| path.starts_with(target))
}
