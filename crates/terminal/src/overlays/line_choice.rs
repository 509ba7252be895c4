//! The lines of a change that a comment or a split is about: all lines, until the person chooses fewer. The
//! choice moves through the removed lines first and then through the added lines. The chosen lines belong to
//! one text.

use alongside_desk::review_model::comment_place::lines_words;
use alongside_desk::{Hunk, LineRange, Lines, Side};

use crate::review_page::PageLines;

/// The chosen lines of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineChoice {
    old: Lines,
    new: Lines,
    /// The lines at which the choice began and ends, counted from 0 at the first line of the change; `None`
    /// while all lines are chosen.
    chosen: Option<(usize, usize)>,
}

impl LineChoice {
    /// Creates the choice of all lines of a change; `None` if the change has no lines.
    pub(crate) fn of(hunk: &Hunk) -> Option<Self> {
        let choice = Self { old: hunk.original, new: hunk.proposed, chosen: None };
        (choice.count() > 0).then_some(choice)
    }

    fn count(&self) -> usize {
        self.old.len() + self.new.len()
    }

    fn is_old(&self, line: usize) -> bool {
        line < self.old.len()
    }

    /// Whether the person has chosen only some of the lines.
    pub(crate) fn is_part(&self) -> bool {
        self.chosen.is_some()
    }

    /// Moves the choice by a line, or with `extends` only its end. A step up from the first line chooses the
    /// whole change.
    pub(crate) fn step(&mut self, down: bool, extends: bool) {
        let last = self.count() - 1;
        self.chosen = match self.chosen {
            // The first step goes to the new lines, if there are any, because most comments are about these.
            None if down => Some(if self.new.is_empty() { 0 } else { self.old.len() }).map(|at| (at, at)),
            None => Some((last, last)),
            Some((from, to)) if extends => {
                let next = if down { (to + 1).min(last) } else { to.saturating_sub(1) };
                Some((from, if self.is_old(next) == self.is_old(from) { next } else { to }))
            }
            Some((from, to)) if down => {
                let next = (from.max(to) + 1).min(last);
                Some((next, next))
            }
            Some((from, to)) => from.min(to).checked_sub(1).map(|at| (at, at)),
        };
    }

    /// The chosen lines, and the text to which they belong. For a whole change, the added lines or, if there
    /// are none, the removed lines.
    pub(crate) fn lines(&self) -> (Side, Lines) {
        match self.chosen {
            None if self.new.is_empty() => (Side::Old, self.old),
            None => (Side::New, self.new),
            Some((from, to)) => {
                let (first, last) = (from.min(to), from.max(to));
                match self.is_old(first) {
                    true => {
                        let lines = Lines { start: self.old.start + first, end: self.old.start + last + 1 };
                        (Side::Old, lines)
                    }
                    false => {
                        let at = |line: usize| self.new.start + line - self.old.len();
                        (Side::New, Lines { start: at(first), end: at(last) + 1 })
                    }
                }
            }
        }
    }

    /// The chosen lines for people, as in `lines 4–7` or `old line 3`.
    pub(crate) fn words(&self) -> String {
        let (side, lines) = self.lines();
        LineRange::of(lines).map(|lines| lines_words(side, lines)).unwrap_or_default()
    }

    /// The lines that a page highlights; `None` while the whole change is chosen.
    pub(crate) fn on_page(&self) -> Option<PageLines> {
        let (side, lines) = self.lines();
        self.chosen.map(|_| PageLines { is_old: side == Side::Old, lines: lines.start..lines.end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(old: (usize, usize), new: (usize, usize)) -> LineChoice {
        let lines = |(start, end)| Lines { start, end };
        LineChoice::of(&Hunk { original: lines(old), proposed: lines(new), ..Hunk::default() }).unwrap()
    }

    #[test]
    fn a_choice_moves_line_by_line_and_stays_in_one_text() {
        let mut choice = choice((9, 11), (20, 23));
        for (down, extends, words) in [
            (true, false, "line 21"),
            (true, true, "lines 21–22"),
            (true, true, "lines 21–23"),
            (true, true, "lines 21–23"),
            (false, true, "lines 21–22"),
            (false, false, "old line 11"),
            (false, true, "old lines 10–11"),
            (false, false, "lines 21–23"),
            (false, false, "line 23"),
            (true, false, "line 23"),
        ] {
            choice.step(down, extends);
            assert_eq!(choice.words(), words);
        }
    }

    #[test]
    fn a_change_without_new_lines_is_about_old_ones() {
        let mut removal = choice((4, 6), (4, 4));
        assert_eq!(removal.words(), "old lines 5–6");
        removal.step(true, false);
        assert_eq!(removal.words(), "old line 5");
        let mut first = choice((0, 3), (0, 2));
        first.step(true, false);
        assert_eq!((first.words().as_str(), first.on_page().unwrap().lines), ("line 1", 0..1));
        assert_eq!(LineChoice::of(&Hunk::default()), None);
    }
}
