//! Which hunks change when they are kept or dropped, and the words about the reason of one. Pure functions.

use alongside_desk::{Hunk, HunkState, Reasons, Review, messages};

/// Whether keeping or dropping a hunk changes it. Keeping an edited hunk keeps the person's own text: it
/// never gives way to the proposal.
pub(super) fn changes(hunk: &Hunk, keep: bool) -> bool {
    match hunk.state {
        HunkState::Kept | HunkState::Edited => !keep,
        HunkState::Dropped => keep,
    }
}

/// The hunks from `place` on that change if all of these are kept or dropped.
pub(super) fn changed_rest(review: &Review, place: usize, keep: bool) -> Vec<usize> {
    let rest = review.hunks.iter().enumerate().skip(place);
    rest.filter(|(_, hunk)| changes(hunk, keep)).map(|(index, _)| index).collect()
}

/// The words about a reason that was noted or removed. `is_kept`: it drops a change; `at_hunk`: it is about
/// one.
pub(super) fn reason_taken(
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
    fn the_rest_begins_here_and_has_what_changes_only() {
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
