//! A page of which a part is on the screen. The rows that the person reads stay in place while other rows
//! change.

use std::ops::Range;

use crate::review_page::{Page, PageLines, RowIdentity};

/// The rows that stay visible above a hunk to which a key goes.
const ROWS_ABOVE_HUNK: usize = 3;

/// A page, and the position of the screen on it.
pub(super) struct ScrolledPage {
    page: Page,
    /// The first row on the screen.
    top: usize,
    /// The rows and columns of the screen; 0 before the first frame.
    height: usize,
    width: u16,
}

/// The way of a key to another hunk.
pub(super) enum HunkStep {
    /// Scrolls by rows: the hunk continues beyond the screen.
    Scroll(isize),
    Hunk(usize),
}

impl ScrolledPage {
    pub(super) fn new(page: Page) -> Self {
        Self { page, top: 0, height: 0, width: 0 }
    }

    pub(super) fn page(&self) -> &Page {
        &self.page
    }

    /// The first row on the screen.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// The rows on the screen.
    pub(super) fn rows(&self) -> Range<usize> {
        self.top..self.bottom().min(self.page.rows())
    }

    /// The row below the last one of the screen.
    fn bottom(&self) -> usize {
        self.top + self.height
    }

    /// Whether a hunk is on the screen, at least in part.
    pub(super) fn shows(&self, hunk: usize) -> bool {
        let rows = self.page.hunk_rows(hunk);
        rows.start < self.bottom() && rows.end > self.top
    }

    /// Whether a whole hunk is on the screen.
    pub(super) fn shows_whole(&self, hunk: usize) -> bool {
        let rows = self.page.hunk_rows(hunk);
        !rows.is_empty() && rows.start >= self.top && rows.end <= self.bottom()
    }

    /// Whether a hunk has no more rows than the screen.
    pub(super) fn fits(&self, hunk: usize) -> bool {
        self.page.hunk_rows(hunk).len() <= self.height
    }

    /// Half the rows of the screen.
    pub(super) fn half_screen(&self) -> isize {
        (self.height / 2).max(1) as isize
    }

    /// The most rows by which a key scrolls.
    pub(super) fn full_screen(&self) -> isize {
        self.height.saturating_sub(2).max(1) as isize
    }

    /// The way to the next of all `hunks`; `None` at the end.
    pub(super) fn step_down(&self, hunk: usize, mut hunks: Range<usize>) -> Option<HunkStep> {
        let rows = |hunk: usize| self.page.hunk_rows(hunk);
        if hunks.is_empty() {
            return Some(HunkStep::Scroll(self.half_screen()));
        }
        if !self.shows(hunk) {
            // The key goes to the next hunk from the rows on the screen.
            let last = hunks.end - 1;
            let next = hunks.find(|hunk| rows(*hunk).end > self.top);
            return Some(HunkStep::Hunk(next.unwrap_or(last)));
        }
        match rows(hunk).end.saturating_sub(self.bottom()) {
            0 => Some(hunk + 1).filter(|next| hunks.contains(next)).map(HunkStep::Hunk),
            below => Some(HunkStep::Scroll((below as isize).min(self.full_screen()))),
        }
    }

    /// The way to the previous of all `hunks`; `None` at the beginning.
    pub(super) fn step_up(&self, hunk: usize, mut hunks: Range<usize>) -> Option<HunkStep> {
        let rows = |hunk: usize| self.page.hunk_rows(hunk);
        if hunks.is_empty() {
            return Some(HunkStep::Scroll(-self.half_screen()));
        }
        if !self.shows(hunk) {
            let previous = hunks.rfind(|hunk| rows(*hunk).start < self.bottom());
            return Some(HunkStep::Hunk(previous.unwrap_or(0)));
        }
        match self.top.saturating_sub(rows(hunk).start) {
            0 => hunk.checked_sub(1).map(HunkStep::Hunk),
            above => Some(HunkStep::Scroll(-(above as isize + 1).min(self.full_screen()))),
        }
    }

