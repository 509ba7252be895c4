//! Files that git ignores and that changed since a point in time. They are no part of snapshots: a prompt
//! would wait for them. Whether such a file changed is told by the time of its last change, which no program
//! can choose.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use alongside_platform::{files, paths};

use crate::fault::Fault;
use crate::git::Git;

/// How many entries of wholly ignored directories are looked at, and how long.
const MAX_LOOKED_AT: usize = 100_000;
const MAX_TIME: Duration = Duration::from_millis(300);

/// Ignored files that have changed, and how far they were looked for.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    /// Their paths below the top, each with the time of the change that was found; a wholly ignored directory
    /// is one, with `/` at its end.
    pub(crate) changed: Vec<(Vec<u8>, SystemTime)>,
    /// How many directories were not looked through.
    pub(crate) unseen: usize,
}

/// Looks which ignored files have changed since then.
///
/// # Errors
/// When git fails.
pub(crate) fn changed_since(
    git: &Git,
    top: &Path,
    exclude_from: Option<OsString>,
    since: SystemTime,
) -> Result<Ignored, Fault> {
    let args = ["ls-files", "-o", "-i", "-z", "--directory", "--exclude-standard"].map(OsString::from);
    let output = git.run(args.into_iter().chain(exclude_from), None)?;
    let mut search = Search { since, left: MAX_LOOKED_AT, until: Instant::now() + MAX_TIME };
    let mut ignored = Ignored::default();
    for path in output.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        let Some(below) = paths::from_bytes(path) else { continue };
        match search.find_change(&top.join(below)) {
            Ok(Some(at)) => ignored.changed.push((path.to_vec(), at)),
            Ok(None) => {}
            Err(TooLarge) => ignored.unseen += 1,
        }
    }
    Ok(ignored)
}

/// There is too much in a directory to say whether something has changed.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// When something in a directory has changed since then, if so.
///
/// # Errors
/// If there is too much in it to say.
pub(crate) fn directory_changed_since(
    directory: &Path,
    since: SystemTime,
) -> Result<Option<SystemTime>, TooLarge> {
    Search { since, left: MAX_LOOKED_AT, until: Instant::now() + MAX_TIME }.find_change(directory)
}

struct Search {
    since: SystemTime,
    left: usize,
    until: Instant,
}

impl Search {
    /// When a file, or something in a directory, has changed, if so.
    fn find_change(&mut self, path: &Path) -> Result<Option<SystemTime>, TooLarge> {
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            if self.left == 0 || Instant::now() > self.until {
                return Err(TooLarge);
            }
            self.left -= 1;
            let Ok(found) = path.symlink_metadata() else { continue };
            if let Some(at) = files::changed_at(&found).filter(|at| *at > self.since) {
                return Ok(Some(at));
            }
            // The repository's own files change by themselves.
            if found.is_dir() && path.file_name().is_some_and(|name| name != ".git") {
                waiting.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            }
        }
        Ok(None)
    }
}
