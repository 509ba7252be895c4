//! The changes that the person has kept by a letter. The companion does not tell them apart from changes
//! without a decision.

use std::collections::HashSet;
use std::ops::Range;

use alongside_desk::{Hunk, Lines, Review, ReviewId};

/// The kept changes, by their reviews and lines.
#[derive(Debug, Default)]
pub(super) struct KeptChanges(HashSet<(ReviewId, [usize; 4])>);

impl KeptChanges {
    /// Marks these changes of a review as kept, or as undecided again.
    pub(super) fn set(&mut self, review: &Review, hunks: Range<usize>, is_kept: bool) {
        for hunk in review.hunks.get(hunks).unwrap_or_default() {
            let key = (review.id, lines(hunk));
            match is_kept {
                true => _ = self.0.insert(key),
                false => _ = self.0.remove(&key),
            }
        }
    }

    /// Whether the person has kept the change at this index.
    pub(super) fn contains(&self, review: &Review, hunk: usize) -> bool {
        review.hunks.get(hunk).is_some_and(|hunk| self.0.contains(&(review.id, lines(hunk))))
    }

    /// Removes the changes of a review that has ended.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.0.retain(|(review, _)| *review != id);
    }
}

/// Returns the lines by which a change is recognised.
fn lines(hunk: &Hunk) -> [usize; 4] {
    let Hunk { original: Lines { start, end }, proposed, .. } = hunk;
    [*start, *end, proposed.start, proposed.end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_kept_change_is_not_kept_and_the_end_forgets_all() {
        let review = |id, end| {
            let hunk = Hunk { original: Lines { start: 1, end }, ..Hunk::default() };
            Review { id: ReviewId(id), hunks: vec![hunk], ..Review::default() }
        };
        let (whole, mut kept) = (review(1, 3), KeptChanges::default());
        kept.set(&whole, 0..1, true);
        assert!(kept.contains(&whole, 0) && !kept.contains(&whole, 1));
        assert!(!kept.contains(&review(1, 2), 0) && !kept.contains(&review(2, 3), 0));
        kept.set(&whole, 0..1, false);
        assert!(!kept.contains(&whole, 0));
        kept.set(&whole, 0..1, true);
        kept.forget(ReviewId(1));
        assert!(!kept.contains(&whole, 0));
    }
}
