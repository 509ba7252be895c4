//! A look at the files of decided reviews. It waits for the disk, so it runs outside the main loop.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_platform::watch::Watch;

use crate::reviews::decided_text::{DecidedText, FoundContent};
use crate::reviews::target::Fingerprint;

/// The input of a look.
#[derive(Debug)]
pub(crate) struct Look {
    pub(super) watch: Arc<Watch>,
    /// The directories to watch: a change in one of them may change a target.
    pub(super) directories: BTreeSet<PathBuf>,
    pub(super) targets: Vec<Target>,
}

/// A file to look at.
#[derive(Debug)]
pub(super) struct Target {
    /// The number of the decision.
    pub(super) number: u64,
    pub(super) text: Arc<DecidedText>,
    /// Whether a file that is unchanged since the decision counts as unchanged even if it holds the text.
    pub(super) is_before_first: bool,
    /// The file as the last look found it; `None` if a look at an unchanged file may have a consequence.
    pub(super) known: Option<Fingerprint>,
    /// Whether the watch was over before the look.
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
        let is_changed = |target: &Target| {
            !target.known.as_ref().is_some_and(|known| known.is_surely_current(&target.text.file))
        };
        let changed = self.targets.into_iter().filter(is_changed);
        let results = changed.map(|Target { number, text, is_before_first, is_last, .. }| {
            let (found, fingerprint) = text.look(is_before_first);
            LookResult { number, found, fingerprint, is_last }
        });
        results.collect()
    }
}

/// Returns the directories in which a change may change the file of this text, or a link on the way to it.
pub(super) fn directories(text: &DecidedText) -> impl Iterator<Item = PathBuf> {
    [Path::new(&text.file), &text.real].into_iter().filter_map(Path::parent).map(Path::to_owned)
}
