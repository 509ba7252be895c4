//! Finds the hunk that differs after an undo or redo in line mode.

use alongside_desk::review_model::UndoStep;
use alongside_desk::{Hunk, HunkState, Review, Text};

/// The direction through the person's own steps.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Undo,
    Redo,
}

/// Whether a step changed nothing, as when a kept hunk was kept. The companion does not know such a step.
pub(super) fn changes_nothing(step: Option<UndoStep>) -> bool {
    step.is_some_and(|step| !step.changed)
}

/// Returns the first hunk of `now` that differs from `before`. The hunk of the step is not enough: a step may
/// come from another desk, and an edit may change any hunk.
pub(super) fn first_difference(before: &Review, now: &Review) -> Option<usize> {
    let ([_, _, old], [_, _, new]) = (before.texts(), now.texts());
    fn content<'a>(hunk: &Hunk, text: &'a Text) -> impl PartialEq + use<'a> {
        let lines = hunk.current.start..hunk.current.end;
        (hunk.original, hunk.proposed, hunk.state, text.lines(lines))
    }
    let is_same = |(a, b): (&Hunk, &Hunk)| content(a, &old) == content(b, &new);
    let same = before.hunks.iter().zip(&now.hunks).take_while(|pair| is_same(*pair)).count();
    let differs = same < before.hunks.len().max(now.hunks.len());
    differs.then(|| same.min(now.hunks.len().saturating_sub(1)))
}

/// Whether an undo has restored a dropped change that still has the reason for its drop. The model would read
/// this reason for a change that is accepted.
pub(super) fn brings_back_with_reason(to: Step, before: &Review, now: &Review, hunk: usize) -> bool {
    let state = |review: &Review| review.hunks.get(hunk).map(|hunk| hunk.state);
    let is_back = state(before) == Some(HunkState::Dropped) && state(now) == Some(HunkState::Kept);
    let has_reason = now.hunks.get(hunk).is_some_and(|hunk| hunk.reason.is_some());
    matches!(to, Step::Undo) && is_back && has_reason
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a review with three hunks of one line each.
    fn review(states: [HunkState; 3]) -> Review {
        let hunk = |(at, state): (usize, HunkState)| {
            let lines = (at..at + 1).into();
            Hunk { original: lines, proposed: lines, current: lines, state, ..Hunk::default() }
        };
        let hunks = states.into_iter().enumerate().map(hunk).collect();
        Review { current: "1\n2\n3\n".into(), hunks, ..Review::default() }
    }

    #[test]
    fn the_first_hunk_that_differs_is_found() {
        use HunkState::{Dropped, Edited, Kept};
        let before = review([Kept, Kept, Kept]);
        assert_eq!(first_difference(&before, &before), None);
        assert_eq!(first_difference(&before, &review([Kept, Kept, Dropped])), Some(2));
        assert_eq!(first_difference(&before, &review([Kept, Edited, Dropped])), Some(1));
        let edited = Review { current: "1\ntwo\n3\n".into(), ..before.clone() };
        assert_eq!(first_difference(&before, &edited), Some(1), "the text of an edited hunk");
        let fewer = Review { hunks: before.hunks[..2].to_vec(), ..before.clone() };
        assert_eq!(first_difference(&before, &fewer), Some(1), "the last one that is left");
        assert_eq!(first_difference(&fewer, &before), Some(2));
    }
}
