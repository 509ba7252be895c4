//! The list of reviews that the person confirms to accept together, and the acceptances under way.

use std::collections::BTreeSet;
use std::ops::Range;

use alongside_desk::review_model::{AcceptedTogether, ListedReview};
use alongside_desk::{Closed, Closing, Refusal, ReviewId};

/// The list that the person confirms. It stays as it was when it opened.
#[derive(Debug)]
pub(crate) struct AcceptAll {
    /// The reviews to accept, each with its agent.
    pub(crate) ready: Vec<(ListedReview, String)>,
    /// The reviews that have an obstacle.
    pub(crate) held_back: Vec<(ListedReview, String)>,
    /// The first row on the screen.
    pub(crate) top: usize,
    /// How many rows, from the first on, have been on the screen.
    seen: usize,
}

impl AcceptAll {
    pub(crate) fn new(reviews: impl Iterator<Item = (ListedReview, String)>) -> Self {
        let (held_back, ready) = reviews.partition(|(listed, _)| listed.obstacle.is_some());
        Self { ready, held_back, top: 0, seen: 0 }
    }

    /// The rows that must have been on the screen: the heading, and one for each review to accept.
    fn rows_to_see(&self) -> usize {
        1 + self.ready.len()
    }

    /// All rows: a heading and one for each review to accept; a blank one, a heading and two for each other.
    pub(crate) fn rows(&self) -> usize {
        let ready = if self.ready.is_empty() { 0 } else { self.rows_to_see() + 1 };
        let held_back = if self.held_back.is_empty() { 0 } else { 1 + 2 * self.held_back.len() };
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

    /// These rows are on the screen.
    pub(crate) fn mark_seen(&mut self, rows: &Range<usize>) {
        if rows.start <= self.seen {
            self.seen = self.seen.max(rows.end);
        }
    }

    /// Whether rows that the person has to see come below a screen of this height.
    pub(crate) fn goes_on(&self, height: u16) -> bool {
        self.rows_to_see() > self.seen.max(self.rows_on_screen(height).end)
    }

    /// Whether everything that a reply accepts has been on the screen.
    pub(crate) fn is_seen(&self) -> bool {
        self.seen >= self.rows_to_see()
    }
}

/// The acceptances that the companion was asked for.
#[derive(Debug)]
pub(crate) struct Acceptances {
    waiting: BTreeSet<ReviewId>,
    /// All reviews of the list.
    listed: BTreeSet<ReviewId>,
    end: AcceptedTogether,
}

impl Acceptances {
    /// No acceptance is under way yet.
    pub(crate) fn of(list: &AcceptAll) -> Self {
        let reviews = list.ready.iter().chain(&list.held_back);
        Self {
            waiting: BTreeSet::new(),
            listed: reviews.map(|(listed, _)| listed.id).collect(),
            end: AcceptedTogether::default(),
        }
    }

    /// Whether a listed review is to be accepted: it has the listed revision `now`.
    pub(crate) fn begin(&mut self, listed: &ListedReview, now: Option<u64>) -> bool {
        match now {
            Some(now) if now == listed.revision => return self.waiting.insert(listed.id),
            Some(_) => self.end.changed += 1,
            None => self.end.ended += 1,
        }
        false
    }

    /// A review ended. True if that was an acceptance that was asked for.
    pub(crate) fn closed(&mut self, closed: &Closed) -> bool {
        if !self.waiting.remove(&closed.id) {
            return false;
        }
        let accepted = closed.closing == Closing::Accepted && closed.decided_here;
        if accepted {
            self.end.accepted += 1;
        } else {
            self.end.ended += 1;
        }
        accepted
    }

    /// The companion refused an acceptance. `name`: the file's, if the review waits on.
    pub(crate) fn refused(&mut self, id: ReviewId, name: Option<String>, refusal: &Refusal) {
        if !self.waiting.remove(&id) {
            return;
        }
        match (refusal, name) {
            (Refusal::Stale { .. }, _) => self.end.changed += 1,
            (Refusal::NoSuchReview, _) | (_, None) => self.end.ended += 1,
            (refusal, Some(name)) => self.end.refused.push((name, refusal.to_string())),
        }
    }

    /// How it ended, once no acceptance is under way. `reviews`: those that wait now.
    pub(crate) fn end(&mut self, reviews: impl Iterator<Item = ReviewId>) -> Option<AcceptedTogether> {
        if !self.waiting.is_empty() {
            return None;
        }
        let mut end = std::mem::take(&mut self.end);
        let (listed, arrived): (Vec<_>, Vec<_>) = reviews.partition(|id| self.listed.contains(id));
        end.arrived = arrived.len();
        end.held_back = listed.len().saturating_sub(end.changed + end.refused.len());
        Some(end)
    }
}
