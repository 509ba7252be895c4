//! The hunks of a turn that the person accepted before they were written. They need no second review, and are
//! folded until the person opens them.

use std::collections::BTreeSet;

use alongside_desk::{Hunk, HunkState, Lines, OpenedTurnFile};

/// The hunks that the person accepted before the write, and which of them are opened.
#[derive(Debug, Default)]
pub(super) struct AcceptedHunks {
    /// As [`OpenedTurnFile::accepted`].
    accepted: Vec<Lines>,
    /// The hunks that the person has opened, by the lines of the original and the proposal with which they
    /// begin.
    open: BTreeSet<(usize, usize)>,
}

impl AcceptedHunks {
    /// Sets the accepted lines. Returns whether they have changed.
    pub(super) fn set_accepted(&mut self, lines: &[Lines]) -> bool {
        let is_other = self.accepted != lines;
        if is_other {
            self.accepted = lines.to_vec();
        }
        is_other
    }

    /// Whether a hunk can be folded. A hunk that is marked to be undone is always visible.
    pub(super) fn is_accepted(&self, hunk: &Hunk) -> bool {
        hunk.state == HunkState::Kept && OpenedTurnFile::is_accepted(&self.accepted, hunk)
    }

    pub(super) fn is_folded(&self, hunk: &Hunk) -> bool {
        self.is_accepted(hunk) && !self.open.contains(&first_lines(hunk))
    }

    /// Opens a hunk or folds it. Returns false if it cannot be folded.
    pub(super) fn toggle(&mut self, hunk: &Hunk) -> bool {
        let can = self.is_accepted(hunk);
        if can && !self.open.remove(&first_lines(hunk)) {
            self.open.insert(first_lines(hunk));
        }
        can
    }
}

fn first_lines(hunk: &Hunk) -> (usize, usize) {
    (hunk.original.start, hunk.proposed.start)
}
