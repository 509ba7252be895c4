//! The pages of a change that is longer than the screen: where one begins, and how many rows it has. On a
//! terminal, a page that is higher than the screen scrolls away before anybody reads it.

use alongside_desk::Lines;
use alongside_terminal::columns_of;

use super::changed_line::TAB;
use super::printer::Look;

/// A page has so many lines of each side at most.
pub(super) const MOST_LINES: usize = 2_000;

/// A page of a change has so many rows of its lines at least, however low the screen is.
const FEWEST_ROWS: usize = 2;

/// The place where a page begins: behind the lines of both sides that stand on the pages before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// The change, where several are decided together.
    pub(super) hunk: usize,
    /// Lines of the original.
    pub(super) old: usize,
    /// Lines in their place.
    pub(super) new: usize,
}

/// A change or a whole text as it is printed, or a page of it.
pub(super) struct Page {
    /// Its lines.
    pub(super) text: String,
    /// The lines of the original and of the proposal that are printed now; `None` if a changed part of one is
    /// cut.
    pub(super) seen: Option<(Lines, Lines)>,
    /// The same lines, even if a part of one is cut.
    pub(super) begun: (Lines, Lines),
    /// Whether the person's own lines are printed in the place of those of the proposal.
    pub(super) is_edited: bool,
    /// Whether lines of the context have the sign of another change.
    pub(super) has_neighbours: bool,
    /// Where the next page begins, if one follows.
    pub(super) next: Option<Spot>,
}

/// The page on which the person is.
#[derive(Debug, Default)]
pub(super) struct Paging {
    at: Spot,
    next: Option<Spot>,
}

impl Paging {
    /// Where the page to print begins.
    pub(super) fn at(&self) -> Spot {
        self.at
    }

    /// Whether another page follows on what was printed last.
    pub(super) fn has_more(&self) -> bool {
        self.next.is_some()
    }

    /// The person goes to another place: its first page comes first.
    pub(super) fn begin(&mut self) {
        self.begin_at(Spot::default());
    }

    /// The person goes to another place: the page that begins at a spot comes first.
    pub(super) fn begin_at(&mut self, at: Spot) {
        *self = Self { at, next: None };
    }

    /// Goes on to the next page; false if there is none.
    pub(super) fn turn(&mut self) -> bool {
        let next = self.next.take();
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    /// These pages are printed.
    pub(super) fn mark_printed(&mut self, pages: &[Page]) {
        self.next = pages.iter().find_map(|page| page.next);
    }
}

/// How many rows the lines of a change may take on a page with so many other rows.
pub(super) fn rows_for_lines(look: Look, others: usize) -> usize {
    look.rows.map_or(usize::MAX, |rows| rows.saturating_sub(others).max(FEWEST_ROWS))
}

/// The look of what is printed below a text that stays on the screen.
pub(super) fn below(look: Look, text: &str) -> Look {
    Look { rows: look.rows.map(|rows| rows.saturating_sub(rows_of(text, look))), ..look }
}

/// How many rows a printed text takes. The only escapes in it are those of our own colours.
pub(super) fn rows_of(text: &str, look: Look) -> usize {
    let Some(columns) = look.columns else { return text.lines().count().max(1) };
    let rows = |line: &str| columns_of(&without_colours(line), (0, TAB)).div_ceil(columns).max(1);
    text.lines().map(rows).sum::<usize>().max(1)
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, behind)| behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_mode::printer::{Ink, Inks};

    #[test]
    fn rows_count_what_the_terminal_wraps_and_no_colours() {
        let look = Look { inks: Inks { on: true }, columns: Some(20), rows: Some(24) };
        let line = |length: usize| look.inks.ink(Ink::Added, &"x".repeat(length));
        for (text, rows) in [
            (line(0), 1),
            (line(20), 1),
            (line(21), 2),
            ("漢".repeat(11), 2),
            ("\t\tx".to_owned(), 1),
            ("\t\txxxxx".to_owned(), 2),
            (format!("{}\n{}", line(41), line(1)), 4),
        ] {
            assert_eq!(rows_of(&text, look), rows, "{text:?}");
        }
        assert_eq!(rows_of(&"x".repeat(99), Look { columns: None, ..look }), 1);
    }
}
