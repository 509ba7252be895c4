//! The hunks of a turn that the person accepted before they were written: they need no second look, and are
//! folded until the person opens them.

use std::collections::BTreeSet;

use alongside_desk::{Hunk, HunkState, Lines, OpenedTurnFile};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct AcceptedHunks {
    /// As [`OpenedTurnFile::accepted`].
    accepted: Vec<Lines>,
    /// The hunks that the person has opened, by the lines of original and proposal with which they begin.
    open: BTreeSet<(usize, usize)>,
}

impl AcceptedHunks {
    /// True if these are others than before.
    pub(super) fn set_accepted(&mut self, lines: &[Lines]) -> bool {
        let is_other = self.accepted != lines;
        if is_other {
            self.accepted = lines.to_vec();
        }
        is_other
    }

    /// Whether a hunk can be folded. One that is marked to be undone is in sight.
    pub(super) fn has(&self, hunk: &Hunk) -> bool {
        hunk.state == HunkState::Kept && OpenedTurnFile::is_accepted(&self.accepted, hunk)
    }

    pub(super) fn is_folded(&self, hunk: &Hunk) -> bool {
        self.has(hunk) && !self.open.contains(&place(hunk))
    }

    /// Opens a hunk or folds it. False if it cannot be folded.
    pub(super) fn toggle(&mut self, hunk: &Hunk) -> bool {
        let can = self.has(hunk);
        if can && !self.open.remove(&place(hunk)) {
            self.open.insert(place(hunk));
        }
        can
    }
}

fn place(hunk: &Hunk) -> (usize, usize) {
    (hunk.original.start, hunk.proposed.start)
}
