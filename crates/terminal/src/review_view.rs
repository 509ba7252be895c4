//! A review on the screen: the visible rows, and the hunk that keys act on. Scrolling does not wait for the
//! companion.

pub(crate) mod search_matches;

use std::ops::Range;

use alongside_desk::review_model::{OpenReview, ReviewNews, SeenPart};
use alongside_desk::{Changed, Lines, OutOfStep, Review, messages};

use crate::options::Layout;
use crate::review_page::{
    Needle, Page, PageForm, PageLines, PageNote, ReviewKind, RowIdentity, SeenLines, ShownLine, Wrap,
};
use crate::review_view::search_matches::SearchMatches;

/// The rows that stay visible above a hunk to which a key goes.
const ROWS_ABOVE_HUNK: usize = 3;

/// An open review, and its position on the screen.
pub(crate) struct ReviewView {
    open: OpenReview,
    kind: ReviewKind,
    /// The first row on the screen.
    pub(crate) top: usize,
    /// The columns by which the text is scrolled to the side.
    pub(crate) sideways: usize,
    /// The revision that was on the screen last.
    pub(crate) seen_revision: Option<u64>,
    /// The lines that have been on the screen, and the part of the review that these lines are.
    seen_lines: SeenLines,
    seen_part: SeenPart,
    /// The numbers of lines that accepting would add and remove now.
    pub(crate) counts: (usize, usize),
    /// The matches of the search.
    pub(crate) matches: Option<SearchMatches>,
    page: Option<Page>,
    /// The notes beside the lines.
    notes: Vec<PageNote>,
    /// The lines whose change the person accepted before the change was written.
    accepted: Vec<Lines>,
    /// Whether the view has scrolled to the first hunk, which happens once.
    has_opened: bool,
    /// The rows and columns of the view on the screen.
    height: usize,
    width: u16,
}

impl ReviewView {
    pub(crate) fn new(review: Review) -> Self {
        Self::of_kind(review, ReviewKind::Proposal)
    }

    /// Creates the view of a file of a turn.
    pub(crate) fn of_turn(review: Review) -> Self {
        Self::of_kind(review, ReviewKind::TurnFile)
    }

    fn of_kind(review: Review, kind: ReviewKind) -> Self {
        Self {
            kind,
            top: 0,
            sideways: 0,
            counts: messages::line_counts(&review),
            seen_revision: None,
            seen_lines: SeenLines::default(),
            seen_part: SeenPart::changes(0, 1),
            matches: None,
            page: None,
            notes: Vec::new(),
            accepted: Vec::new(),
            has_opened: false,
            height: 0,
            width: 0,
            open: OpenReview::new(review),
        }
    }

    pub(crate) fn review(&self) -> &Review {
        self.open.review()
    }

    pub(crate) fn kind(&self) -> ReviewKind {
        self.kind
    }

    /// The review without its position on the screen, for the person's editor.
    pub(crate) fn open(&self) -> &OpenReview {
        &self.open
    }

    pub(crate) fn open_mut(&mut self) -> &mut OpenReview {
        &mut self.open
    }

    /// The numbers of lines that accepting would add and remove now, as in `+3 -1`.
    pub(crate) fn size_words(&self) -> String {
        let (added, removed) = self.counts;
        format!("+{added} -{removed}")
    }

    /// The part of the review that has been on the screen.
    pub(crate) fn seen_part(&self) -> SeenPart {
        self.seen_part
    }

    /// Whether accepting leaves an empty text in a file that had one. The agent may also delete the file;
    /// then a remark says so.
    pub(crate) fn will_be_empty(&self) -> bool {
        messages::empties(self.review())
    }

    /// The lines on the screen, counted from 1, and the number of all lines, of a change with more rows than
    /// the screen or of a long text without changes; otherwise `None`.
    pub(crate) fn place(&self) -> Option<(Range<usize>, usize)> {
        self.page()?.visible_part(self.hunk(), self.rows())
    }

