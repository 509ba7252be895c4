//! The search of line mode: the next change that contains a text. Without a capital letter it finds either
//! case, as at the terminal desk.

use std::ops::Range;

use alongside_desk::{HunkState, Review, Text};

use super::prompts;

/// The text that was searched for last.
#[derive(Debug, Default)]
pub(super) struct Search(String);

impl Search {
    /// The text to look for: this one, or if it is empty, the text that was searched for last.
    pub(super) fn text(&mut self, new: &str) -> Option<&str> {
        if !new.is_empty() {
            new.clone_into(&mut self.0);
        }
        (!self.0.is_empty()).then_some(&*self.0)
    }

    /// The next change with a text, as in [`text`](Self::text), and the words for the person.
    pub(super) fn next(&mut self, review: &Review, at: usize, text: &str) -> (Option<usize>, String) {
        let Some(text) = self.text(text) else { return (None, prompts::NO_TEXT.to_owned()) };
        let hunks = review.hunks.len();
        let all: Vec<_> = changes_with(review, 0..hunks, text).collect();
        // The change at the person's place comes last.
        let next = all.iter().position(|hunk| *hunk > at).unwrap_or(0);
        match all.get(next) {
            None => (None, prompts::not_found(text)),
            Some(hunk) => {
                let is_before = *hunk <= at && at < hunks;
                (Some(*hunk), prompts::found(text, (next + 1, all.len()), is_before))
            }
        }
    }
}

/// The index of the first of these changes that contains a text in a removed or an added line.
pub(super) fn first_change(review: &Review, among: Range<usize>, text: &str) -> Option<usize> {
    changes_with(review, among, text).next()
}

/// The indexes of these changes that contain it so.
fn changes_with(review: &Review, among: Range<usize>, text: &str) -> impl Iterator<Item = usize> {
    let any_case = !text.chars().any(char::is_uppercase);
    let folded = move |text: &str| if any_case { text.to_lowercase() } else { text.to_owned() };
    let wanted = folded(text);
    let original = Text::new(review.original.clone().unwrap_or_default());
    let (proposed, current) = (Text::new(review.proposed.clone()), Text::new(review.current.clone()));
    let contains = move |index: &usize| {
        review.hunks.get(*index).is_some_and(|hunk| {
            let (new, lines) = match hunk.state {
                HunkState::Edited => (&current, hunk.current),
                HunkState::Kept | HunkState::Dropped => (&proposed, hunk.proposed),
            };
            let old = original.lines(hunk.original.start..hunk.original.end);
            [old, new.lines(lines.start..lines.end)].into_iter().any(|lines| folded(lines).contains(&wanted))
        })
    };
    (among.start..among.end.min(review.hunks.len())).filter(contains)
}

#[cfg(test)]
mod tests {
    use alongside_desk::Hunk;

    use super::*;

    #[test]
    fn the_next_change_with_a_text_is_found_from_here_on() {
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
        assert_eq!(found(&review, 0, "one"), Some(0), "this one comes last");
        assert_eq!(found(&review, 3, "three"), Some(1), "from the end, the first one");
        assert_eq!(found(&review, 0, "same"), None, "it does not change");
        assert_eq!(found(&review, 0, "DREI"), None, "a capital letter means itself");
        assert_eq!((found(&review, 0, "vier"), found(&review, 0, "mine")), (Some(2), None));
        review.hunks[2].state = HunkState::Edited;
        assert_eq!((found(&review, 0, "vier"), found(&review, 0, "mine")), (None, Some(2)));
    }

    #[test]
    fn a_search_goes_on_with_its_text_and_says_where_it_went() {
        let line = |line: usize| (line..line + 1).into();
        let hunk = |at: usize| Hunk { original: line(at), proposed: line(at), ..Hunk::default() };
        let review =
            Review { proposed: "ax\nb\ncx\n".into(), hunks: (0..3).map(hunk).collect(), ..Review::default() };
        let mut search = Search::default();
        assert_eq!(search.next(&review, 0, ""), (None, prompts::NO_TEXT.to_owned()));
        assert_eq!(search.next(&review, 0, "x"), (Some(2), "Match 2 of 2.".to_owned()));
        let back = "No later change contains \"x\": match 1 of 2.".to_owned();
        assert_eq!(search.next(&review, 2, ""), (Some(0), back));
        assert_eq!(search.next(&review, 3, ""), (Some(0), "Match 1 of 2.".to_owned()));
        let none = "No change contains \"y\\\\x1b\".".to_owned();
        assert_eq!(search.next(&review, 2, "y\x1b"), (None, none));
    }
}
