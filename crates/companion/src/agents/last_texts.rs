//! The last texts of ended reviews, for an agent that calls `closeDiff` late or twice.

use std::collections::VecDeque;
use std::sync::Arc;

/// The largest number of remembered texts whose outcome was delivered.
const MAX_DELIVERED_TEXTS: usize = 8;
/// The largest size of these texts in bytes. The last text is remembered even if it is larger.
const MAX_DELIVERED_BYTES: usize = 16 << 20;

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
    /// Remembers a text. A text whose outcome `is_undelivered` stays beyond the limits, because an agent that
    /// gets no text writes its whole proposal.
    pub(super) fn remember(&mut self, path: &str, text: Arc<str>, is_undelivered: impl Fn(&str) -> bool) {
        self.forget(path);
        self.0.push_back((path.to_owned(), text));
        let (mut texts, mut bytes) = (0, 0);
        let stays = |(path, text): &(String, Arc<str>)| {
            if is_undelivered(path) {
                return true;
            }
            (texts, bytes) = (texts + 1, bytes + text.len());
            texts == 1 || texts <= MAX_DELIVERED_TEXTS && bytes <= MAX_DELIVERED_BYTES
        };
        // The newest text comes first here, and last below.
        let mut stay: Vec<bool> = self.0.iter().rev().map(stays).collect();
        self.0.retain(|_| stay.pop() == Some(true));
    }

    pub(super) fn get(&self, path: &str) -> Option<Arc<str>> {
        self.0.iter().find(|(ended, _)| ended == path).map(|(_, text)| text.clone())
    }

    /// Forgets the text of a file whose review is settled, or which gets a new review.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.retain(|(ended, _)| ended != path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered(texts: &[(&str, usize)], undelivered: &str) -> Vec<String> {
        let mut last = LastTexts::default();
        for (path, bytes) in texts {
            last.remember(path, "x".repeat(*bytes).into(), |path| path == undelivered);
        }
        texts.iter().map(|(path, _)| (*path).to_owned()).filter(|path| last.get(path).is_some()).collect()
    }

    #[test]
    fn the_last_eight_delivered_texts_are_remembered() {
        let texts = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|path| (path, 1));
        assert_eq!(remembered(&texts, "-"), ["c", "d", "e", "f", "g", "h", "i", "j"]);
        assert_eq!(remembered(&texts, "a"), ["a", "c", "d", "e", "f", "g", "h", "i", "j"]);
    }

    #[test]
    fn large_delivered_texts_are_forgotten_before_the_eighth() {
        const HALF: usize = MAX_DELIVERED_BYTES / 2;
        assert_eq!(remembered(&[("a", HALF), ("b", HALF), ("c", 0)], "-"), ["a", "b", "c"]);
        assert_eq!(remembered(&[("a", HALF), ("b", HALF), ("c", 1)], "-"), ["b", "c"]);
        assert_eq!(remembered(&[("a", 1), ("b", 3 * HALF)], "-"), ["b"], "the last one stays");
        assert_eq!(remembered(&[("a", HALF), ("b", HALF), ("c", HALF)], "a"), ["a", "b", "c"]);
    }
}
