//! The steps on the disk between which a crash may come, for tests that act there.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

type Watcher = (PathBuf, Box<dyn Fn() + Send>);

static WATCHERS: Mutex<Vec<Watcher>> = Mutex::new(Vec::new());

/// Runs a closure at each step below a directory.
pub(crate) fn watch(directory: &Path, run: impl Fn() + Send + 'static) {
    let mut watchers = WATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
    watchers.push((directory.to_owned(), Box::new(run)));
}

/// Runs the closures that watch this path.
pub(crate) fn step(path: &Path) {
    let watchers = WATCHERS.lock().unwrap_or_else(PoisonError::into_inner);
    watchers.iter().filter(|(directory, _)| path.starts_with(directory)).for_each(|(_, run)| run());
}
