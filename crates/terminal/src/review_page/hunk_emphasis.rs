//! The emphasis on the lines of one hunk, for a desk that prints lines instead of a page: the words that
//! differ, the whitespace to draw, and the enclosing function. A page computes all of them in the same way,
//! by its [`Content`].

use std::ops::Range;

use alongside_desk::{Hunk, Review};

use super::content::Content;
use super::kind::ReviewKind;
use super::line_pairs::drawn_whitespace;
use super::sentences::Sentence;
use super::texts::byte_of;
use super::unwrapped_row::Cell;
use crate::options::Layout;
use crate::text::width::{Shown, Unit, Units};

/// The emphasis on the lines of one hunk.
#[derive(Debug)]
pub struct HunkEmphasis {
    content: Content,
}

/// The emphasis on a changed line, as sorted byte ranges of the line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineEmphasis {
    /// The words that differ.
    pub words: Vec<Range<usize>>,
    /// The whitespace that is drawn with visible signs.
    pub blanks: Vec<Range<usize>>,
}

impl HunkEmphasis {
    /// Computes the emphasis on the lines of a hunk of this review.
    pub fn new(review: &Review, hunk: &Hunk) -> Self {
        let only = vec![hunk.clone()];
        Self { content: Content::with_hunks(review, only, Layout::OneColumn, ReviewKind::Proposal) }
    }

    /// The emphasis on a line of the original. `line` counts from 0 at the first line of the hunk.
    pub fn removed(&self, line: usize) -> LineEmphasis {
        self.of(self.content.old_cell(0, line))
    }

    /// The emphasis on a proposed line, or on the line that the person wrote instead. `line` counts from 0 at
    /// the first line of the hunk.
    pub fn added(&self, line: usize) -> LineEmphasis {
        self.of(self.content.new_cell(0, line))
    }

    fn of(&self, cell: Cell) -> LineEmphasis {
        let line = self.content.texts.line(cell.side, cell.line);
        let in_bytes = |word: &alongside_desk::Range| {
            byte_of(line, word.start.character)..byte_of(line, word.end.character)
        };
        let words: Vec<_> = self.content.words(cell).iter().map(in_bytes).collect();
        let is_whitespace =
            |word: &&Range<usize>| line[(*word).clone()].chars().all(|c| matches!(c, ' ' | '\t'));
        let ends = drawn_whitespace(line, self.content.counterpart(&cell));
        let mut blanks: Vec<_> = words.iter().filter(is_whitespace).cloned().chain(ends).collect();
        blanks.retain(|range| !range.is_empty());
        blanks.sort_unstable_by_key(|range| range.start);
        LineEmphasis { words, blanks }
    }

    /// The sentence about a difference in the hunk that is hard to see; `None` without one.
    pub fn hard_to_see(&self) -> Option<&str> {
        match self.content.sentence(0, 0) {
            Some(Sentence::HardToSee(said)) => Some(said),
            Some(Sentence::Moved(_) | Sentence::Reason(_)) | None => None,
        }
    }

    /// The function or heading that encloses the hunk. Escape it before a person sees it.
    pub fn enclosing(&self) -> Option<&str> {
        let first = self.content.hunks.first()?.current.start;
        self.content.enclosing(first)
    }
}

/// The byte at which to cut a line so that it fits into `columns`, with a sign of one column behind it;
/// `None` if the whole line fits. `tab`: the columns between two tab stops. `indent`: the columns before the
/// line.
pub fn cut_at(line: &str, columns: usize, (indent, tab): (usize, usize)) -> Option<usize> {
    let (mut at, mut cut) = (indent, 0);
    for unit in Units::from(line, 0) {
        at = column_behind(at, &unit, tab);
        if at > columns {
            return Some(cut);
        }
        if at < columns {
            cut = unit.bytes.end;
        }
    }
    None
}

/// The columns of a line together with the columns before it; `indent` and `tab` as for [`cut_at`].
pub fn columns_of(line: &str, (indent, tab): (usize, usize)) -> usize {
    Units::from(line, 0).fold(indent, |at, unit| column_behind(at, &unit, tab))
}

fn column_behind(at: usize, unit: &Unit<'_>, tab: usize) -> usize {
    at + match unit.shown {
        Shown::Tab => tab - at % tab,
        Shown::Text(_) | Shown::Escape(_) => unit.width,
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::{Agent, HunkState, Limit, Position, Range as TextRange, Words};

    use super::*;
    use crate::scripted_companion::{self, differs, keep_hunks};

    fn review(original: &str, proposed: &str, state: HunkState, words: Option<Words>) -> Review {
        let mut pieces = [differs(original, proposed)];
        keep_hunks(&mut pieces, &[0], state != HunkState::Dropped);
        let mut review = scripted_companion::review(1, &Agent::default(), "/p/a", &pieces);
        (review.hunks[0].words, review.hunks[0].limit) = (words, Some(Limit::Words));
        review
    }

    fn emphasis(review: &Review) -> HunkEmphasis {
        HunkEmphasis::new(review, &review.hunks[0])
    }

    fn bytes(ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
        ranges.iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn words_are_those_of_the_review_in_bytes() {
        let at = |from, to| TextRange {
            start: Position { line: 0, character: from },
            end: Position { line: 0, character: to },
        };
        let words = Words { removed: vec![at(3, 6)], added: vec![at(3, 8)] };
        for state in [HunkState::Kept, HunkState::Dropped] {
            let emphasis = emphasis(&review("😀 two\n", "😀 three\n", state, Some(words.clone())));
            assert_eq!(bytes(&emphasis.removed(0).words), [(5, 8)]);
            assert_eq!(bytes(&emphasis.added(0).words), [(5, 10)]);
            assert!(emphasis.removed(0).blanks.is_empty() && emphasis.added(0).blanks.is_empty());
        }
    }

    #[test]
    fn whitespace_that_differs_is_drawn_and_reported() {
        let emphasis = emphasis(&review("    a\n", "\ta \n", HunkState::Kept, None));
        assert_eq!(bytes(&emphasis.removed(0).blanks), [(0, 4)]);
        assert_eq!(bytes(&emphasis.added(0).blanks), [(0, 1), (2, 3)]);
        assert!(emphasis.hard_to_see().is_some());
    }

    #[test]
    fn too_much_for_words_has_the_part_that_differs() {
        let emphasis = emphasis(&review("let old = 1;\n", "let new = 1;\n", HunkState::Kept, None));
        assert_eq!(bytes(&emphasis.removed(0).words), [(4, 7)]);
        assert_eq!(bytes(&emphasis.added(0).words), [(4, 7)]);
        assert_eq!((emphasis.hard_to_see(), emphasis.enclosing()), (None, None));
    }

    #[test]
    fn a_line_is_cut_where_its_mark_has_room() {
        assert_eq!(cut_at("12345", 5, (0, 8)), None);
        assert_eq!(cut_at("123456", 5, (0, 8)), Some(4));
        assert_eq!(cut_at("\tabc", 11, (1, 8)), None, "the tab reaches to column 8");
        assert_eq!(cut_at("\tabc", 10, (1, 8)), Some(2));
        assert_eq!(cut_at("漢字漢字", 7, (1, 8)), Some(6), "no half of a character");
        assert_eq!(cut_at("a\u{1b}b", 5, (0, 8)), Some(1), "an escape is as wide as it is shown");
    }
}
