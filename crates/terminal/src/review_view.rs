//! A review on the screen: the visible rows, and the hunk that keys act on. Scrolling does not wait for the
//! companion.

mod scrolled_page;
pub(crate) mod search_matches;

use std::ops::Range;

use alongside_desk::review_model::{OpenReview, ReviewNews, SeenPart};
use alongside_desk::{Changed, Lines, OutOfStep, Review, messages};

use crate::options::Layout;
use crate::review_page::{
    Needle, Page, PageForm, PageLines, PageNote, ReviewKind, RowIdentity, SeenLines, ShownLine, Wrap,
};
use scrolled_page::{HunkStep, ScrolledPage};
use search_matches::SearchMatches;

/// An open review, and its position on the screen.
pub(crate) struct ReviewView {
    open: OpenReview,
    kind: ReviewKind,
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
    /// The rows; `None` before the first layout.
    screen: Option<ScrolledPage>,
    /// The notes beside the lines.
    notes: Vec<PageNote>,
    /// The lines whose change the person accepted before the change was written.
    accepted: Vec<Lines>,
    /// Whether the view has scrolled to the first hunk, which happens once.
    has_opened: bool,
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
            sideways: 0,
            counts: messages::line_counts(&review),
            seen_revision: None,
            seen_lines: SeenLines::default(),
            seen_part: SeenPart::changes(0, 1),
            matches: None,
            screen: None,
            notes: Vec::new(),
            accepted: Vec::new(),
            has_opened: false,
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
        let screen = self.screen.as_ref()?;
        screen.page().visible_part(self.hunk(), screen.rows())
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
        if let Some(screen) = &self.screen {
            self.seen_part = self.seen_lines.part_of(screen.page());
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
        let hunk = self.hunk();
        let Some(screen) = &mut self.screen else {
            let mut page = Page::of_kind(self.open.review(), form, self.kind);
            page.set_notes(&self.notes);
            let has_folded = page.set_accepted(&self.accepted);
            self.screen = Some(ScrolledPage::new(page));
            if has_folded {
                self.update_seen_part();
            }
            return;
        };
        if screen.page().form() != form {
            screen.keep_rows(hunk, |page| {
                page.relayout(form);
                true
            });
            if let Some(matches) = &mut self.matches {
                matches.reorder(screen.page());
            }
        }
    }

    /// Fits the review into `height` rows and `width` columns, after [`set_layout`](Self::set_layout).
    pub(crate) fn arrange(&mut self, wraps_all: bool, height: u16, width: u16) {
        let hunk = self.hunk();
        let Some(screen) = &mut self.screen else { return };
        let (was_whole, was_on_screen) = (screen.shows_whole(hunk), screen.shows(hunk));
        screen.resize(height, width);
        let wrap = if wraps_all { Wrap::All(width) } else { Wrap::Changes(width) };
        let form = PageForm { wrap, ..screen.page().form() };
        self.set_form(form);
        if !std::mem::replace(&mut self.has_opened, true) {
            self.show_hunk();
        }
        self.clamp();
        // On a smaller screen, the hunk that keys act on may be below the last row now.
        let is_whole = self.screen.as_ref().is_some_and(|screen| screen.shows_whole(self.hunk()));
        if (was_whole && !is_whole) || (was_on_screen && !self.hunk_on_screen()) {
            self.show_hunk();
        }
        let most = self.screen.as_ref().map_or(0, ScrolledPage::max_sideways);
        self.sideways = self.sideways.min(most);
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
        let hunk = self.hunk();
        self.screen.as_mut().is_some_and(|screen| screen.keep_rows(hunk, change))
    }

    /// Scrolls so that these lines and the row below them are on the screen.
    pub(crate) fn show_lines(&mut self, lines: &PageLines) {
        if let Some(screen) = &mut self.screen {
            screen.show_lines(lines);
        }
    }

    /// Finds the matches of a search, or removes them without a needle.
    pub(crate) fn update_matches(&mut self, needle: Option<&Needle>) {
        self.matches = match (needle, &self.screen, self.matches.take()) {
            (Some(needle), _, Some(matches)) if matches.are_of(needle) => Some(matches),
            (Some(needle), Some(screen), _) => Some(SearchMatches::new(needle, screen.page())),
            _ => None,
        };
    }

    /// Whether a long line on the screen begins at its change, and not at its first column.
    pub(crate) fn is_at_changes(&self) -> bool {
        self.sideways == 0 && self.screen.as_ref().is_some_and(ScrolledPage::is_at_changes)
    }

    /// The first row on the screen.
    pub(crate) fn top(&self) -> usize {
        self.screen.as_ref().map_or(0, ScrolledPage::top)
    }

    /// The rows on the screen.
    pub(crate) fn rows(&self) -> Range<usize> {
        self.screen.as_ref().map_or(0..0, ScrolledPage::rows)
    }

    pub(crate) fn page(&self) -> Option<&Page> {
        self.screen.as_ref().map(ScrolledPage::page)
    }

    /// The revision for a request of the person: the revision that was on the screen, or a newer one that the
    /// person's own edit made.
    pub(crate) fn meant_revision(&self) -> u64 {
        self.seen_revision.unwrap_or(0).max(self.open.own_revision()).min(self.review().revision)
    }

