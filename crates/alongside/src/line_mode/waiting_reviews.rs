//! The waiting reviews, the oldest first, and the next one: after a decision, the person goes forward, and
//! not back to reviews that they have passed.

use alongside_desk::ReviewId;
use alongside_desk::review_model::OpenReview;

/// The waiting reviews.
#[derive(Debug, Default)]
pub(super) struct WaitingReviews {
    all: Vec<OpenReview>,
    /// The index of the review after the latest current one that has ended.
    next: usize,
}

impl WaitingReviews {
    /// Returns all reviews, the oldest first.
    pub(super) fn all(&self) -> &[OpenReview] {
        &self.all
    }

    /// Returns the number of reviews, and whether one is edited, so that its end leaves a draft.
    pub(super) fn count_and_has_edited(&self) -> (usize, bool) {
        (self.all.len(), self.all.iter().any(|open| open.review().is_edited()))
    }

    pub(super) fn get(&self, id: ReviewId) -> Option<&OpenReview> {
        self.all.iter().find(|open| open.review().id == id)
    }

    pub(super) fn get_mut(&mut self, id: ReviewId) -> Option<&mut OpenReview> {
        self.all.iter_mut().find(|open| open.review().id == id)
    }

    /// Adds a review that has arrived.
    pub(super) fn add(&mut self, open: OpenReview) {
        self.all.push(open);
    }

    /// Removes a review that has ended. `current`: the review that the person reads.
    pub(super) fn remove(&mut self, id: ReviewId, current: Option<ReviewId>) -> Option<OpenReview> {
        let index = self.all.iter().position(|open| open.review().id == id)?;
        if current == Some(id) {
            self.next = index;
        } else if index < self.next {
            self.next -= 1;
        }
        Some(self.all.remove(index))
    }

    /// Returns the next review; after the last one, the first.
    pub(super) fn next(&self) -> Option<ReviewId> {
        let next = self.all.get(self.next).or(self.all.first());
        next.map(|open| open.review().id)
    }
}

#[cfg(test)]
mod tests {
    use alongside_desk::Review;

    use super::*;

    #[test]
    fn the_next_review_follows_the_current_one_that_ended() {
        let mut waiting = WaitingReviews::default();
        for id in 1..=5 {
            waiting.add(OpenReview::new(Review { id: ReviewId(id), ..Review::default() }));
        }
        assert_eq!(waiting.next(), Some(ReviewId(1)));
        let mut next_after = |id, current| {
            waiting.remove(ReviewId(id), Some(ReviewId(current))).unwrap();
            waiting.next().map(|id| id.0)
        };
        assert_eq!(next_after(3, 3), Some(4));
        assert_eq!(next_after(1, 9), Some(4), "an earlier review has ended elsewhere");
        assert_eq!(next_after(5, 9), Some(4));
        assert_eq!(next_after(4, 4), Some(2), "the first follows the last");
        assert_eq!(next_after(2, 2), None);
    }
}
