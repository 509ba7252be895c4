//! The pages of a hunk that is longer than the screen: their beginnings and their rows. On a terminal, the
//! beginning of a page that is higher than the screen would scroll away unread.

use alongside_desk::Lines;
use alongside_terminal::columns_of;

use super::changed_line::TAB_COLUMNS;
use super::printer::Layout;

/// The most lines of each side on a page.
pub(super) const MAX_LINES: usize = 2_000;

/// The fewest rows for the lines of a hunk on a page, also on a low screen.
const MIN_HUNK_ROWS: usize = 2;

/// The beginning of a page: the number of lines on the pages before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// The index of the hunk, if several hunks are decided together.
    pub(super) hunk: usize,
    /// The number of lines of the original.
    pub(super) old: usize,
    /// The number of lines that replace them.
    pub(super) new: usize,
}

/// A page of a hunk or of a whole text, as it is printed.
pub(super) struct Page {
    /// The printed lines, joined.
    pub(super) text: String,
    /// The lines of the original and of the proposal on the page; `None` if a changed part of a line is cut.
    pub(super) seen: Option<(Lines, Lines)>,
    /// The lines of the original and of the proposal on the page, also if a part of a line is cut.
    pub(super) begun: (Lines, Lines),
    /// Whether the person's own lines are printed in place of the proposed ones.
    pub(super) is_edited: bool,
    /// Whether lines of context have the sign of another change.
    pub(super) has_neighbours: bool,
    /// The beginning of the next page, if one follows.
    pub(super) next: Option<Spot>,
}

/// The page on which the person is.
#[derive(Debug, Default)]
pub(super) struct Paging {
    at: Spot,
    next: Option<Spot>,
}

impl Paging {
    /// Returns the beginning of the page to print.
    pub(super) fn at(&self) -> Spot {
        self.at
    }

    /// Whether another page follows the last printed one.
    pub(super) fn has_more(&self) -> bool {
        self.next.is_some()
    }

    /// Goes to another place, at its first page.
    pub(super) fn begin(&mut self) {
        self.begin_at(Spot::default());
    }

    /// Goes to another place, at the page that begins at a spot.
    pub(super) fn begin_at(&mut self, at: Spot) {
        *self = Self { at, next: None };
    }

    /// Goes to the next page. Returns false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        let next = self.next.take();
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    /// Stores the page that follows these printed ones.
    pub(super) fn mark_printed(&mut self, pages: &[Page]) {
        self.next = pages.iter().find_map(|page| page.next);
    }
}

/// Returns the rows for the lines of a hunk on a page with `others` other rows.
pub(super) fn rows_for_lines(layout: Layout, others: usize) -> usize {
    layout.rows.map_or(usize::MAX, |rows| rows.saturating_sub(others).max(MIN_HUNK_ROWS))
}

/// Returns the layout of the output below a text that stays on the screen.
pub(super) fn layout_below(layout: Layout, text: &str) -> Layout {
    Layout { rows: layout.rows.map(|rows| rows.saturating_sub(rows_of(text, layout))), ..layout }
}

/// Returns the number of rows of a printed text, whose only escape sequences are our own colours.
pub(super) fn rows_of(text: &str, layout: Layout) -> usize {
    let Some(columns) = layout.columns else { return text.lines().count().max(1) };
    let rows = |line: &str| columns_of(&without_colours(line), (0, TAB_COLUMNS)).div_ceil(columns).max(1);
    text.lines().map(rows).sum::<usize>().max(1)
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, after)| after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_mode::printer::{Ink, Inks};

    #[test]
    fn rows_include_wrapped_lines_and_ignore_colours() {
        let layout = Layout { inks: Inks { on: true }, columns: Some(20), rows: Some(24) };
        let line = |length: usize| layout.inks.ink(Ink::Added, &"x".repeat(length));
        for (text, rows) in [
            (line(0), 1),
            (line(20), 1),
            (line(21), 2),
            ("漢".repeat(11), 2),
            ("\t\tx".to_owned(), 1),
            ("\t\txxxxx".to_owned(), 2),
            (format!("{}\n{}", line(41), line(1)), 4),
        ] {
            assert_eq!(rows_of(&text, layout), rows, "{text:?}");
        }
        assert_eq!(rows_of(&"x".repeat(99), Layout { columns: None, ..layout }), 1);
    }
}
