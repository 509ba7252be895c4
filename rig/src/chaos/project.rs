//! The files that agents propose for: what a round's script and its agents write into them, which is all that
//! may be found there.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::record::Target;

/// See the module. A clone is the same project.
#[derive(Debug, Clone, Default)]
pub(super) struct Project(Arc<Mutex<Vec<Target>>>);

impl Project {
    fn targets(&self) -> MutexGuard<'_, Vec<Target>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file at this time of the round, in milliseconds.
    ///
    /// # Errors
    /// When the disk does not let us.
    pub(super) fn write(&self, at: u64, path: &Path, text: &str) -> io::Result<()> {
        let mut targets = self.targets();
        let place = targets.iter().position(|target| target.path == path).unwrap_or_else(|| {
            targets.push(Target { path: path.to_owned(), writes: Vec::new(), found: None });
            targets.len() - 1
        });
        targets[place].writes.push((at, text.to_owned()));
        fs::write(path, text)
    }

    /// The files, with what is there now.
    pub(super) fn found(&self) -> Vec<Target> {
        let mut targets = self.targets().clone();
        targets.iter_mut().for_each(|target| target.found = fs::read_to_string(&target.path).ok());
        targets
    }
}
