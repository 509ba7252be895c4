//! The changes that the person has kept by a letter. The companion knows no difference between them and those
//! that nobody has looked at.

use std::collections::HashSet;
use std::ops::Range;

use alongside_desk::{Hunk, Lines, Review, ReviewId};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct KeptChanges(HashSet<(ReviewId, [usize; 4])>);

impl KeptChanges {
    /// Notes that the person has kept these changes of a review, or that they are undecided again.
    pub(super) fn set(&mut self, review: &Review, hunks: Range<usize>, is_kept: bool) {
        for hunk in review.hunks.get(hunks).unwrap_or_default() {
            let key = (review.id, lines(hunk));
            match is_kept {
                true => _ = self.0.insert(key),
                false => _ = self.0.remove(&key),
            }
        }
    }

    /// Whether the person has kept the change at this place.
    pub(super) fn holds(&self, review: &Review, hunk: usize) -> bool {
        review.hunks.get(hunk).is_some_and(|hunk| self.0.contains(&(review.id, lines(hunk))))
    }

    /// A review has ended.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.0.retain(|(of, _)| *of != id);
    }
}

/// The lines by which a change is known again.
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
        assert!(kept.holds(&whole, 0) && !kept.holds(&whole, 1));
        assert!(!kept.holds(&review(1, 2), 0) && !kept.holds(&review(2, 3), 0));
        kept.set(&whole, 0..1, false);
        assert!(!kept.holds(&whole, 0));
        kept.set(&whole, 0..1, true);
        kept.forget(ReviewId(1));
        assert!(!kept.holds(&whole, 0));
    }
}
