//! The reasons that a person gives for a decision: one for the whole review, and one for each change.
//!
//! A person's edits merge and split changes. So a reason belongs to the place in original and proposal where
//! its change was, and is shown with whatever change is there now.

use alongside_desk::{Hunk, Lines};

#[derive(Debug, Default)]
pub(super) struct ReasonStore {
    whole: Option<String>,
    hunks: Vec<HunkReason>,
}

#[derive(Debug)]
struct HunkReason {
    /// The first line of the change in the original, and in the proposal.
    original: usize,
    proposed: usize,
    reason: String,
}

impl ReasonStore {
    /// Sets the reason for a change, or for the whole review. A blank text removes the reason.
    pub(super) fn set(&mut self, hunk: Option<&Hunk>, reason: &str) {
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty()).map(str::to_owned);
        let Some(hunk) = hunk else {
            self.whole = reason;
            return;
        };
        self.hunks.retain(|known| !known.is_of(hunk));
        let (original, proposed) = (hunk.original.start, hunk.proposed.start);
        self.hunks.extend(reason.map(|reason| HunkReason { original, proposed, reason }));
    }

    pub(super) fn whole(&self) -> Option<&String> {
        self.whole.as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_none() && self.hunks.is_empty()
    }

    pub(super) fn annotate(&self, hunks: &mut [Hunk]) {
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
    fn is_of(&self, hunk: &Hunk) -> bool {
        let is_in = |line: usize, lines: Lines| line == lines.start || lines.start < line && line < lines.end;
        is_in(self.original, hunk.original) && is_in(self.proposed, hunk.proposed)
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
        store.annotate(&mut hunks);
        hunks.into_iter().map(|hunk| hunk.reason).collect()
    }

    #[test]
    fn a_reason_stays_with_its_change_when_changes_merge() {
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
        assert_eq!(store.whole().map(String::as_str), Some("too early"));
        store.set(None, " ");
        assert!(store.is_empty());
    }
}
