//! The last texts of reviews that ended, for an agent that closes a review late or twice.

use std::collections::VecDeque;
use std::sync::Arc;

/// The number of delivered texts that are remembered.
const REMEMBERED: usize = 8;

/// The answer to `closeDiff`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LastText {
    UnknownSession,
    /// The file has no review, and none that ended a moment ago.
    NoReview,
    Text(Arc<str>),
}

/// Texts by the path of their file, newest last.
#[derive(Debug, Default)]
pub(super) struct LastTexts(VecDeque<(String, Arc<str>)>);

impl LastTexts {
    /// A text of which the outcome `is_undelivered` stays, for an agent that gets no text writes its whole
    /// proposal.
    pub(super) fn remember(&mut self, path: &str, text: Arc<str>, is_undelivered: impl Fn(&str) -> bool) {
        self.forget(path);
        self.0.push_back((path.to_owned(), text));
        let delivered = self.0.iter().filter(|(path, _)| !is_undelivered(path)).count();
        let mut spare = delivered.saturating_sub(REMEMBERED);
        self.0.retain(|(path, _)| {
            let goes = spare > 0 && !is_undelivered(path);
            spare -= usize::from(goes);
            !goes
        });
    }

    pub(super) fn get(&self, path: &str) -> Option<Arc<str>> {
        self.0.iter().find(|(ended, _)| ended == path).map(|(_, text)| text.clone())
    }

    /// The review of this file is settled, or a new one begins.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.retain(|(ended, _)| ended != path);
    }
}
