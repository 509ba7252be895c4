//! The acceptances of a list that the person has confirmed, until the companion has answered all of them.

use std::collections::BTreeSet;

use super::accept_all::{AcceptedTogether, ListedReview};
use crate::review::ReviewId;
use crate::review::decision::{Closed, Closing, Refusal};
use crate::review::last_word::LastWord;

/// The acceptances that the companion was asked for.
#[derive(Debug)]
pub struct Acceptances {
    waiting: BTreeSet<ReviewId>,
    /// All reviews of the list.
    listed: BTreeSet<ReviewId>,
    end: AcceptedTogether,
}

impl Acceptances {
    /// Returns the acceptances of this list, none of which is under way yet.
    pub fn of(listed: impl Iterator<Item = ReviewId>) -> Self {
        Self { waiting: BTreeSet::new(), listed: listed.collect(), end: AcceptedTogether::default() }
    }

    /// Begins the acceptance of a listed review if `now`, its revision, is the listed one. Returns whether
    /// it is.
    pub fn begin(&mut self, listed: &ListedReview, now: Option<u64>) -> bool {
        match now {
            Some(now) if now == listed.revision => return self.waiting.insert(listed.id),
            Some(_) => self.end.changed += 1,
            None => self.end.ended += 1,
        }
        false
    }

    /// Takes the end of a review. Returns whether an acceptance of this list has ended it.
    pub fn closed(&mut self, closed: &Closed) -> bool {
        if !self.waiting.remove(&closed.id) {
            return false;
        }
        let accepted = closed.closing == Closing::Accepted && closed.decided_here;
        if accepted {
            self.end.accepted += 1;
            self.end.unwritten.insert(closed.id);
        } else {
            self.end.ended += 1;
        }
        accepted
    }

    /// Takes the refusal of an acceptance. `name`: the name of the file, if the review waits on.
    pub fn refused(&mut self, id: ReviewId, name: Option<String>, refusal: &Refusal) {
        if !self.waiting.remove(&id) {
            return;
        }
        match (refusal, name) {
            (Refusal::Stale { .. }, _) => self.end.changed += 1,
            (Refusal::NoSuchReview, _) | (_, None) => self.end.ended += 1,
            (refusal, Some(name)) => self.end.refused.push((name, refusal.to_string())),
        }
    }

    /// Takes the last word of a review: see [`AcceptedTogether::take_last_word`].
    pub fn take_last_word(&mut self, told: &LastWord) -> bool {
        self.end.take_last_word(told)
    }

    /// Returns the result, once no acceptance is under way. `reviews`: the reviews that wait now.
    pub fn end(&mut self, reviews: impl Iterator<Item = ReviewId>) -> Option<AcceptedTogether> {
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
