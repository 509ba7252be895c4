//! The reviews that wait, the oldest first, and the one that comes next: a person who decides goes on, and
//! not back to those that they have passed.

use alongside_desk::ReviewId;
use alongside_desk::review_model::OpenReview;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct WaitingReviews {
    all: Vec<OpenReview>,
    /// The index of the review behind the one that was read last and has ended.
    next: usize,
}

impl WaitingReviews {
    /// All of them, the oldest first.
    pub(super) fn all(&self) -> &[OpenReview] {
        &self.all
    }

    /// The number of reviews, and whether one is edited, so that its end leaves a draft.
    pub(super) fn count_edited(&self) -> (usize, bool) {
        (self.all.len(), self.all.iter().any(|open| open.review().is_edited()))
    }

    pub(super) fn get(&self, id: ReviewId) -> Option<&OpenReview> {
        self.all.iter().find(|open| open.review().id == id)
    }

    pub(super) fn get_mut(&mut self, id: ReviewId) -> Option<&mut OpenReview> {
        self.all.iter_mut().find(|open| open.review().id == id)
    }

    /// A review has arrived.
    pub(super) fn add(&mut self, open: OpenReview) {
        self.all.push(open);
    }

    /// A review has ended. `read`: the one that the person reads.
    pub(super) fn remove(&mut self, id: ReviewId, read: Option<ReviewId>) -> Option<OpenReview> {
        let index = self.all.iter().position(|open| open.review().id == id)?;
        if read == Some(id) {
            self.next = index;
        } else if index < self.next {
            self.next -= 1;
        }
        Some(self.all.remove(index))
    }

    /// The review to go on with; behind the last one, the first.
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
    fn the_next_review_is_the_one_behind_that_which_ended() {
        let mut waiting = WaitingReviews::default();
        for id in 1..=5 {
            waiting.add(OpenReview::new(Review { id: ReviewId(id), ..Review::default() }));
        }
        assert_eq!(waiting.next(), Some(ReviewId(1)));
        let mut ends = |id, read| {
            waiting.remove(ReviewId(id), Some(ReviewId(read))).unwrap();
            waiting.next().map(|id| id.0)
        };
        assert_eq!(ends(3, 3), Some(4));
        assert_eq!(ends(1, 9), Some(4), "one before it has ended elsewhere");
        assert_eq!(ends(5, 9), Some(4));
        assert_eq!(ends(4, 4), Some(2), "behind the last one comes the first");
        assert_eq!(ends(2, 2), None);
    }
}
