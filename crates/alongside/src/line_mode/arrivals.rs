//! The proposals that have arrived and are not announced yet. Proposals that arrive together are announced in
//! one line.

use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::review_model::OpenReview;
use alongside_desk::{Review, ReviewId, messages};
use tokio::time::Instant;

/// The time from the first arrival to the announcement of all that have arrived by then.
const ANNOUNCEMENT_DELAY: Duration = Duration::from_millis(200);

/// The hint in an announcement on how to list the reviews.
const LIST_HINT: &str = "l lists them";

/// The reviews that have arrived and are not announced yet.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    ids: Vec<ReviewId>,
    /// The time of the announcement.
    due: Option<Instant>,
}

impl Arrivals {
    /// Adds a review that has arrived while the person reads another one.
    pub(super) fn add(&mut self, id: ReviewId) {
        self.ids.push(id);
        self.due.get_or_insert_with(|| Instant::now() + ANNOUNCEMENT_DELAY);
    }

    /// Removes a review that has ended or that the person reads, so that it is not announced.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.ids.retain(|known| *known != id);
        if self.ids.is_empty() {
            self.due = None;
        }
    }

    /// Waits for the time of the announcement. Cancel safe.
    pub(super) fn due(&self) -> impl Future<Output = ()> + use<> {
        let due = self.due;
        async move {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Removes all arrivals. Returns the announcement of those that still wait, or `None` if none does.
    pub(super) fn announce(&mut self, waiting: &[OpenReview], roots: &[PathBuf]) -> Option<String> {
        let ids = std::mem::take(self).ids;
        let open = waiting.iter().map(OpenReview::review);
        let arrived: Vec<&Review> = open.filter(|review| ids.contains(&review.id)).collect();
        match *arrived {
            [] => None,
            [review] => Some(messages::arrived(review, roots, waiting.len(), LIST_HINT)),
            _ => Some(messages::arrived_together(&arrived, roots, waiting.len(), LIST_HINT)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn proposals_that_arrive_together_are_announced_once() {
        let open = |id: u64| {
            let file = format!("/p/{id}.rs");
            OpenReview::new(Review { id: ReviewId(id), file, ..Review::default() })
        };
        let waiting: Vec<_> = (0..4).map(open).collect();
        let mut arrivals = Arrivals::default();
        let began = Instant::now();
        arrivals.add(ReviewId(1));
        tokio::time::advance(ANNOUNCEMENT_DELAY / 2).await;
        for id in [2, 3, 9] {
            arrivals.add(ReviewId(id));
        }
        arrivals.due().await;
        assert_eq!(began.elapsed(), ANNOUNCEMENT_DELAY, "the first one does not wait longer for the others");
        arrivals.forget(ReviewId(3));
        let announcement = arrivals.announce(&waiting, &["/p".into()]);
        assert!(announcement.is_some_and(|text| text.starts_with("2 new reviews: 1.rs, 2.rs ")));
        assert_eq!(arrivals.announce(&waiting, &[]), None);
        arrivals.add(ReviewId(1));
        arrivals.forget(ReviewId(1));
        assert!(
            tokio::time::timeout(ANNOUNCEMENT_DELAY * 9, arrivals.due()).await.is_err(),
            "nothing is due"
        );
    }
}
