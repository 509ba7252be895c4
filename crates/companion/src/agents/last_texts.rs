//! The last texts of ended reviews, for an agent that calls `closeDiff` late or twice.

use std::collections::VecDeque;
use std::sync::Arc;

/// The largest number of remembered texts whose outcome was delivered.
const MAX_DELIVERED_TEXTS: usize = 8;

/// The answer to `closeDiff`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LastText {
    UnknownSession,
    /// The file has no review, and no remembered text.
    NoReview,
    Text(Arc<str>),
}

/// Texts by the path of their file, newest last.
#[derive(Debug, Default)]
pub(super) struct LastTexts(VecDeque<(String, Arc<str>)>);

impl LastTexts {
    /// Remembers a text. A text whose outcome `is_undelivered` stays beyond the limit, because an agent that
    /// gets no text writes its whole proposal.
    pub(super) fn remember(&mut self, path: &str, text: Arc<str>, is_undelivered: impl Fn(&str) -> bool) {
        self.forget(path);
        self.0.push_back((path.to_owned(), text));
        let delivered = self.0.iter().filter(|(path, _)| !is_undelivered(path)).count();
        let mut surplus = delivered.saturating_sub(MAX_DELIVERED_TEXTS);
        self.0.retain(|(path, _)| {
            let is_removed = surplus > 0 && !is_undelivered(path);
            surplus -= usize::from(is_removed);
            !is_removed
        });
    }

    pub(super) fn get(&self, path: &str) -> Option<Arc<str>> {
        self.0.iter().find(|(ended, _)| ended == path).map(|(_, text)| text.clone())
    }

    /// Forgets the text of a file whose review is settled, or which gets a new review.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.retain(|(ended, _)| ended != path);
    }
}
