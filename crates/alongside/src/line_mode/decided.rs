//! The changes that the person has kept by a letter. The companion knows no difference between them and those
//! that nobody has looked at.

use std::collections::HashSet;

use alongside_desk::{Hunk, Lines, ReviewId};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct KeptChanges(HashSet<(ReviewId, [usize; 4])>);

impl KeptChanges {
    /// The person has kept this change, or nothing is decided about it any more.
    pub(super) fn set(&mut self, id: ReviewId, hunk: &Hunk, is_kept: bool) {
        let key = (id, lines(hunk));
        match is_kept {
            true => _ = self.0.insert(key),
            false => _ = self.0.remove(&key),
        }
    }

    /// Whether the person has kept this change.
    pub(super) fn holds(&self, id: ReviewId, hunk: &Hunk) -> bool {
        self.0.contains(&(id, lines(hunk)))
    }

    /// A review has ended.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.0.retain(|(of, _)| *of != id);
    }
}

/// The lines that make it the same change.
fn lines(hunk: &Hunk) -> [usize; 4] {
    let Hunk { original: Lines { start, end }, proposed, .. } = hunk;
    [*start, *end, proposed.start, proposed.end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_kept_change_is_not_kept_and_the_end_forgets_all() {
        let hunk = |end| Hunk { original: Lines { start: 1, end }, ..Hunk::default() };
        let mut kept = KeptChanges::default();
        kept.set(ReviewId(1), &hunk(3), true);
        assert!(kept.holds(ReviewId(1), &hunk(3)));
        assert!(!kept.holds(ReviewId(1), &hunk(2)) && !kept.holds(ReviewId(2), &hunk(3)));
        kept.set(ReviewId(1), &hunk(3), false);
        assert!(!kept.holds(ReviewId(1), &hunk(3)));
        kept.set(ReviewId(1), &hunk(3), true);
        kept.forget(ReviewId(1));
        assert!(!kept.holds(ReviewId(1), &hunk(3)));
    }
}
