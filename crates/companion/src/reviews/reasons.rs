//! The reasons that a person gives for a decision: one for the whole review, and one for each hunk.
//!
//! A person's edits merge and split hunks. So a reason belongs to the lines of original and proposal at which
//! its hunk began, and is shown with the hunk that has these lines now.

use alongside_desk::{Hunk, Lines};

/// The reasons of one review.
#[derive(Debug, Default)]
pub(super) struct ReasonStore {
    for_review: Option<String>,
    hunks: Vec<HunkReason>,
}

#[derive(Debug)]
struct HunkReason {
    /// The first line of the hunk in the original.
    original: usize,
    /// The first line of the hunk in the proposal.
    proposed: usize,
    reason: String,
}

impl ReasonStore {
    /// Sets the reason for a hunk, or for the whole review. A text of whitespace removes the reason.
    pub(super) fn set(&mut self, hunk: Option<&Hunk>, reason: &str) {
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty()).map(str::to_owned);
        let Some(hunk) = hunk else {
            self.for_review = reason;
            return;
        };
        self.hunks.retain(|known| !known.is_of(hunk));
        let (original, proposed) = (hunk.original.start, hunk.proposed.start);
        self.hunks.extend(reason.map(|reason| HunkReason { original, proposed, reason }));
    }

    /// Returns the reason for the whole review.
    pub(super) fn for_review(&self) -> Option<&String> {
        self.for_review.as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.for_review.is_none() && self.hunks.is_empty()
    }

    /// Sets the reason of each hunk to the reasons that belong to it.
    pub(super) fn attach_to(&self, hunks: &mut [Hunk]) {
        if self.hunks.is_empty() {
            return;
        }
        for hunk in hunks {
            let reasons = self.hunks.iter().filter(|known| known.is_of(hunk));
            let reasons: Vec<_> = reasons.map(|known| known.reason.as_str()).collect();
            hunk.reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
        }
    }
}

impl HunkReason {
    /// Whether this reason belongs to a hunk: whether its lines are in the hunk. An empty range contains its
    /// start.
    fn is_of(&self, hunk: &Hunk) -> bool {
        let contains =
            |lines: Lines, line: usize| line == lines.start || lines.start < line && line < lines.end;
        contains(hunk.original, self.original) && contains(hunk.proposed, self.proposed)
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::HunkState;

    use super::*;

    fn hunk(original: (usize, usize), proposed: (usize, usize)) -> Hunk {
        let lines = |(start, end)| Lines { start, end };
        let (original, proposed, current) = (lines(original), lines(proposed), lines(proposed));
        let (state, words, limit, reason) = (HunkState::Kept, None, None, None);
        Hunk { original, proposed, current, state, words, limit, reason }
    }

    fn reasons(store: &ReasonStore, hunks: &[Hunk]) -> Vec<Option<String>> {
        let mut hunks = hunks.to_vec();
        store.attach_to(&mut hunks);
        hunks.into_iter().map(|hunk| hunk.reason).collect()
    }

    #[test]
    fn a_reason_stays_with_its_hunk_when_hunks_merge() {
        let (one, two) = (hunk((1, 2), (1, 3)), hunk((2, 2), (3, 4)));
        let mut store = ReasonStore::default();
        store.set(Some(&two), " not this \n");
        assert_eq!(reasons(&store, &[one.clone(), two.clone()]), [None, Some("not this".into())]);
        store.set(Some(&one), "nor that");
        let merged = hunk((0, 4), (0, 6));
        assert_eq!(reasons(&store, std::slice::from_ref(&merged)), [Some("not this\nnor that".into())]);
        store.set(Some(&merged), "");
        assert!(store.is_empty());
        store.set(None, "too early");
        assert_eq!(store.for_review().map(String::as_str), Some("too early"));
        store.set(None, " ");
        assert!(store.is_empty());
    }
}
