//! Finds the files that git ignores and that have changed since a point in time. Snapshots do not hold
//! ignored files, because a prompt would have to wait for that. The change time (ctime) of a file, which no
//! program can choose, shows whether the file has changed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use alongside_platform::{files, paths};

use crate::error::Error;
use crate::git::Git;

/// The largest number of entries of ignored directories that are examined, and the time limit for that.
const MAX_ENTRIES: usize = 100_000;
const MAX_TIME: Duration = Duration::from_millis(300);

/// The ignored files that have changed, and the number of directories that were not searched to their end.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    /// The paths of the files below the top, each with the time of its change. A directory that is ignored as
    /// a whole is one path, with `/` at its end.
    pub(crate) changed: Vec<(Vec<u8>, SystemTime)>,
    /// The number of directories that were too large to be searched.
    pub(crate) unseen: usize,
}

/// Finds the ignored files that have changed since `since`.
///
/// # Errors
/// When git fails.
pub(crate) fn changed_since(
    git: &Git,
    top: &Path,
    exclude_from: Option<OsString>,
    since: SystemTime,
) -> Result<Ignored, Error> {
    let args = ["ls-files", "-o", "-i", "-z", "--directory", "--exclude-standard"].map(OsString::from);
    let output = git.run(args.into_iter().chain(exclude_from), None)?;
    let mut search = Search { since, left: MAX_ENTRIES, until: Instant::now() + MAX_TIME };
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

/// The error for a directory that is too large to be searched for a change.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// Returns the time of a change in a directory since `since`; `None` without a change.
///
/// # Errors
/// If the directory is too large to be searched.
pub(crate) fn directory_changed_since(
    directory: &Path,
    since: SystemTime,
) -> Result<Option<SystemTime>, TooLarge> {
    Search { since, left: MAX_ENTRIES, until: Instant::now() + MAX_TIME }.find_change(directory)
}

struct Search {
    since: SystemTime,
    left: usize,
    until: Instant,
}

impl Search {
    /// Returns the time of the first change that is found, of a file or of an entry below a directory.
    fn find_change(&mut self, path: &Path) -> Result<Option<SystemTime>, TooLarge> {
        let mut pending = vec![path.to_owned()];
        while let Some(path) = pending.pop() {
            if self.left == 0 || Instant::now() > self.until {
                return Err(TooLarge);
            }
            self.left -= 1;
            let Ok(found) = path.symlink_metadata() else { continue };
            if let Some(at) = files::changed_at(&found).filter(|at| *at > self.since) {
                return Ok(Some(at));
            }
            // Git changes the repository's own files at any time.
            if found.is_dir() && path.file_name().is_some_and(|name| name != ".git") {
                pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            }
        }
        Ok(None)
    }
}
