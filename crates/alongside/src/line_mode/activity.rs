//! The activity during which line mode reads no line of the person.

use std::collections::BTreeSet;
use std::time::Duration;

use alongside_desk::ReviewId;
use alongside_desk::review_model::Acceptances;
use alongside_terminal::Editing;
use tokio::time::{Instant, sleep_until};

/// The longest wait for the last words. Most agents have written by then, and the companion reads a file 200
/// ms after its write.
const LAST_WORD_TIMEOUT: Duration = Duration::from_millis(600);

/// The activity of the desk.
#[derive(Debug)]
pub(super) enum Activity {
    /// The desk reads lines.
    Listening,
    /// A decision was sent, and its review has not closed yet.
    Deciding(ReviewId),
    /// Acceptances of a list were sent, and some have no answer yet.
    Accepting(Acceptances),
    /// These reviews were accepted, and their last words have not come. The next review is printed after the
    /// last words, and at this time at the latest.
    AwaitingLastWords(BTreeSet<ReviewId>, Instant),
    /// The person's editor has the terminal.
    Editor(Box<Editing>),
}

impl Activity {
    /// Returns the activity after these reviews were accepted. `has_next`: another review is printed next.
    pub(super) fn awaiting(accepted: BTreeSet<ReviewId>, has_next: bool) -> Self {
        match has_next && !accepted.is_empty() {
            true => Self::AwaitingLastWords(accepted, Instant::now() + LAST_WORD_TIMEOUT),
            false => Self::Listening,
        }
    }

    /// Removes a review whose last word has come. Returns whether it was the last of the awaited ones.
    pub(super) fn take_last_word(&mut self, id: ReviewId) -> bool {
        match self {
            Self::AwaitingLastWords(ids, _) => ids.remove(&id) && ids.is_empty(),
            Self::Listening | Self::Deciding(_) | Self::Accepting(_) | Self::Editor(_) => false,
        }
    }

    /// Waits until the last words are overdue. Cancel safe.
    pub(super) fn last_words_overdue(&self) -> impl Future<Output = ()> + use<> {
        let due = match self {
            Self::AwaitingLastWords(_, due) => Some(*due),
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
    async fn accepting_all_waits_briefly_for_the_last_words_of_reviews() {
        let two = || BTreeSet::from([ReviewId(1), ReviewId(2)]);
        let mut activity = Activity::awaiting(two(), true);
        assert!(!activity.take_last_word(ReviewId(1)));
        assert!(!activity.take_last_word(ReviewId(9)), "it was accepted before");
        assert!(activity.take_last_word(ReviewId(2)));
        let began = Instant::now();
        Activity::awaiting(two(), true).last_words_overdue().await;
        assert_eq!(began.elapsed(), LAST_WORD_TIMEOUT);
        for listens in [Activity::awaiting(two(), false), Activity::awaiting(BTreeSet::new(), true)] {
            assert!(matches!(listens, Activity::Listening), "{listens:?}");
        }
    }
}
