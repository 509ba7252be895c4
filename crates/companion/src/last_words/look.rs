//! A look at the files of decided reviews. It waits for the disk, so it runs outside the main loop.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_platform::watch::Watch;

use crate::reviews::decided_text::{DecidedText, FoundContent};
use crate::reviews::target::Fingerprint;

/// A look that is due.
#[derive(Debug)]
pub(crate) struct Look {
    pub(super) watch: Arc<Watch>,
    /// The directories to watch: a change in one of them may change a watched file.
    pub(super) directories: BTreeSet<PathBuf>,
    pub(super) files: Vec<WatchedFile>,
}

/// A file to look at.
#[derive(Debug)]
pub(super) struct WatchedFile {
    /// The number of the decision.
    pub(super) number: u64,
    pub(super) text: Arc<DecidedText>,
    /// Whether a file that is unchanged since the decision counts as unchanged even if it holds the text.
    pub(super) prefers_unchanged: bool,
    /// The file as the last look found it; `None` if the file must be looked at even if it is unchanged.
    pub(super) known: Option<Fingerprint>,
    /// Whether the watch over the decision has ended, so that this look at the file is the last one.
    pub(super) is_last: bool,
}

/// The content of a file, as a look found it.
#[derive(Debug)]
pub(crate) struct LookResult {
    pub(super) number: u64,
    pub(super) found: FoundContent,
    pub(super) fingerprint: Fingerprint,
    pub(super) is_last: bool,
}

impl Look {
    /// Watches the directories, and then looks at the files, so that no change between the two steps is
    /// missed. Blocks.
    pub(crate) fn run(self) -> Vec<LookResult> {
        self.watch.set(self.directories);
        let is_changed = |watched: &WatchedFile| {
            !watched.known.as_ref().is_some_and(|known| known.is_surely_current(&watched.text.file))
        };
        let changed = self.files.into_iter().filter(is_changed);
        let results = changed.map(|WatchedFile { number, text, prefers_unchanged, is_last, .. }| {
            let (found, fingerprint) = text.look(prefers_unchanged);
            LookResult { number, found, fingerprint, is_last }
        });
        results.collect()
    }
}

/// Returns the directories in which a change may change the file of this text, or a link on the way to it.
pub(super) fn directories(text: &DecidedText) -> impl Iterator<Item = PathBuf> {
    [Path::new(&text.file), &text.real_path].into_iter().filter_map(Path::parent).map(Path::to_owned)
}
