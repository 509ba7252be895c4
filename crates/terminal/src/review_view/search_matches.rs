//! The matches of a search in one review, and the current match, to which the person went last: `3/34`.

use std::ops::Range;

use crate::review_page::{Match, Needle, Page};

/// All matches of a needle, in the order of the rows.
#[derive(Debug)]
pub(crate) struct SearchMatches {
    needle: Needle,
    all: Vec<Match>,
    /// The current match, as an index.
    at: Option<usize>,
}

impl SearchMatches {
    pub(crate) fn new(needle: &Needle, page: &Page) -> Self {
        Self { needle: needle.clone(), all: needle.all_in(page.content()), at: None }
    }

    pub(crate) fn are_of(&self, needle: &Needle) -> bool {
        self.needle == *needle
    }

    pub(crate) fn current(&self) -> Option<Match> {
        self.at.and_then(|at| self.all.get(at)).copied()
    }

    /// The number of the current match, counted from 1, and the number of all matches.
    pub(crate) fn count(&self) -> String {
        if self.all.is_empty() {
            return "no match".into();
        }
        let at = self.at.map_or_else(|| "-".to_owned(), |at| (at + 1).to_string());
        format!("{at}/{}", self.all.len())
    }

    /// Sorts the matches again, because the page has another layout.
    pub(crate) fn reorder(&mut self, page: &Page) {
        let current = self.current();
        self.all = self.needle.all_in(page.content());
        self.at = current.and_then(|current| self.all.iter().position(|found| *found == current));
    }

    /// Finds the matches again, because the text has changed. `row`: the row that the current match had, in
    /// the new page.
    pub(crate) fn search_again(&mut self, page: &Page, row: Option<usize>) {
        let current = self.current();
        self.all = self.needle.all_in(page.content());
        self.at = row.and_then(|row| {
            let first = self.first_from(page, row);
            let in_row = self.all[first..].iter().take_while(|found| found.row_in(page) == row);
            let same = |found: &Match| current.is_some_and(|current| current.is_at_same_byte(found));
            let at = in_row.clone().position(same).or(in_row.clone().next().map(|_| 0))?;
            Some(first + at)
        });
    }

    /// Goes to the next match, and from the last match to the first. Starts at the current match if it is on
    /// the screen, or else at the row `from`.
    pub(crate) fn step(
        &mut self,
        page: &Page,
        seen: &Range<usize>,
        from: usize,
        forward: bool,
    ) -> Option<Match> {
        let matches = self.all.len();
        if matches == 0 {
            return None;
        }
        let is_seen = |found: &Match| seen.contains(&found.row_in(page));
        let next = match (self.at.filter(|at| self.all.get(*at).is_some_and(is_seen)), forward) {
            (Some(at), true) => at + 1,
            (Some(at), false) => at + matches - 1,
            (None, true) => self.first_from(page, from),
            (None, false) => self.first_from(page, from) + matches - 1,
        };
        self.at = Some(next % matches);
        self.current()
    }

    /// The index of the first match in this row or below it.
    fn first_from(&self, page: &Page, row: usize) -> usize {
        self.all.partition_point(|found| found.is_above(row, page))
    }
}
