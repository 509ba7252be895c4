//! Looks at the files of decided reviews, outside the main loop, since a look waits for the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use alongside_platform::watch::Watch;

use crate::reviews::decided_text::{DecidedText, Found};
use crate::reviews::target::Fingerprint;

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
    /// The number of its decision.
    pub(super) number: u64,
    pub(super) text: Arc<DecidedText>,
    /// Whether a file that both holds the text and is as before counts as before.
    pub(super) is_before_first: bool,
    /// The file as it was seen last. `None` if a look says something even of an unchanged file.
    pub(super) known: Option<Fingerprint>,
    /// Whether the watch was over before the look.
    pub(super) is_last: bool,
}

/// The content of a file, as a look found it.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(super) number: u64,
    pub(super) found: Found,
    pub(super) print: Fingerprint,
    pub(super) is_last: bool,
}

impl Look {
    /// Watches the directories, and then looks at the files, so that no change between the two is missed.
    /// Blocks.
    pub(crate) fn run(self) -> Vec<Sight> {
        self.watch.set(self.directories);
        let is_changed = |target: &Target| {
            !target.known.as_ref().is_some_and(|known| known.is_surely_current(&target.text.file))
        };
        let changed = self.targets.into_iter().filter(is_changed);
        let looked = changed.map(|Target { number, text, is_before_first, is_last, .. }| {
            let (found, print) = text.look(is_before_first);
            Sight { number, found, print, is_last }
        });
        looked.collect()
    }
}

/// The directories in which a change may change the file of this text, or a link on the way to it.
pub(super) fn directories(text: &DecidedText) -> impl Iterator<Item = PathBuf> {
    [Path::new(&text.file), &text.real].into_iter().filter_map(Path::parent).map(Path::to_owned)
}
