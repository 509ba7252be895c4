//! The last texts of a review, on which the text of a plugin may be based: the newest one, and the way back
//! to those before it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::replacement::Replacement;

/// The most changes by which a plugin may be outdated.
const MAX_CHANGES: usize = 64;
/// The most bytes of lines that the history holds, unless it has a single change.
const MAX_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub(super) struct TextHistory {
    /// The revision that brought the oldest text.
    since: u64,
    /// Each revision with another text, and the replacement that restores the text before it.
    back: VecDeque<(u64, Replacement)>,
}

impl TextHistory {
    /// Creates a history that begins with this revision.
    pub(super) fn new(revision: u64) -> Self {
        Self { since: revision, back: VecDeque::new() }
    }

    /// Records the text of a revision.
    pub(super) fn push(&mut self, revision: u64, before: &str, now: &str) {
        self.back.extend(Replacement::between(now, before).map(|back| (revision, back)));
        let bytes = |back: &VecDeque<(u64, Replacement)>| -> usize {
            back.iter().map(|(_, back)| back.text.len()).sum()
        };
        while self.back.len() > MAX_CHANGES || self.back.len() > 1 && bytes(&self.back) > MAX_BYTES {
            self.since = self.back.pop_front().map_or(self.since, |(revision, _)| revision);
        }
    }

    /// Returns the text at a revision that is not newer than `newest`; `None` if that is too long ago.
    pub(super) fn text_at(&self, revision: u64, newest: &Arc<str>) -> Option<Arc<str>> {
        let later = self.back.iter().rev().take_while(|(since, _)| revision < *since);
        (self.since <= revision)
            .then(|| later.fold(newest.clone(), |text, (_, back)| back.applied(text).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the history of these texts, each a revision of its own from 1 on, and the last of them.
    fn history_of(texts: impl Iterator<Item = String>) -> (TextHistory, Arc<str>) {
        let (mut history, mut newest) = (TextHistory::new(1), Arc::<str>::default());
        for (revision, text) in (1..).zip(texts) {
            history.push(revision, &newest, &text);
            newest = text.into();
        }
        (history, newest)
    }

    #[test]
    fn every_revision_since_the_opening_is_known_for_a_while() {
        let (history, newest) = history_of((1..200).map(|revision| format!("{revision}\n")));
        let text_at = |revision| history.text_at(revision, &newest);
        assert_eq!(text_at(199), Some(Arc::from("199\n")));
        assert_eq!(text_at(150), Some(Arc::from("150\n")));
        assert_eq!(text_at(2), None);
    }

    #[test]
    fn the_way_back_is_of_lines_and_not_of_whole_texts() {
        let text = |line: u64| format!("{}{line}\n{}", "a\n".repeat(9999), "b\n".repeat(9999));
        let (history, newest) = history_of((1..50).map(text));
        let bytes: usize = history.back.iter().map(|(_, back)| back.text.len()).sum();
        assert!(bytes < 200, "{bytes}");
        assert_eq!(history.text_at(20, &newest).as_deref(), Some(&*text(20)));
        let (history, _) = history_of((1..4).map(|line| format!("{line}\n").repeat(MAX_BYTES / 3)));
        assert_eq!(history.back.len(), 1, "unless they have no line in common");
    }
}
