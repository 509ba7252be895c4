//! The search of line mode for the next change that contains a text. A search text without a capital letter
//! ignores case, as at the terminal desk.

use std::ops::Range;

use alongside_desk::{HunkState, Review};

use super::prompts;

/// The latest search text.
#[derive(Debug, Default)]
pub(super) struct Search(String);

impl Search {
    /// Returns the text to search for: `new`, or the latest search text if `new` is empty.
    pub(super) fn choose_text(&mut self, new: &str) -> Option<&str> {
        if !new.is_empty() {
            new.clone_into(&mut self.0);
        }
        (!self.0.is_empty()).then_some(&*self.0)
    }

    /// Searches for the next change with a text, chosen as in [`choose_text`](Self::choose_text). Returns its
    /// index, and the sentence for the person.
    pub(super) fn next(&mut self, review: &Review, at: usize, text: &str) -> (Option<usize>, String) {
        let Some(text) = self.choose_text(text) else { return (None, prompts::NO_SEARCH_TEXT.to_owned()) };
        let hunks = review.hunks.len();
        let all: Vec<_> = changes_with(review, 0..hunks, text).collect();
        // The change where the person is comes last.
        let next = all.iter().position(|hunk| *hunk > at).unwrap_or(0);
        match all.get(next) {
            None => (None, prompts::not_found(text)),
            Some(hunk) => {
                let is_earlier = *hunk <= at && at < hunks;
                (Some(*hunk), prompts::found(text, (next + 1, all.len()), is_earlier))
            }
        }
    }
}

/// Returns the index of the first of these changes with the text in a removed or an added line.
pub(super) fn first_change(review: &Review, among: Range<usize>, text: &str) -> Option<usize> {
    changes_with(review, among, text).next()
}

/// Returns the indexes of these changes with the text in a removed or an added line.
fn changes_with(review: &Review, among: Range<usize>, text: &str) -> impl Iterator<Item = usize> {
    let ignores_case = !text.chars().any(char::is_uppercase);
    let folded = move |text: &str| if ignores_case { text.to_lowercase() } else { text.to_owned() };
    let folded_text = folded(text);
    let [original, proposed, current] = review.texts();
    let contains = move |index: &usize| {
        review.hunks.get(*index).is_some_and(|hunk| {
            let (new, lines) = match hunk.state {
                HunkState::Edited => (&current, hunk.current),
                HunkState::Kept | HunkState::Dropped => (&proposed, hunk.proposed),
            };
            let old = original.lines(hunk.original.start..hunk.original.end);
            [old, new.lines(lines.start..lines.end)]
                .into_iter()
                .any(|lines| folded(lines).contains(&folded_text))
        })
    };
    (among.start..among.end.min(review.hunks.len())).filter(contains)
}

#[cfg(test)]
mod tests {
    use alongside_desk::Hunk;

    use super::*;

    #[test]
    fn the_search_begins_after_the_current_change() {
        let line = |line: usize| (line..line + 1).into();
        let hunk =
            |at: usize| Hunk { original: line(at), proposed: line(at), current: line(at), ..Hunk::default() };
        let mut review = Review {
            original: Some("one\nsame\nthree\nfour\n".into()),
            proposed: "ONE\nsame\nDrei\nvier\n".into(),
            current: "ONE\nsame\nDrei\nmine\n".into(),
            hunks: vec![hunk(0), hunk(2), hunk(3)],
            ..Review::default()
        };
        let found = |review: &Review, at, text: &str| Search::default().next(review, at, text).0;
        assert_eq!(found(&review, 0, "drei"), Some(1));
        assert_eq!(found(&review, 0, "one"), Some(0), "the current change comes last");
        assert_eq!(found(&review, 3, "three"), Some(1), "from the end, the first one");
        assert_eq!(found(&review, 0, "same"), None, "only changed lines are searched");
        assert_eq!(found(&review, 0, "DREI"), None, "with a capital letter, case counts");
        assert_eq!((found(&review, 0, "vier"), found(&review, 0, "mine")), (Some(2), None));
        review.hunks[2].state = HunkState::Edited;
        assert_eq!((found(&review, 0, "vier"), found(&review, 0, "mine")), (None, Some(2)));
    }

    #[test]
    fn a_search_repeats_its_text_and_counts_its_matches() {
        let line = |line: usize| (line..line + 1).into();
        let hunk = |at: usize| Hunk { original: line(at), proposed: line(at), ..Hunk::default() };
        let review =
            Review { proposed: "ax\nb\ncx\n".into(), hunks: (0..3).map(hunk).collect(), ..Review::default() };
        let mut search = Search::default();
        assert_eq!(search.next(&review, 0, ""), (None, prompts::NO_SEARCH_TEXT.to_owned()));
        assert_eq!(search.next(&review, 0, "x"), (Some(2), "Match 2 of 2.".to_owned()));
        let back = "No later change contains \"x\": match 1 of 2.".to_owned();
        assert_eq!(search.next(&review, 2, ""), (Some(0), back));
        assert_eq!(search.next(&review, 3, ""), (Some(0), "Match 1 of 2.".to_owned()));
        let none = "No change contains \"y\\\\x1b\".".to_owned();
        assert_eq!(search.next(&review, 2, "y\x1b"), (None, none));
    }
}
