//! The one thing that keeps line mode from listening to the person.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::ReviewId;
use alongside_desk::review_model::Acceptances;
use alongside_terminal::Editing;
use tokio::time::{Instant, sleep_until};

/// An agent has mostly written what was accepted by then: the companion looks 200 ms after a write.
const TIME_FOR_WORDS: Duration = Duration::from_millis(600);

/// The thing that keeps the desk from listening to the person.
#[derive(Debug)]
pub(super) enum Activity {
    /// Nothing: the desk listens.
    Listening,
    /// A decision was sent, and its review has not closed yet.
    Deciding(ReviewId),
    /// Acceptances of a list were sent, and not all have been answered.
    Accepting(Acceptances),
    /// These reviews were accepted, and nobody has said what became of their files. The next review is
    /// printed below that, or at this time.
    AwaitingWords(BTreeSet<ReviewId>, Instant),
    /// The person's editor has the terminal.
    Editor(Box<Editing>),
}

impl Activity {
    /// The activity after these reviews were accepted. `waits`: another review is to be printed next.
    pub(super) fn awaiting(accepted: BTreeSet<ReviewId>, waits: bool) -> Self {
        match waits && !accepted.is_empty() {
            true => Self::AwaitingWords(accepted, Instant::now() + TIME_FOR_WORDS),
            false => Self::Listening,
        }
    }

    /// Takes the last word on the file of a review. Returns whether no other one is waited for.
    pub(super) fn take_last_word(&mut self, id: ReviewId) -> bool {
        match self {
            Self::AwaitingWords(ids, _) => ids.remove(&id) && ids.is_empty(),
            Self::Listening | Self::Deciding(_) | Self::Accepting(_) | Self::Editor(_) => false,
        }
    }

    /// Waits until the next review is printed all the same. Cancel safe.
    pub(super) fn words_overdue(&self) -> impl Future<Output = ()> + use<> {
        let due = match self {
            Self::AwaitingWords(_, due) => Some(*due),
            Self::Listening | Self::Deciding(_) | Self::Accepting(_) | Self::Editor(_) => None,
        };
        async move {
            match due {
                Some(due) => sleep_until(due).await,
                None => std::future::pending().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_words_of_all_accepted_reviews_are_awaited_for_a_while() {
        let two = || BTreeSet::from([ReviewId(1), ReviewId(2)]);
        let mut activity = Activity::awaiting(two(), true);
        assert!(!activity.take_last_word(ReviewId(1)));
        assert!(!activity.take_last_word(ReviewId(9)), "it was accepted before");
        assert!(activity.take_last_word(ReviewId(2)));
        let began = Instant::now();
        Activity::awaiting(two(), true).words_overdue().await;
        assert_eq!(began.elapsed(), TIME_FOR_WORDS);
        for listens in [Activity::awaiting(two(), false), Activity::awaiting(BTreeSet::new(), true)] {
            assert!(matches!(listens, Activity::Listening), "{listens:?}");
        }
    }
}