    /// Notes that these lines of this revision are on the screen.
    pub(crate) fn mark_seen(&mut self, revision: u64, lines: &[ShownLine]) {
        self.seen_revision = Some(revision);
        let mut has_new_lines = false;
        for line in lines {
            has_new_lines |= self.seen_lines.insert(*line);
        }
        if has_new_lines {
            self.update_seen_part();
        }
    }

    fn update_seen_part(&mut self) {
        if let Some(page) = &self.page {
            self.seen_part = self.seen_lines.part_of(page);
        }
    }

    /// The hunk that keys act on, as an index.
    pub(crate) fn hunk(&self) -> usize {
        self.open.hunk()
    }

    /// Notes that the last edit was undone, and goes to its hunk.
    pub(crate) fn mark_undone(&mut self) {
        if let Some(step) = self.open.mark_undone() {
            self.go_to_hunk(step.hunk);
        }
    }

    /// Notes that the edit that was undone last was redone, and goes to its hunk.
    pub(crate) fn mark_redone(&mut self) {
        if let Some(step) = self.open.mark_redone() {
            self.go_to_hunk(step.hunk);
        }
    }

    /// Sets the layout of the review. The rows that the person reads stay in place.
    pub(crate) fn set_layout(&mut self, layout: Layout) {
        let wrap = self.page().map_or(Wrap::Nothing, |page| page.form().wrap);
        self.set_form(PageForm { layout, wrap });
    }

    fn set_form(&mut self, form: PageForm) {
        if self.page.is_none() {
            let mut page = Page::of_kind(self.open.review(), form, self.kind);
            page.set_notes(&self.notes);
            let has_folded = page.set_accepted(&self.accepted);
            self.page = Some(page);
            if has_folded {
                self.update_seen_part();
            }
        } else if self.page().is_some_and(|page| page.form() != form) {
            self.keep_rows(|page| {
                page.relayout(form);
                true
            });
            if let (Some(page), Some(matches)) = (&self.page, &mut self.matches) {
                matches.reorder(page);
            }
        }
    }

    /// Fits the review into `height` rows and `width` columns, after [`set_layout`](Self::set_layout).
    pub(crate) fn arrange(&mut self, wraps_all: bool, height: u16, width: u16) {
        let (was_on_screen_whole, was_on_screen) = (self.is_hunk_whole(), self.hunk_on_screen());
        (self.height, self.width) = (usize::from(height), width);
        let Some(form) = self.page().map(Page::form) else { return };
        let wrap = if wraps_all { Wrap::All(width) } else { Wrap::Changes(width) };
        self.set_form(PageForm { wrap, ..form });
        if !std::mem::replace(&mut self.has_opened, true) {
            self.show_hunk();
        }
        self.clamp();
        // On a smaller screen, the hunk that keys act on may be below the last row now.
        if (was_on_screen_whole && !self.is_hunk_whole()) || (was_on_screen && !self.hunk_on_screen()) {
            self.show_hunk();
        }
        if let Some(page) = &self.page {
            self.sideways = self.sideways.min(page.max_sideways(self.rows(), width));
        }
    }

    /// Shows these notes beside the lines. The rows that the person reads stay in place.
    pub(crate) fn set_notes(&mut self, notes: &[PageNote]) {
        self.notes = notes.to_vec();
        if self.keep_rows(|page| page.set_notes(notes)) {
            self.clamp();
        }
    }

    /// Folds the changes of these lines, which the person accepted before the changes were written. The rows
    /// that the person reads stay in place.
    pub(crate) fn set_accepted(&mut self, lines: &[Lines]) {
        self.accepted = lines.to_vec();
        if self.keep_rows(|page| page.set_accepted(lines)) {
            self.update_seen_part();
            self.clamp();
        }
    }

    /// Changes rows of the page, and keeps the rows that the person reads in place. Returns whether rows have
    /// changed.
    fn keep_rows(&mut self, change: impl FnOnce(&mut Page) -> bool) -> bool {
        let Some(page) = &mut self.page else { return false };
        let row = kept_row(page, self.open.hunk(), self.top, self.height);
        let (identity, down) = (RowIdentity::of(page, row), row - self.top.min(row));
        let has_changed = change(page);
        if has_changed {
            self.top = identity.row_in(page).saturating_sub(down);
        }
        has_changed
    }

