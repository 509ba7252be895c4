//! The project files that agents propose for, with every text that the script and the agents write. Any other
//! content of a file breaks a rule.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::record::{Target, push};

/// The project files of a round. Clones share the files.
#[derive(Debug, Clone, Default)]
pub(super) struct Project(Arc<Mutex<Vec<Target>>>);

impl Project {
    fn lock(&self) -> MutexGuard<'_, Vec<Target>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file, and records the text with the time `at` in milliseconds.
    pub(super) fn write(&self, at: u64, path: &Path, text: &str) -> io::Result<()> {
        let mut targets = self.lock();
        let index = targets.iter().position(|target| target.path == path).unwrap_or_else(|| {
            push(&mut targets, Target { path: path.to_owned(), writes: Vec::new(), found: None })
        });
        targets[index].writes.push((at, text.to_owned()));
        fs::write(path, text)
    }

    /// Returns the files with their present content.
    pub(super) fn targets_on_disk(&self) -> Vec<Target> {
        let mut targets = self.lock().clone();
        targets.iter_mut().for_each(|target| target.found = fs::read_to_string(&target.path).ok());
        targets
    }
}
