//! A review as it is drawn: rows of numbered lines, original beside or above what would be accepted, unchanged stretches
//! folded. It knows where things are; [`draw`](Page::draw) looks at the rows on the screen and at nothing else.

mod find;

pub(crate) use find::Needle;

use std::ops::Range;

use alongside_desk::{Review, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::Layout;
use crate::colour::Colours;
use crate::palette::Palette;

/// See the module.
#[derive(Debug)]
pub(crate) struct Page {}

/// A row that is found again after the page has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchor {}

/// How a page is looked at.
pub(crate) struct Look<'a> {
    /// All styles.
    pub(crate) palette: &'a Palette,
    /// The colours of source code.
    pub(crate) colours: &'a Colours,
    /// The hunk that keys act on.
    pub(crate) hunk: Option<usize>,
    /// What is searched for: every place is marked.
    pub(crate) search: Option<&'a Needle>,
    /// How many columns of every line are passed over.
    pub(crate) sideways: usize,
}

impl Page {
    /// All unchanged stretches are folded.
    pub(crate) fn new(review: &Review, layout: Layout) -> Self {
        let _ = (review, layout);
        Self {}
    }

    /// Takes a change of the review in; what was unfolded stays so. Rows may move: see [`anchor`](Self::anchor).
    pub(crate) fn update(&mut self, review: &Review) {
        let _ = review;
    }

    /// Lays it out otherwise. Rows move.
    pub(crate) fn relayout(&mut self, layout: Layout) {
        let _ = layout;
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        0
    }

    /// The rows of a hunk; empty if there is no such hunk.
    pub(crate) fn hunk_rows(&self, hunk: usize) -> Range<usize> {
        let _ = hunk;
        0..0
    }

    /// The hunk that a row belongs to.
    pub(crate) fn hunk_at(&self, row: usize) -> Option<usize> {
        let _ = row;
        None
    }

    /// The line of the current text at a row or next below it, counted from 1.
    pub(crate) fn line_at(&self, row: usize) -> usize {
        let _ = row;
        1
    }

    /// What finds this row again after [`update`](Self::update), [`relayout`](Self::relayout) or
    /// [`toggle_fold`](Self::toggle_fold).
    pub(crate) fn anchor(&self, row: usize) -> Anchor {
        let _ = row;
        Anchor {}
    }

    /// Where an anchored row is now, or what is left of it.
    pub(crate) fn row(&self, anchor: Anchor) -> usize {
        let _ = anchor;
        0
    }

    /// The row of the fold, open or closed, that is nearest to a row within some.
    pub(crate) fn fold_near(&self, row: usize, within: Range<usize>) -> Option<usize> {
        let _ = (row, within);
        None
    }

    /// Opens the fold whose row this is, or closes the open one that it belongs to. False if there is none.
    pub(crate) fn toggle_fold(&mut self, row: usize) -> bool {
        let _ = row;
        false
    }

    /// The next row after `row` that has what is searched for, or the last before it; beyond the end it goes on from the other
    /// end, so the row may be `row` itself. A fold that holds it is opened.
    pub(crate) fn find(&mut self, needle: &Needle, row: usize, forward: bool) -> Option<usize> {
        let _ = (needle, row, forward);
        None
    }

    /// Which lines of which texts these rows show, for [`Colours::ask`].
    pub(crate) fn lines_in(&self, rows: Range<usize>) -> Vec<(Text, Range<usize>)> {
        let _ = rows;
        Vec::new()
    }

    /// How far to the side the lines of these rows go on in an area this wide: the most that
    /// [`sideways`](Look::sideways) is good for.
    pub(crate) fn most_sideways(&self, rows: Range<usize>, width: u16) -> usize {
        let _ = (rows, width);
        0
    }

    /// Draws the rows from `top` on. Never touches a cell outside of `area`.
    pub(crate) fn draw(&self, buf: &mut Buffer, area: Rect, top: usize, look: &Look<'_>) {
        let _ = (buf, area, top, look);
    }
}
