//! The project files that agents propose for, and every text that the script and the agents write into them.
//! Any other content there breaks a rule.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::record::{Target, push};

/// The files of a round. A clone is the same project.
#[derive(Debug, Clone, Default)]
pub(super) struct Project(Arc<Mutex<Vec<Target>>>);

impl Project {
    fn lock(&self) -> MutexGuard<'_, Vec<Target>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file at `at` milliseconds of the round, and notes the text.
    pub(super) fn write(&self, at: u64, path: &Path, text: &str) -> io::Result<()> {
        let mut targets = self.lock();
        let index = targets.iter().position(|target| target.path == path).unwrap_or_else(|| {
            push(&mut targets, Target { path: path.to_owned(), writes: Vec::new(), found: None })
        });
        targets[index].writes.push((at, text.to_owned()));
        fs::write(path, text)
    }

    /// The files with their present content.
    pub(super) fn targets_on_disk(&self) -> Vec<Target> {
        let mut targets = self.lock().clone();
        targets.iter_mut().for_each(|target| target.found = fs::read_to_string(&target.path).ok());
        targets
    }
}
