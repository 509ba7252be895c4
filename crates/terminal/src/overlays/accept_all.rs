//! The list of reviews that the person accepts together after a confirmation.
//!
//! Only reviews that were on the screen are accepted: a yes counts once every row of the list was on the
//! screen, and each acceptance names the listed revision.

use std::ops::Range;

use alongside_desk::review_model::{Acceptances, ListedReview};
use alongside_desk::{Decision, Request, ReviewId};

/// The list that the person confirms. Reviews that change or arrive later do not change the open list.
#[derive(Debug)]
pub(crate) struct AcceptAll {
    /// The reviews to accept, each with its agent.
    pub(crate) ready: Vec<(ListedReview, String)>,
    /// The reviews that have an obstacle.
    pub(crate) held_back: Vec<(ListedReview, String)>,
    /// The first row on the screen.
    top: usize,
    /// The number of rows, from the first row on, that have been on the screen without a gap.
    seen: usize,
}

impl AcceptAll {
    pub(crate) fn new(reviews: impl Iterator<Item = (ListedReview, String)>) -> Self {
        let (held_back, ready) = reviews.partition(|(listed, _)| listed.obstacle.is_some());
        Self { ready, held_back, top: 0, seen: 0 }
    }

    /// Requests the acceptance of each review that still has the listed revision. `now` returns the present
    /// revision of a review.
    pub(crate) fn request_acceptances(
        self,
        now: impl Fn(ReviewId) -> Option<u64>,
        mut ask: impl FnMut(ReviewId, Request),
    ) -> Acceptances {
        let mut acceptances = Acceptances::of(self.ids());
        for (listed, _) in self.ready {
            let (id, revision) = (listed.id, listed.revision);
            if acceptances.begin(&listed, now(id)) {
                let request = Request::DecideReview { id, revision, decision: Decision::Accept };
                ask(id, request);
            }
        }
        acceptances
    }

    /// All reviews of the list.
    fn ids(&self) -> impl Iterator<Item = ReviewId> {
        self.ready.iter().chain(&self.held_back).map(|(listed, _)| listed.id)
    }

    /// The number of rows that must have been on the screen: the heading, and a row for each review to
    /// accept.
    fn rows_to_see(&self) -> usize {
        1 + self.ready.len()
    }

    /// The number of all rows: a heading and a row for each review to accept, then an empty row, a heading
    /// and a row for each other review.
    pub(crate) fn rows(&self) -> usize {
        let ready = if self.ready.is_empty() { 0 } else { self.rows_to_see() + 1 };
        let held_back = if self.held_back.is_empty() { 0 } else { 1 + self.held_back.len() };
        ready + held_back
    }

    /// The rows that are on a screen of this height.
    pub(crate) fn rows_on_screen(&self, height: u16) -> Range<usize> {
        let height = usize::from(height);
        let top = self.top.min(self.rows().saturating_sub(height));
        top..(top + height).min(self.rows())
    }

    /// Scrolls on a screen of this height.
    pub(crate) fn scroll(&mut self, by: isize, height: u16) {
        let last = self.rows().saturating_sub(usize::from(height));
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Notes that these rows are on the screen.
    pub(crate) fn mark_seen(&mut self, rows: &Range<usize>) {
        if rows.start <= self.seen {
            self.seen = self.seen.max(rows.end);
        }
    }

    /// Whether rows that the person has to see are below a screen of this height.
    pub(crate) fn has_unseen_rows_below(&self, height: u16) -> bool {
        self.rows_to_see() > self.seen.max(self.rows_on_screen(height).end)
    }

    /// Whether there are reviews to accept, and all of their rows have been on the screen.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty() && self.seen >= self.rows_to_see()
    }
}
