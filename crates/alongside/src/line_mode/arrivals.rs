//! The proposals that have arrived and are not announced yet: those that come together are told in one line.

use std::path::PathBuf;
use std::time::Duration;

use alongside_desk::review_model::OpenReview;
use alongside_desk::{Review, ReviewId, messages};
use tokio::time::Instant;

/// Proposals that come within this time of the first one are announced with it.
const TOGETHER: Duration = Duration::from_millis(200);

/// The way to a review, in an announcement.
const KEY: &str = "l lists them";

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    ids: Vec<ReviewId>,
    /// When they are announced.
    due: Option<Instant>,
}

impl Arrivals {
    /// A review has arrived while the person reads another one.
    pub(super) fn add(&mut self, id: ReviewId) {
        self.ids.push(id);
        self.due.get_or_insert_with(|| Instant::now() + TOGETHER);
    }

    /// A review has ended, or the person reads it: it is not announced.
    pub(super) fn forget(&mut self, id: ReviewId) {
        self.ids.retain(|known| *known != id);
        if self.ids.is_empty() {
            self.due = None;
        }
    }

    /// Waits until arrivals are to be announced. Cancel safe.
    pub(super) fn due(&self) -> impl Future<Output = ()> + use<> {
        let due = self.due;
        async move {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Takes the announcement of these among the reviews that wait; none if they are all gone.
    pub(super) fn announce(&mut self, waiting: &[OpenReview], roots: &[PathBuf]) -> Option<String> {
        let ids = std::mem::take(self).ids;
        let open = waiting.iter().map(OpenReview::review);
        let arrived: Vec<&Review> = open.filter(|review| ids.contains(&review.id)).collect();
        match *arrived {
            [] => None,
            [review] => Some(messages::arrived(review, roots, waiting.len(), KEY)),
            _ => Some(messages::arrived_together(&arrived, roots, waiting.len(), KEY)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn those_that_come_together_are_told_once() {
        let open = |id: u64| {
            let file = format!("/p/{id}.rs");
            OpenReview::new(Review { id: ReviewId(id), file, ..Review::default() })
        };
        let waiting: Vec<_> = (0..4).map(open).collect();
        let mut arrivals = Arrivals::default();
        let began = Instant::now();
        arrivals.add(ReviewId(1));
        tokio::time::advance(TOGETHER / 2).await;
        for id in [2, 3, 9] {
            arrivals.add(ReviewId(id));
        }
        arrivals.due().await;
        assert_eq!(began.elapsed(), TOGETHER, "the first one does not wait longer for the others");
        arrivals.forget(ReviewId(3));
        let said = arrivals.announce(&waiting, &["/p".into()]);
        assert!(said.is_some_and(|said| said.starts_with("2 new reviews: 1.rs, 2.rs ")));
        assert_eq!(arrivals.announce(&waiting, &[]), None);
        arrivals.add(ReviewId(1));
        arrivals.forget(ReviewId(1));
        assert!(tokio::time::timeout(TOGETHER * 9, arrivals.due()).await.is_err(), "nothing is due");
    }
}
