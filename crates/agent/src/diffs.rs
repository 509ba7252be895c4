//! Diffs that wait for their outcome. The first outcome for a path settles the diff with this path, compared
//! byte for byte; other outcomes are ignored.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The outcome of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The person accepted this text, and the agent is to write it.
    Accepted {
        /// The text, with the person's edits.
        content: String,
    },
    /// The person rejected it.
    Rejected,
    /// The view was closed. Companions of mid 2025 report only that, and agents treat it as a rejection.
    Closed {
        /// The text at that time, if the companion sent it.
        content: Option<String>,
    },
    /// No outcome will arrive: the companion or the session has ended, or the same path was opened again.
    Lost,
}

/// A diff that the companion shows.
#[derive(Debug)]
pub struct PendingDiff {
    path: String,
    outcome: oneshot::Receiver<Outcome>,
}

impl PendingDiff {
    /// Returns the path as it was sent.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Waits for the outcome, however long the person takes.
    pub async fn outcome(self) -> Outcome {
        self.outcome.await.unwrap_or(Outcome::Lost)
    }
}

/// The diffs that wait for an outcome, by path.
#[derive(Default)]
pub(crate) struct Diffs(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    by_path: HashMap<String, oneshot::Sender<Outcome>>,
    lost: bool,
}

impl Diffs {
    pub(crate) fn wait_for(&self, path: &str) -> PendingDiff {
        let (sender, outcome) = oneshot::channel();
        let mut waiting = self.lock();
        if !waiting.lost {
            waiting.by_path.insert(path.to_owned(), sender);
        }
        PendingDiff { path: path.to_owned(), outcome }
    }

    /// Settles the diff that waits for `path`. Returns whether there is one.
    pub(crate) fn settle(&self, path: &str, outcome: Outcome) -> bool {
        let waiter = self.lock().by_path.remove(path);
        waiter.is_some_and(|waiter| waiter.send(outcome).is_ok())
    }

    pub(crate) fn forget(&self, path: &str) {
        self.lock().by_path.remove(path);
    }

    /// Ends every diff that waits, now or later, as lost: no outcome will arrive any more.
    pub(crate) fn lose_all(&self) {
        let mut waiting = self.lock();
        waiting.lost = true;
        waiting.by_path.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_path_is_compared_byte_for_byte() {
        let diffs = Diffs::default();
        let pending = diffs.wait_for("/p/a");
        assert!(!diffs.settle("/p//a", Outcome::Rejected));
        assert!(diffs.settle("/p/a", Outcome::Accepted { content: "x".into() }));
        assert!(!diffs.settle("/p/a", Outcome::Rejected));
        assert_eq!(pending.outcome().await, Outcome::Accepted { content: "x".into() });
    }

    #[tokio::test]
    async fn waiting_diffs_end_as_lost() {
        let diffs = Diffs::default();
        let (replaced, before) = (diffs.wait_for("/a"), diffs.wait_for("/a"));
        assert_eq!(replaced.outcome().await, Outcome::Lost);
        diffs.lose_all();
        assert_eq!(before.outcome().await, Outcome::Lost);
        assert_eq!(diffs.wait_for("/b").outcome().await, Outcome::Lost);
    }
}