    /// Takes a new revision. The rows that the person reads stay in place.
    pub(crate) fn take(&mut self, changed: Changed) -> Result<ReviewNews, OutOfStep> {
        let hunk = self.hunk();
        let news = self.open.take(changed)?;
        let review = self.open.review();
        self.counts = messages::line_counts(review);
        if let Some(screen) = &mut self.screen {
            let current = self.matches.as_ref().and_then(SearchMatches::current);
            let found = current.map(|found| RowIdentity::of(screen.page(), found.row_in(screen.page())));
            screen.keep_rows(hunk, |page| {
                page.update(review);
                true
            });
            if let Some(matches) = &mut self.matches {
                matches.search_again(screen.page(), found.map(|found| found.row_in(screen.page())));
            }
        }
        self.update_seen_part();
        self.clamp();
        Ok(news)
    }

    /// Whether the hunk that keys act on is on the screen, at least in part.
    pub(crate) fn hunk_on_screen(&self) -> bool {
        self.screen.as_ref().is_some_and(|screen| screen.shows(self.hunk()))
    }

    /// Scrolls so that the hunk is on the screen: the whole hunk if it fits.
    pub(crate) fn show_hunk(&mut self) {
        let hunk = self.hunk();
        if let Some(screen) = &mut self.screen {
            screen.show_hunk(hunk);
        }
    }

    /// Scrolls after a drop, which gives the hunk more rows, so that the whole hunk is on the screen if it
    /// fits.
    pub(crate) fn show_dropped(&mut self) {
        if self.screen.as_ref().is_some_and(|screen| screen.fits(self.hunk())) {
            self.show_hunk();
        }
    }

    /// Goes to the next hunk, or scrolls down in a hunk that continues below the screen. Returns false at the
    /// end.
    pub(crate) fn next_hunk(&mut self) -> bool {
        // A review that has not been on the screen yet will open at its first change.
        let step = self.screen.as_ref().and_then(|screen| screen.step_down(self.hunk(), self.hunks()));
        self.take_step(step)
    }

    /// Goes to the previous hunk, or scrolls up in a hunk that begins above the screen. Returns false at the
    /// beginning.
    pub(crate) fn previous_hunk(&mut self) -> bool {
        let step = self.screen.as_ref().and_then(|screen| screen.step_up(self.hunk(), self.hunks()));
        self.take_step(step)
    }

    fn take_step(&mut self, step: Option<HunkStep>) -> bool {
        match step {
            None => false,
            Some(HunkStep::Scroll(by)) => self.scroll(by),
            Some(HunkStep::Hunk(hunk)) => {
                self.go_to_hunk(hunk);
                true
            }
        }
    }

    /// All hunks, as indices.
    fn hunks(&self) -> Range<usize> {
        0..self.review().hunks.len()
    }

    /// Scrolls by rows. Keys then act on a hunk that is on the screen, if there is one. Returns false if the
    /// rows on the screen stay the same.
    pub(crate) fn scroll(&mut self, by: isize) -> bool {
        let has_scrolled = self.screen.as_mut().is_some_and(|screen| screen.scroll(by));
        self.select_visible_hunk(by < 0);
        has_scrolled
    }

    /// Scrolls so that a row is on the screen, a third down if it was not there before.
    fn go_to_row(&mut self, row: usize) {
        if let Some(screen) = &mut self.screen {
            screen.show_row(row);
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
        self.screen.as_ref().map_or(1, ScrolledPage::half_screen)
    }

    pub(crate) fn full_screen(&self) -> isize {
        self.screen.as_ref().map_or(1, ScrolledPage::full_screen)
    }

    /// Opens or closes the fold in a row. Returns false if there is none.
    fn toggle_fold(&mut self, row: usize) -> bool {
        let toggled = self.screen.as_mut().is_some_and(|screen| screen.toggle_fold(row));
        if toggled {
            self.update_seen_part();
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
        let Some(page) = self.page() else { return };
        let row = page.hunk_rows(self.hunk()).start;
        if page.hunk_at(row).is_some() && page.is_fold_or_unchanged(row) && self.toggle_fold(row) {
            self.show_hunk();
        }
    }

    /// Opens or closes the fold that is nearest to the hunk, or to the middle of the screen.
    pub(crate) fn toggle_nearest_fold(&mut self) -> bool {
        let nearest = self.screen.as_ref().and_then(|screen| screen.nearest_fold(self.hunk()));
        nearest.is_some_and(|row| self.toggle_fold(row))
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
        let hunk = self.hunk();
        let (Some(screen), Some(matches)) = (&mut self.screen, &mut self.matches) else { return false };
        let (rows, from) = (screen.rows(), screen.kept_row(hunk));
        let Some(found) = matches.step(screen.page(), &rows, from, forward) else { return false };
        found.reveal_in(screen.page_mut());
        let (page, room) = (screen.page(), screen.room());
        let (row, columns) = (found.row_in(page), found.columns_in(page.content()));
        // The signs of a cut line need a column at each end.
        let is_cut = columns.start <= self.sideways || columns.end >= self.sideways + room;
        if is_cut && !found.is_wrapped_in(page) {
            self.sideways = if columns.end < room { 0 } else { columns.start.saturating_sub(room / 3) };
        }
        self.go_to_row(row);
        true
    }

    fn clamp(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.clamp();
        }
        self.open.look_at(self.hunk().min(self.review().hunks.len().saturating_sub(1)));
    }

    /// After scrolling, makes keys act on the nearest hunk on the screen, if there is one.
    fn select_visible_hunk(&mut self, up: bool) {
        let Some(screen) = self.screen.as_ref().filter(|screen| !screen.shows(self.hunk())) else { return };
        // Hunks are in order, and so are their rows.
        let (mut hunks, seen) = (self.hunks(), |hunk: &usize| screen.shows(*hunk));
        let found = if up { hunks.rfind(seen) } else { hunks.find(seen) };
        if let Some(hunk) = found {
            self.open.look_at(hunk);
        }
    }
}
