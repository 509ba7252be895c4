//! Finds the hunks that change when a person keeps or drops them, and the sentence about the reason of a
//! hunk. Pure functions.

use alongside_desk::{Hunk, HunkState, Reasons, Review, messages};

/// Whether keeping or dropping a hunk changes it. To keep an edited hunk means to keep the person's own text,
/// not the proposed one.
pub(super) fn is_changed_by(hunk: &Hunk, keep: bool) -> bool {
    match hunk.state {
        HunkState::Kept | HunkState::Edited => !keep,
        HunkState::Dropped => keep,
    }
}

/// Returns the hunks from `place` on that change if all of them are kept or dropped.
pub(super) fn changed_rest(review: &Review, place: usize, keep: bool) -> Vec<usize> {
    let rest = review.hunks.iter().enumerate().skip(place);
    rest.filter(|(_, hunk)| is_changed_by(hunk, keep)).map(|(index, _)| index).collect()
}

/// Returns the sentence about a reason that was noted or removed. `is_kept`: the reason drops a kept hunk.
/// `at_hunk`: the reason is about a hunk.
pub(super) fn reason_sentence(
    reasons: Reasons,
    (removes, at_hunk, is_kept): (bool, bool, bool),
) -> &'static str {
    match at_hunk {
        _ if removes => messages::REASON_REMOVED,
        true if is_kept => messages::dropped_with_reason(reasons),
        true => messages::reason_of_change_noted(reasons),
        false => messages::reason_noted(reasons),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_has_only_hunks_from_here_on_that_change() {
        let hunk = |state| Hunk { state, ..Hunk::default() };
        let (kept, dropped, edited) =
            (hunk(HunkState::Kept), hunk(HunkState::Dropped), hunk(HunkState::Edited));
        let hunks = vec![dropped.clone(), kept.clone(), dropped, edited, kept];
        let review = Review { hunks, ..Review::default() };
        assert_eq!(changed_rest(&review, 1, true), [2]);
        assert_eq!(changed_rest(&review, 1, false), [1, 3, 4]);
        assert!(changed_rest(&review, 5, false).is_empty());
    }
}
