//! The acceptances of a confirmed list, until the companion has answered each of them.

use std::collections::BTreeSet;

use super::accept_all::{AcceptedTogether, ListedReview};
use crate::decision::{Closed, Closing, Refusal};
use crate::last_word::LastWord;
use crate::review::ReviewId;

/// The acceptances that the companion was asked for.
#[derive(Debug)]
pub struct Acceptances {
    waiting: BTreeSet<ReviewId>,
    /// All reviews of the list.
    listed: BTreeSet<ReviewId>,
    end: AcceptedTogether,
}

impl Acceptances {
    /// No acceptance of this list is under way yet.
    pub fn of(listed: impl Iterator<Item = ReviewId>) -> Self {
        Self { waiting: BTreeSet::new(), listed: listed.collect(), end: AcceptedTogether::default() }
    }

    /// Whether a listed review is to be accepted: it has the listed revision `now`.
    pub fn begin(&mut self, listed: &ListedReview, now: Option<u64>) -> bool {
        match now {
            Some(now) if now == listed.revision => return self.waiting.insert(listed.id),
            Some(_) => self.end.changed += 1,
            None => self.end.ended += 1,
        }
        false
    }

    /// A review ended. True if that was an acceptance that was asked for.
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

    /// The companion refused an acceptance. `name`: the file's, if the review waits on.
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

    /// How it ended, once no acceptance is under way. `reviews`: those that wait now.
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
