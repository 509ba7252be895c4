//! A review on the screen: the rows that the person sees, and the hunk that their keys act on. Moving about
//! does not wait for the companion.

pub(crate) mod search_matches;

use std::ops::Range;

use alongside_desk::review_model::{OpenReview, ReviewNews, SeenPart};
use alongside_desk::{Changed, Lines, OutOfStep, Review, messages};

use crate::options::Layout;
use crate::review_page::ReviewKind;
use crate::review_page::{Needle, Page, PageForm, PageLines, PageNote, SeenLines, ShownLine, Wrap};
use crate::review_view::search_matches::SearchMatches;

/// Rows that stay above a hunk that is gone to.
const ABOVE: usize = 3;

/// A review that waits, and its place on the screen.
pub(crate) struct ReviewView {
    open: OpenReview,
    kind: ReviewKind,
    /// The first row on the screen.
    pub(crate) top: usize,
    /// Columns that the text is scrolled to the side.
    pub(crate) sideways: usize,
    /// The revision that was on the screen last.
    pub(crate) seen: Option<u64>,
    /// The lines that have been on the screen, and how much of the review they are.
    seen_lines: SeenLines,
    seen_part: SeenPart,
    /// Lines that accepting would add and remove now.
    pub(crate) counts: (usize, usize),
    /// The matches of the search.
    pub(crate) matches: Option<SearchMatches>,
    page: Option<Page>,
    /// The notes beside the lines.
    notes: Vec<PageNote>,
    /// The lines of which the person accepted the change before it was written.
    accepted: Vec<Lines>,
    /// Whether the first hunk has been gone to.
    opened: bool,
    /// Rows and columns on the screen.
    height: usize,
    width: u16,
}

impl ReviewView {
    pub(crate) fn new(review: Review) -> Self {
        Self::of_kind(review, ReviewKind::Proposal)
    }

    /// A file of a turn.
    pub(crate) fn of_turn(review: Review) -> Self {
        Self::of_kind(review, ReviewKind::TurnFile)
    }

