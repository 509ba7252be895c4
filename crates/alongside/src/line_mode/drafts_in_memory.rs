//! Drafts in memory, for the tests of line mode.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use alongside_desk::DraftKeeper;

/// The drafts, each as one text: file, agent, reason, text.
#[derive(Debug, Default)]
pub(super) struct Drafts(Mutex<Vec<String>>);

impl Drafts {
    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl DraftKeeper for Drafts {
    fn keep(&self, file: &str, agent: &str, why: &str, text: &str) -> io::Result<PathBuf> {
        self.0.lock().unwrap().push(format!("{file} ({agent}): {why}: {text}"));
        Ok("/drafts/1".into())
    }

    fn discard(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