    /// Whether a long line on the screen begins at its change, and not at its first column.
    pub(super) fn is_at_changes(&self) -> bool {
        self.page.has_rows_from_change(self.rows(), self.width)
    }

    /// The columns that every line has.
    pub(super) fn room(&self) -> usize {
        self.page.room(self.width)
    }

    /// The most columns by which the rows on the screen can scroll to the side.
    pub(super) fn max_sideways(&self) -> usize {
        self.page.max_sideways(self.rows(), self.width)
    }

    /// Fits the page into `height` rows and `width` columns. [`clamp`](Self::clamp) must follow.
    pub(super) fn resize(&mut self, height: u16, width: u16) {
        (self.height, self.width) = (height.into(), width);
    }

    /// Scrolls up if there is room below the last row of the page.
    pub(super) fn clamp(&mut self) {
        self.top = self.top.min(self.page.rows().saturating_sub(self.height));
    }

    /// Scrolls by rows. Returns false if the rows on the screen stay the same.
    pub(super) fn scroll(&mut self, by: isize) -> bool {
        let before = self.top;
        self.top = self.top.saturating_add_signed(by);
        self.clamp();
        self.top != before
    }

    /// Scrolls so that a row is on the screen, a third down if it was not there before.
    pub(super) fn show_row(&mut self, row: usize) {
        if row < self.top || row >= self.bottom() {
            self.top = row.saturating_sub(self.height / 3);
            self.clamp();
        }
    }

    /// Scrolls so that a hunk is on the screen: the whole hunk if it fits.
    pub(super) fn show_hunk(&mut self, hunk: usize) {
        let rows = self.page.hunk_rows(hunk);
        if !rows.is_empty() && (rows.start < self.top || rows.end > self.bottom()) {
            let spare = self.height.saturating_sub(rows.len());
            self.top = rows.start.saturating_sub(ROWS_ABOVE_HUNK.max(spare / 3).min(spare.max(1)));
        }
        self.clamp();
    }

    /// Scrolls so that these lines and the row below them are on the screen.
    pub(super) fn show_lines(&mut self, lines: &PageLines) {
        let Some(rows) = self.page.rows_of_lines(lines) else { return };
        if rows.start < self.top || rows.end > self.bottom() {
            self.top = (rows.end + 1).saturating_sub(self.height).min(rows.start);
            self.clamp();
        }
    }

    /// The row that stays in place while other rows change: the first row of the hunk if it is on the screen,
    /// or else the top row.
    pub(super) fn kept_row(&self, hunk: usize) -> usize {
        let rows = self.page.hunk_rows(hunk);
        if rows.start >= self.top && rows.start < self.bottom() && !rows.is_empty() {
            rows.start
        } else {
            self.top
        }
    }

    /// Changes rows of the page, and keeps the rows that the person reads in place. Returns whether rows have
    /// changed.
    pub(super) fn keep_rows(&mut self, hunk: usize, change: impl FnOnce(&mut Page) -> bool) -> bool {
        let row = self.kept_row(hunk);
        let (identity, down) = (RowIdentity::of(&self.page, row), row - self.top.min(row));
        let has_changed = change(&mut self.page);
        if has_changed {
            self.top = identity.row_in(&self.page).saturating_sub(down);
        }
        has_changed
    }

    /// Opens or closes the fold in a row. Returns false if there is none.
    pub(super) fn toggle_fold(&mut self, row: usize) -> bool {
        let identity = RowIdentity::of(&self.page, self.top);
        let toggled = self.page.toggle_fold(row);
        if toggled {
            self.top = identity.row_in(&self.page);
            self.clamp();
        }
        toggled
    }

    /// The row of the fold that is nearest to the hunk, or to the middle of the screen.
    pub(super) fn nearest_fold(&self, hunk: usize) -> Option<usize> {
        let rows = self.rows();
        let from = match self.shows(hunk) {
            true => self.page.hunk_rows(hunk).start,
            false => rows.start.midpoint(rows.end),
        };
        self.page.fold_near(from, rows)
    }

    /// Changes the page without moving rows by itself, such as to open the fold over a match.
    pub(super) fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }
}