    fn of_kind(review: Review, kind: ReviewKind) -> Self {
        Self {
            kind,
            top: 0,
            sideways: 0,
            counts: messages::line_counts(&review),
            seen: None,
            seen_lines: SeenLines::default(),
            seen_part: SeenPart::changes(0, 1),
            matches: None,
            page: None,
            notes: Vec::new(),
            accepted: Vec::new(),
            opened: false,
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

    /// The review without its place on the screen, for the person's editor.
    pub(crate) fn open(&self) -> &OpenReview {
        &self.open
    }

    pub(crate) fn open_mut(&mut self) -> &mut OpenReview {
        &mut self.open
    }

    /// Lines that accepting would add and remove now: `+3 -1`.
    pub(crate) fn size(&self) -> String {
        let (added, removed) = self.counts;
        format!("+{added} -{removed}")
    }

    /// The part of the review that has been on the screen.
    pub(crate) fn seen_part(&self) -> SeenPart {
        self.seen_part
    }

    /// Whether accepting leaves a file without text where there was one. An agent that does more than writing
    /// a text may delete the file, as its remark says.
    pub(crate) fn will_be_empty(&self) -> bool {
        messages::empties(self.review())
    }

    /// For a change with more rows than the screen, or a long text without changes: its lines on the
    /// screen, counted from 1, and the number of all its lines.
    pub(crate) fn place(&self) -> Option<(Range<usize>, usize)> {
        self.page()?.place_in(self.hunk(), self.rows())
    }

    /// Notes that these lines are on the screen, in this revision.
    pub(crate) fn mark_seen(&mut self, revision: u64, lines: &[ShownLine]) {
        self.seen = Some(revision);
        let mut news = false;
        for line in lines {
            news |= self.seen_lines.insert(*line);
        }
        if news {
            self.count_seen();
        }
    }

    fn count_seen(&mut self) {
        if let Some(page) = &self.page {
            self.seen_part = page.seen(&self.seen_lines);
        }
    }

    /// The hunk that keys act on, as an index.
    pub(crate) fn hunk(&self) -> usize {
        self.open.hunk()
    }

    /// Notes that the last change was undone, and goes to its hunk.
    pub(crate) fn mark_undone(&mut self) {
        if let Some(step) = self.open.mark_undone() {
            self.go_to_hunk(step.hunk);
        }
    }

    /// Notes that the change that was undone last was made again, and goes to its hunk.
    pub(crate) fn mark_redone(&mut self) {
        if let Some(step) = self.open.mark_redone() {
            self.go_to_hunk(step.hunk);
        }
    }

    /// Lays the review out in this way. The rows that the person reads stay where they are.
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
                self.count_seen();
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

    /// Fits the review into so many rows and columns, after [`set_layout`](Self::set_layout).
    pub(crate) fn arrange(&mut self, wraps_all: bool, height: u16, width: u16) {
        let (was_whole, was_seen) = (self.is_hunk_whole(), self.hunk_on_screen());
        (self.height, self.width) = (usize::from(height), width);
        let Some(form) = self.page().map(Page::form) else { return };
        let wrap = if wraps_all { Wrap::All(width) } else { Wrap::Changes(width) };
        self.set_form(PageForm { wrap, ..form });
        if !std::mem::replace(&mut self.opened, true) {
            self.show_hunk();
        }
        self.clamp();
        // A smaller screen ends above the hunk that keys mean.
        if (was_whole && !self.is_hunk_whole()) || (was_seen && !self.hunk_on_screen()) {
            self.show_hunk();
        }
        if let Some(page) = &self.page {
            self.sideways = self.sideways.min(page.most_sideways(self.rows(), width));
        }
    }

    /// Shows these notes beside the lines. The rows that the person reads stay where they are.
    pub(crate) fn set_notes(&mut self, notes: &[PageNote]) {
        self.notes = notes.to_vec();
        if self.keep_rows(|page| page.set_notes(notes)) {
            self.clamp();
        }
    }

    /// Folds the changes of these lines, which the person accepted before they were written. The rows that
    /// the person reads stay where they are.
    pub(crate) fn set_accepted(&mut self, lines: &[Lines]) {
        self.accepted = lines.to_vec();
        if self.keep_rows(|page| page.set_accepted(lines)) {
            self.count_seen();
            self.clamp();
        }
    }

    /// Changes rows of the page, and keeps those in place that the person reads. Returns whether rows have
    /// changed.
    fn keep_rows(&mut self, change: impl FnOnce(&mut Page) -> bool) -> bool {
        let Some(page) = &mut self.page else { return false };
        let row = anchored(page, self.open.hunk(), self.top, self.height);
        let (anchor, down) = (page.anchor(row), row - self.top.min(row));
        let has_changed = change(page);
        if has_changed {
            self.top = page.row(anchor).saturating_sub(down);
        }
        has_changed
    }

    /// Scrolls so that some lines are on the screen, with the row below them.
    pub(crate) fn show_lines(&mut self, lines: &PageLines) {
        let Some(rows) = self.page().and_then(|page| page.rows_of_lines(lines)) else { return };
        if rows.start < self.top || rows.end > self.top + self.height {
            self.top = (rows.end + 1).saturating_sub(self.height).min(rows.start);
            self.clamp();
        }
    }

    /// Marks and counts the matches of a search.
    pub(crate) fn look_for(&mut self, needle: Option<&Needle>) {
        self.matches = match (needle, &self.page, self.matches.take()) {
            (Some(needle), _, Some(matches)) if matches.are_of(needle) => Some(matches),
            (Some(needle), Some(page), _) => Some(SearchMatches::new(needle, page)),
            _ => None,
        };
    }

    /// Whether a long line on the screen is shown from its change, and not from its beginning.
    pub(crate) fn is_at_changes(&self) -> bool {
        self.sideways == 0 && self.page().is_some_and(|page| page.has_late_rows(self.rows(), self.width))
    }

    /// The rows on the screen.
    pub(crate) fn rows(&self) -> Range<usize> {
        let rows = self.page().map_or(0, Page::rows);
        self.top..(self.top + self.height).min(rows)
    }

    pub(crate) fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }

    /// The revision that a request of the person is about: the one that was on the screen, or a newer one
    /// that they made themselves.
    pub(crate) fn meant_revision(&self) -> u64 {
        self.seen.unwrap_or(0).max(self.open.own_revision()).min(self.review().revision)
    }

    /// Takes a new revision; the person stays where they are.
    pub(crate) fn take(&mut self, changed: Changed) -> Result<ReviewNews, OutOfStep> {
        let (hunk, top, height) = (self.hunk(), self.top, self.height);
        let anchor = self.page().map(|page| {
            let row = anchored(page, hunk, top, height);
            (page.anchor(row), row - top.min(row))
        });
        let current = self.matches.as_ref().and_then(SearchMatches::current);
        let found = current.and_then(|found| self.page().map(|page| page.anchor(page.match_row(&found))));
        let news = self.open.take(changed)?;
        self.counts = messages::line_counts(self.open.review());
        if let (Some(page), Some((anchor, down))) = (&mut self.page, anchor) {
            page.update(self.open.review());
            self.top = page.row(anchor).saturating_sub(down);
            if let Some(matches) = &mut self.matches {
                matches.search_again(page, found.map(|found| page.row(found)));
            }
        }
        self.count_seen();
        self.clamp();
        Ok(news)
    }

    /// The rows of a hunk; none before it is laid out.
    fn hunk_rows(&self, hunk: usize) -> Range<usize> {
        self.page().map_or(0..0, |page| page.hunk_rows(hunk))
    }

    /// Whether the hunk that keys act on is on the screen, at least in part.
    pub(crate) fn hunk_on_screen(&self) -> bool {
        let rows = self.hunk_rows(self.hunk());
        rows.start < self.top + self.height && rows.end > self.top
    }

    /// Whether all of that hunk is on the screen.
    fn is_hunk_whole(&self) -> bool {
        let rows = self.hunk_rows(self.hunk());
        !rows.is_empty() && rows.start >= self.top && rows.end <= self.top + self.height
    }

    /// Scrolls so that the hunk is seen, all of it if it fits.
    pub(crate) fn show_hunk(&mut self) {
        let rows = self.hunk_rows(self.hunk());
        if !rows.is_empty() && (rows.start < self.top || rows.end > self.top + self.height) {
            let spare = self.height.saturating_sub(rows.len());
            self.top = rows.start.saturating_sub(ABOVE.max(spare / 3).min(spare.max(1)));
        }
        self.clamp();
    }

    /// Scrolls after a drop, which gives the hunk more rows, so that all of it is seen, if it fits.
    pub(crate) fn show_dropped(&mut self) {
        if self.hunk_rows(self.hunk()).len() <= self.height {
            self.show_hunk();
        }
    }

    /// Goes to the next hunk, or scrolls on in a hunk that goes on below the screen. Returns false at the
    /// end.
    pub(crate) fn next_hunk(&mut self) -> bool {
        let (hunks, rows, bottom) = (self.hunks(), self.hunk_rows(self.hunk()), self.top + self.height);
        let next = if self.page.is_none() {
            // The review has not been on the screen yet: it opens at its first change.
            return false;
        } else if hunks.is_empty() {
            return self.scroll(self.half());
        } else if !self.hunk_on_screen() {
            // The hunk is off the screen: the key goes to the next hunk from the rows on the screen.
            hunks.clone().find(|hunk| self.hunk_rows(*hunk).end > self.top).or(hunks.last())
        } else if rows.end > bottom {
            return self.scroll((rows.end - bottom).min(self.most()) as isize);
        } else {
            Some(self.hunk() + 1).filter(|next| hunks.contains(next))
        };
        self.go_on(next)
    }

    /// Goes to the hunk before, or scrolls back in a hunk that begins above the screen. Returns false at
    /// the beginning.
    pub(crate) fn previous_hunk(&mut self) -> bool {
        let (mut hunks, rows, bottom) = (self.hunks(), self.hunk_rows(self.hunk()), self.top + self.height);
        let next = if self.page.is_none() {
            return false;
        } else if hunks.is_empty() {
            return self.scroll(-self.half());
        } else if !self.hunk_on_screen() {
            hunks.rfind(|hunk| self.hunk_rows(*hunk).start < bottom).or(Some(0))
        } else if rows.start < self.top {
            return self.scroll(-((self.top - rows.start + 1).min(self.most()) as isize));
        } else {
            self.hunk().checked_sub(1)
        };
        self.go_on(next)
    }

    fn go_on(&mut self, hunk: Option<usize>) -> bool {
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
    fn most(&self) -> usize {
        self.height.saturating_sub(2).max(1)
    }

    /// Scrolls by rows. Keys then act on a hunk that is on the screen, if there is one. Returns false if
    /// nothing moved.
    pub(crate) fn scroll(&mut self, by: isize) -> bool {
        let before = self.top;
        self.top = self.top.saturating_add_signed(by);
        self.clamp();
        self.follow(by < 0);
        self.top != before
    }

    /// Goes to a row, which is then about a third down the screen.
    pub(crate) fn go_to_row(&mut self, row: usize) {
        if row < self.top || row >= self.top + self.height {
            self.top = row.saturating_sub(self.height / 3);
            self.clamp();
        }
        self.follow(false);
        if let Some(hunk) = self.page().and_then(|page| page.hunk_at(row)) {
            self.open.look_at(hunk);
        }
    }

    pub(crate) fn go_to_hunk(&mut self, hunk: usize) {
        self.open.look_at(hunk.min(self.review().hunks.len().saturating_sub(1)));
        self.show_hunk();
    }

    pub(crate) fn half(&self) -> isize {
        (self.height / 2).max(1) as isize
    }

    pub(crate) fn whole(&self) -> isize {
        self.most() as isize
    }

    /// Opens or closes the fold in a row; false if there is none.
    fn toggle_fold(&mut self, row: usize) -> bool {
        let Some(page) = &mut self.page else { return false };
        let anchor = page.anchor(self.top);
        let toggled = page.toggle_fold(row);
        if toggled {
            self.top = page.row(anchor);
            self.count_seen();
            self.clamp();
        }
        toggled
    }

    /// Shows more unchanged lines around the hunks, or fewer again, while the hunk stays in place. Returns
    /// their number; `None` if it does not change.
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

    /// Takes a click in a row: opens or closes a fold, or lets keys act on the hunk there.
    pub(crate) fn clicked(&mut self, row: usize) {
        if self.page().is_some_and(|page| page.is_fold_or_unchanged(row)) && self.toggle_fold(row) {
            return;
        }
        if let Some(hunk) = self.page().and_then(|page| page.hunk_at(row)) {
            self.open.look_at(hunk);
        }
    }

    /// Goes to the next match of `needle`, round the end. False if there is none.
    pub(crate) fn find(&mut self, needle: &Needle, forward: bool) -> bool {
        self.look_for(Some(needle));
        let (rows, hunk, top, height) = (self.rows(), self.hunk(), self.top, self.height);
        let (Some(page), Some(matches)) = (&mut self.page, &mut self.matches) else { return false };
        let from = anchored(page, hunk, top, height);
        let Some(found) = matches.step(page, &rows, from, forward) else { return false };
        page.reveal(&found);
        let (row, columns, room) =
            (page.match_row(&found), found.columns_in(page.content()), page.room(self.width));
        // The marks of a cut line take a column at each end.
        let is_cut = columns.start <= self.sideways || columns.end >= self.sideways + room;
        if is_cut && !page.is_wrapped(&found) {
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

    /// After scrolling, lets keys act on the nearest hunk on the screen, if there is one.
    fn follow(&mut self, up: bool) {
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

/// The row that stays in place while other rows come and go: that of the hunk, if it is on the screen.
fn anchored(page: &Page, hunk: usize, top: usize, height: usize) -> usize {
    let rows = page.hunk_rows(hunk);
    if rows.start >= top && rows.start < top + height && !rows.is_empty() { rows.start } else { top }
}