    /// Scrolls so that these lines and the row below them are on the screen.
    pub(crate) fn show_lines(&mut self, lines: &PageLines) {
        let Some(rows) = self.page().and_then(|page| page.rows_of_lines(lines)) else { return };
        if rows.start < self.top || rows.end > self.top + self.height {
            self.top = (rows.end + 1).saturating_sub(self.height).min(rows.start);
            self.clamp();
        }
    }

    /// Finds the matches of a search, or removes them without a needle.
    pub(crate) fn update_matches(&mut self, needle: Option<&Needle>) {
        self.matches = match (needle, &self.page, self.matches.take()) {
            (Some(needle), _, Some(matches)) if matches.are_of(needle) => Some(matches),
            (Some(needle), Some(page), _) => Some(SearchMatches::new(needle, page)),
            _ => None,
        };
    }

    /// Whether a long line on the screen begins at its change, and not at its first column.
    pub(crate) fn is_at_changes(&self) -> bool {
        self.sideways == 0
            && self.page().is_some_and(|page| page.has_rows_from_change(self.rows(), self.width))
    }

    /// The rows on the screen.
    pub(crate) fn rows(&self) -> Range<usize> {
        let rows = self.page().map_or(0, Page::rows);
        self.top..(self.top + self.height).min(rows)
    }

