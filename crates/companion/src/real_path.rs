//! Paths with links resolved, also of files that do not exist yet.

use alongside_platform::Os;
use alongside_platform::paths::{Canonical as _, spelled};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Returns the path as the system spells it, so that two spellings of one file are equal, also where the
/// system ignores case. For a file that does not exist, returns the path with links resolved. Blocks.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonical().unwrap_or_else(|_| resolve(path))
}

/// The largest number of links in one path, as on Linux.
const MAX_LINKS: usize = 40;

/// Returns the path with links resolved, up to the first part that does not exist. A dangling link is
/// followed, too: a program that writes through it makes the file to which it leads. Blocks.
pub fn resolve(path: &Path) -> PathBuf {
    spelled(Os::HERE, follow(path, |_| ()))
}

/// Returns the paths that a program passes when it opens this one: each path with a link, followed by the
/// parts after that link, and last the path with links resolved. Blocks.
pub(crate) fn steps(path: &Path) -> Vec<PathBuf> {
    let mut steps = Vec::new();
    let end = follow(path, |step| {
        if step.is_link {
            steps.push(step.whole());
        }
    });
    steps.push(spelled(Os::HERE, end));
    steps
}

/// Returns the readings of a path: that of the system, which follows a link before `..`, and that of programs
/// which remove the part before `..`, as Node's `path.resolve` does.
pub fn readings(path: &Path) -> Vec<PathBuf> {
    let mut readings = vec![path.to_owned()];
    if components(path).any(|part| part == Component::ParentDir) {
        readings.push(lexically_resolved(path));
    }
    readings
}

fn lexically_resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in components(path) {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}

/// The directory whose links, such as `self` and `cwd`, lead each process elsewhere.
const PROCESSES: &str = "/proc";

/// Whether another process reaches another file by this path than this process. Blocks.
pub(crate) fn depends_on_process(path: &Path) -> bool {
    let mut depends = false;
    follow(path, |step| depends |= step.at.starts_with(PROCESSES));
    depends
}

/// A reached part of a path; only the last part may still be a link.
struct Step<'a> {
    at: &'a Path,
    is_link: bool,
    /// The parts that follow, the last one first.
    rest: &'a [OsString],
}

impl Step<'_> {
    /// Returns the path from here on, up to the first `..`: behind it, the path depends on the link.
    fn whole(&self) -> PathBuf {
        let rest = self.rest.iter().rev().take_while(|part| *part != "..");
        self.at.components().map(|part| part.as_os_str()).chain(rest.map(OsString::as_os_str)).collect()
    }
}

/// Resolves the path. Calls `pass` for each step, before a link of that step is followed.
fn follow(path: &Path, mut pass: impl FnMut(Step<'_>)) -> PathBuf {
    let mut resolved = PathBuf::new();
    let mut rest = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
        let step = Path::new(&part).components().next();
        match step {
            Some(Component::Normal(name)) => resolved.push(name),
            Some(Component::ParentDir) => {
                resolved.pop();
                continue;
            }
            // An absolute link begins again at the root.
            Some(Component::RootDir | Component::Prefix(_)) => {
                resolved.push(&part);
                continue;
            }
            Some(Component::CurDir) | None => continue,
        }
        let target = std::fs::read_link(&resolved).ok().filter(|_| links < MAX_LINKS);
        pass(Step { at: &resolved, is_link: target.is_some(), rest: &rest });
        if let Some(target) = target {
            links += 1;
            resolved.pop();
            rest.extend(parts(&target));
        }
    }
    resolved
}

/// Returns the components of the path. Behind the prefix `\\?\` of Windows, a slash is a part of a name, but
/// agents such as those in Node take it for a separator before they open the file.
fn components(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().flat_map(|part| Path::new(part.as_os_str()).components())
}

/// Returns the parts of the path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<_> = components(path).map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;
    use crate::rooted;

    #[test]
    fn a_slash_behind_a_verbatim_prefix_hides_no_part() {
        let path = format!(r"\\?\{}p\docs/../secret/a", rooted("/").display());
        assert_eq!(resolve(Path::new(&path)), rooted("/p/secret/a"));
        assert_eq!(readings(Path::new(&path)).len(), 2);
    }
}
