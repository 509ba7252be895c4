//! Paths without links, also of files that do not exist yet.

use alongside_platform::Os;
use alongside_platform::paths::{Canonical as _, spelled};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The path as the system spells it, so that two spellings of one file are equal, also where case does not
/// count. Of a file that does not exist, the path without links. Blocks.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonical().unwrap_or_else(|_| resolve(path))
}

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// The path without links. A path that does not exist is followed as far as it does, and so is a link to
/// nothing: a program that writes through it makes a file where it leads. Blocks.
pub fn resolve(path: &Path) -> PathBuf {
    spelled(Os::HERE, follow(path, |_| ()))
}

/// The paths that a program passes which opens this one: each path that leads on by a link, with what follows
/// on that link, and last the path without links. Blocks.
pub(crate) fn passed(path: &Path) -> Vec<PathBuf> {
    let mut passed = Vec::new();
    let end = follow(path, |step| {
        if step.is_link {
            passed.push(step.whole());
        }
    });
    passed.push(spelled(Os::HERE, end));
    passed
}

/// The readings of a path: the system's, which follows a link before `..`, and that of programs which remove
/// the part before `..`, as Node's `path.resolve` does.
pub fn readings(path: &Path) -> Vec<PathBuf> {
    let mut readings = vec![path.to_owned()];
    if path.components().any(|part| part == Component::ParentDir) {
        readings.push(lexically_resolved(path));
    }
    readings
}

fn lexically_resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            Component::CurDir => {}
            part => resolved.push(part),
        }
    }
    resolved
}

/// Where links such as `self` and `cwd` lead each process elsewhere.
const PROCESSES: &str = "/proc";

/// Whether the path leads another process elsewhere than this one. Blocks.
pub(crate) fn depends_on_process(path: &Path) -> bool {
    let mut depends = false;
    follow(path, |step| depends |= step.at.starts_with(PROCESSES));
    depends
}

/// A part of a path that is reached, without links but itself.
struct Step<'a> {
    at: &'a Path,
    is_link: bool,
    /// The parts that follow on it, the last one first.
    rest: &'a [OsString],
}

impl Step<'_> {
    /// The path from here on, as far as it says where it leads: up to `..`.
    fn whole(&self) -> PathBuf {
        let rest = self.rest.iter().rev().take_while(|part| *part != "..");
        self.at.components().map(|part| part.as_os_str()).chain(rest.map(OsString::as_os_str)).collect()
    }
}

/// Resolves the path, and shows each step before a link in its place is followed.
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
            // An absolute link begins anew.
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

/// The last part first.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<_> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}