    pub(crate) fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }

    /// The revision for a request of the person: the revision that was on the screen, or a newer one that the
    /// person's own edit made.
    pub(crate) fn meant_revision(&self) -> u64 {
        self.seen_revision.unwrap_or(0).max(self.open.own_revision()).min(self.review().revision)
    }

    /// Takes a new revision. The rows that the person reads stay in place.
    pub(crate) fn take(&mut self, changed: Changed) -> Result<ReviewNews, OutOfStep> {
        let (hunk, top, height) = (self.hunk(), self.top, self.height);
        let identity = self.page().map(|page| {
            let row = kept_row(page, hunk, top, height);
            (RowIdentity::of(page, row), row - top.min(row))
        });
        let current = self.matches.as_ref().and_then(SearchMatches::current);
        let found =
            current.and_then(|found| self.page().map(|page| RowIdentity::of(page, found.row_in(page))));
        let news = self.open.take(changed)?;
        self.counts = messages::line_counts(self.open.review());
        if let (Some(page), Some((identity, down))) = (&mut self.page, identity) {
            page.update(self.open.review());
            self.top = identity.row_in(page).saturating_sub(down);
            if let Some(matches) = &mut self.matches {
                matches.search_again(page, found.map(|found| found.row_in(page)));
            }
        }
        self.update_seen_part();
        self.clamp();
        Ok(news)
    }

    /// The rows of a hunk; empty before the first layout.
    fn hunk_rows(&self, hunk: usize) -> Range<usize> {
        self.page().map_or(0..0, |page| page.hunk_rows(hunk))
    }

    /// Whether the hunk that keys act on is on the screen, at least in part.
    pub(crate) fn hunk_on_screen(&self) -> bool {
        let rows = self.hunk_rows(self.hunk());
        rows.start < self.top + self.height && rows.end > self.top
    }

    /// Whether the whole hunk that keys act on is on the screen.
    fn is_hunk_whole(&self) -> bool {
        let rows = self.hunk_rows(self.hunk());
        !rows.is_empty() && rows.start >= self.top && rows.end <= self.top + self.height
    }

    /// Scrolls so that the hunk is on the screen: the whole hunk if it fits.
    pub(crate) fn show_hunk(&mut self) {
        let rows = self.hunk_rows(self.hunk());
        if !rows.is_empty() && (rows.start < self.top || rows.end > self.top + self.height) {
            let spare = self.height.saturating_sub(rows.len());
            self.top = rows.start.saturating_sub(ROWS_ABOVE_HUNK.max(spare / 3).min(spare.max(1)));
        }
        self.clamp();
    }

    /// Scrolls after a drop, which gives the hunk more rows, so that the whole hunk is on the screen if it
    /// fits.
    pub(crate) fn show_dropped(&mut self) {
        if self.hunk_rows(self.hunk()).len() <= self.height {
            self.show_hunk();
        }
    }

    /// Goes to the next hunk, or scrolls down in a hunk that continues below the screen. Returns false at the
    /// end.
    pub(crate) fn next_hunk(&mut self) -> bool {
        let (hunks, rows, bottom) = (self.hunks(), self.hunk_rows(self.hunk()), self.top + self.height);
        let next = if self.page.is_none() {
            // The review has not been on the screen yet, and will open at its first change.
            return false;
        } else if hunks.is_empty() {
            return self.scroll(self.half_screen());
        } else if !self.hunk_on_screen() {
            // The hunk is off the screen: the key goes to the next hunk from the rows on the screen.
            hunks.clone().find(|hunk| self.hunk_rows(*hunk).end > self.top).or(hunks.last())
        } else if rows.end > bottom {
            return self.scroll((rows.end - bottom).min(self.max_scroll()) as isize);
        } else {
            Some(self.hunk() + 1).filter(|next| hunks.contains(next))
        };
        self.go_to_hunk_if_any(next)
    }

    /// Goes to the previous hunk, or scrolls up in a hunk that begins above the screen. Returns false at the
    /// beginning.
    pub(crate) fn previous_hunk(&mut self) -> bool {
        let (mut hunks, rows, bottom) = (self.hunks(), self.hunk_rows(self.hunk()), self.top + self.height);
        let next = if self.page.is_none() {
            return false;
        } else if hunks.is_empty() {
            return self.scroll(-self.half_screen());
        } else if !self.hunk_on_screen() {
            hunks.rfind(|hunk| self.hunk_rows(*hunk).start < bottom).or(Some(0))
        } else if rows.start < self.top {
            return self.scroll(-((self.top - rows.start + 1).min(self.max_scroll()) as isize));
        } else {
            self.hunk().checked_sub(1)
        };
        self.go_to_hunk_if_any(next)
    }

    fn go_to_hunk_if_any(&mut self, hunk: Option<usize>) -> bool {
        if let Some(hunk) = hunk {
            self.go_to_hunk(hunk);
        }
        hunk.is_some()
    }

    /// All hunks, as indices.
    fn hunks(&self) -> Range<usize> {
        0..self.review().hunks.len()
    }

    /// The most rows by which a key scrolls a hunk.
    fn max_scroll(&self) -> usize {
        self.height.saturating_sub(2).max(1)
    }

    /// Scrolls by rows. Keys then act on a hunk that is on the screen, if there is one. Returns false if the
    /// rows on the screen stay the same.
    pub(crate) fn scroll(&mut self, by: isize) -> bool {
        let before = self.top;
        self.top = self.top.saturating_add_signed(by);
        self.clamp();
        self.select_visible_hunk(by < 0);
        self.top != before
    }

    /// Scrolls so that a row is on the screen, a third down if it was not there before.
    pub(crate) fn go_to_row(&mut self, row: usize) {
        if row < self.top || row >= self.top + self.height {
            self.top = row.saturating_sub(self.height / 3);
            self.clamp();
        }
        self.select_visible_hunk(false);
        if let Some(hunk) = self.page().and_then(|page| page.hunk_at(row)) {
            self.open.look_at(hunk);
        }
    }

    pub(crate) fn go_to_hunk(&mut self, hunk: usize) {
        self.open.look_at(hunk.min(self.review().hunks.len().saturating_sub(1)));
        self.show_hunk();
    }

    pub(crate) fn half_screen(&self) -> isize {
        (self.height / 2).max(1) as isize
    }

    pub(crate) fn full_screen(&self) -> isize {
        self.max_scroll() as isize
    }

    /// Opens or closes the fold in a row. Returns false if there is none.
    fn toggle_fold(&mut self, row: usize) -> bool {
        let Some(page) = &mut self.page else { return false };
        let identity = RowIdentity::of(page, self.top);
        let toggled = page.toggle_fold(row);
        if toggled {
            self.top = identity.row_in(page);
            self.update_seen_part();
            self.clamp();
        }
        toggled
    }

    /// Shows more or fewer unchanged lines around the hunks, while the hunk stays in place. Returns the new
    /// number of unchanged lines; `None` if it does not change.
    pub(crate) fn change_context(&mut self, is_more: bool) -> Option<usize> {
        let mut context = None;
        self.keep_rows(|page| {
            context = page.change_context(is_more);
            context.is_some()
        });
        self.clamp();
        context
    }

    /// Opens the hunk that keys act on, if it is folded.
    pub(crate) fn unfold_hunk(&mut self) {
        let row = self.hunk_rows(self.hunk()).start;
        let is_folded = |page: &Page| page.hunk_at(row).is_some() && page.is_fold_or_unchanged(row);
        if self.page().is_some_and(is_folded) && self.toggle_fold(row) {
            self.show_hunk();
        }
    }

    /// Opens or closes the fold that is nearest to the hunk, or to the middle of the screen.
    pub(crate) fn toggle_nearest_fold(&mut self) -> bool {
        let Some(page) = self.page() else { return false };
        let rows = self.rows();
        let from = if self.hunk_on_screen() {
            page.hunk_rows(self.hunk()).start
        } else {
            rows.start.midpoint(rows.end)
        };
        page.fold_near(from, rows).is_some_and(|row| self.toggle_fold(row))
    }

    /// Handles a click in a row: opens or closes a fold there, or makes keys act on the hunk there.
    pub(crate) fn take_click(&mut self, row: usize) {
        if self.page().is_some_and(|page| page.is_fold_or_unchanged(row)) && self.toggle_fold(row) {
            return;
        }
        if let Some(hunk) = self.page().and_then(|page| page.hunk_at(row)) {
            self.open.look_at(hunk);
        }
    }

    /// Goes to the next match of `needle`, and from the last match to the first. Returns false if there is
    /// none.
    pub(crate) fn find(&mut self, needle: &Needle, forward: bool) -> bool {
        self.update_matches(Some(needle));
        let (rows, hunk, top, height) = (self.rows(), self.hunk(), self.top, self.height);
        let (Some(page), Some(matches)) = (&mut self.page, &mut self.matches) else { return false };
        let from = kept_row(page, hunk, top, height);
        let Some(found) = matches.step(page, &rows, from, forward) else { return false };
        found.reveal_in(page);
        let (row, columns, room) =
            (found.row_in(page), found.columns_in(page.content()), page.room(self.width));
        // The signs of a cut line need a column at each end.
        let is_cut = columns.start <= self.sideways || columns.end >= self.sideways + room;
        if is_cut && !found.is_wrapped_in(page) {
            self.sideways = if columns.end < room { 0 } else { columns.start.saturating_sub(room / 3) };
        }
        self.go_to_row(row);
        true
    }

    fn clamp(&mut self) {
        let rows = self.page().map_or(0, Page::rows);
        self.top = self.top.min(rows.saturating_sub(self.height));
        self.open.look_at(self.hunk().min(self.review().hunks.len().saturating_sub(1)));
    }

    /// After scrolling, makes keys act on the nearest hunk on the screen, if there is one.
    fn select_visible_hunk(&mut self, up: bool) {
        if self.hunk_on_screen() {
            return;
        }
        let (top, bottom) = (self.top, self.top + self.height);
        // Hunks are in order, and so are their rows.
        let (mut hunks, rows) = (self.hunks(), |hunk: usize| self.hunk_rows(hunk));
        let seen = |hunk: &usize| rows(*hunk).start < bottom && rows(*hunk).end > top;
        let found = if up { hunks.rfind(seen) } else { hunks.find(seen) };
        if let Some(hunk) = found {
            self.open.look_at(hunk);
        }
    }
}

/// The row that stays in place while other rows change: the first row of the hunk if it is on the screen, or
/// else the top row.
fn kept_row(page: &Page, hunk: usize, top: usize, height: usize) -> usize {
    let rows = page.hunk_rows(hunk);
    if rows.start >= top && rows.start < top + height && !rows.is_empty() { rows.start } else { top }
}
