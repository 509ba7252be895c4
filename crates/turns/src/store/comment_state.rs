//! The state of all comments and rounds of a working tree, which results from the lines of the log.

use std::collections::{BTreeMap, BTreeSet};

use alongside_companion::turns::source::ChangeBack;
use alongside_desk::{Anchor, CommentId};

use crate::lines::anchors::Quotation;
use crate::store::comment_line::{Line, Promise, QuotedLines, Trees};
use crate::store::delivery_way::Delivery;
use crate::store::escaped_path::escape;
use crate::store::session_address::Address;

/// The new text of a comment that an agent has read and that is to be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedAgain {
    pub(crate) text: String,
    /// The lines that the comment is then about, as in [`Line::Changed`].
    pub(crate) about: Option<QuotedLines>,
}

/// The state of a comment after all lines about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredComment {
    pub(crate) anchor: Anchor,
    pub(crate) quotation: Quotation,
    pub(crate) file: Option<String>,
    pub(crate) text: String,
    /// The text with which the comment is to be sent again, after an agent has read it.
    pub(crate) again: Option<AskedAgain>,
    pub(crate) back: Option<ChangeBack>,
    pub(crate) at: u64,
    pub(crate) is_removed: bool,
}

/// A round: comments that were sent together, and the changes that the person has undone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Round {
    pub(crate) number: u64,
    pub(crate) comments: Vec<CommentId>,
    pub(crate) undone: Vec<ChangeBack>,
    pub(crate) to: Option<Address>,
    pub(crate) beside: Vec<String>,
    pub(crate) trees: Option<Trees>,
    pub(crate) at: u64,
    /// The number of deliveries that have begun and whose end is unknown.
    pub(crate) attempts: usize,
    /// The whole text of the message with which this round was delivered last, if this is the newest round of
    /// the message.
    pub(crate) told: Option<String>,
    pub(crate) given: Option<Given>,
    pub(crate) read: Option<Read>,
}

/// The time at which, and the session to which, rounds were given beside a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) by: Address,
    pub(crate) at: u64,
    /// The agent's process, if it is known.
    pub(crate) process: Option<u32>,
}

/// The time at which, the session by which, and the way on which rounds were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) delivery: Delivery,
    pub(crate) by: Option<Address>,
    pub(crate) at: u64,
}

/// The state of all comments and rounds, after all lines of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comments {
    /// All comments, also the removed ones.
    pub(crate) comments: BTreeMap<CommentId, StoredComment>,
    /// All rounds, in the order in which they were sent.
    pub(crate) rounds: Vec<Round>,
    /// The promise that no round has kept yet.
    pub(crate) promise: Option<Promise>,
    /// The number of lines. The newer of two states has the larger number.
    pub(crate) lines: u64,
    /// The last ids of a comment and of a round in the lines that compaction has removed.
    last: (u64, u64),
}

impl Comments {
    /// Returns the state after these lines.
    pub(crate) fn of(lines: impl IntoIterator<Item = Line>) -> Self {
        let mut state = Self::default();
        for line in lines {
            state.apply(line);
        }
        state
    }

    /// Applies a line to the state.
    pub(crate) fn apply(&mut self, line: Line) {
        self.lines += 1;
        match line {
            Line::Written { id, anchor, quotation, file, text, back, at } => {
                let (again, is_removed) = (None, false);
                let written = StoredComment { anchor, quotation, file, text, again, back, at, is_removed };
                self.comments.insert(id, written);
            }
            Line::Changed { id, text, about, at } => {
                // A session that was given a round may be working on it.
                let is_read = self.round_of(id).is_some_and(|it| it.read.is_some() || it.given.is_some());
                if let Some(comment) = self.comments.get_mut(&id) {
                    match (text.is_empty(), is_read) {
                        (true, true) if comment.again.take().is_some() => {}
                        (true, _) => comment.is_removed = true,
                        (false, true) => {
                            let earlier = comment.again.take().and_then(|again| again.about);
                            comment.again = Some(AskedAgain { text, about: about.or(earlier) });
                            comment.at = at;
                        }
                        (false, false) => {
                            (comment.text, comment.at, comment.is_removed) = (text, at, false);
                        }
                    }
                }
            }
            Line::Promised { promise, .. } => self.promise = promise,
            Line::Sent { round, comments, undone, to, beside, trees, keeps, at } => {
                self.promise.take_if(|promise| promise.number == keeps);
                for id in &comments {
                    if let Some(comment) = self.comments.get_mut(id)
                        && let Some(again) = comment.again.take()
                    {
                        comment.text = again.text;
                        if let Some(QuotedLines { lines, quotation }) = again.about {
                            (comment.anchor.lines, comment.quotation) = (Some(lines), quotation);
                        }
                    }
                }
                let new =
                    Round { number: round, comments, undone, to, beside, trees, at, ..Round::default() };
                self.rounds.push(new);
            }
            Line::Told { rounds, text, .. } => {
                let newest = rounds.iter().max();
                if let Some(round) = self.rounds.iter_mut().find(|round| Some(&round.number) == newest) {
                    round.told = Some(text);
                }
            }
            Line::Delivering { rounds, .. } => {
                for round in self.rounds.iter_mut().filter(|round| rounds.contains(&round.number)) {
                    round.attempts += 1;
                }
            }
            Line::Given { rounds, by, at, process } => {
                for round in self.rounds.iter_mut().filter(|round| rounds.contains(&round.number)) {
                    round.given = Some(Given { by: by.clone(), at, process });
                }
            }
            Line::NotDelivered { rounds, .. } => {
                for round in self.rounds.iter_mut().filter(|round| rounds.contains(&round.number)) {
                    round.attempts = round.attempts.saturating_sub(1);
                }
            }
            Line::TakenBack { round, path, .. } => {
                let is_it = |it: &&mut Round| it.number == round && it.read.is_none();
                if let Some(round) = self.rounds.iter_mut().find(is_it) {
                    round.undone.retain(|change| escape(change.path.as_bytes()) != path);
                }
            }
            Line::Read { rounds, delivery, by, at } => {
                let comments = &self.comments;
                let is_there = |id: &CommentId| comments.get(id).is_some_and(|comment| !comment.is_removed);
                for round in self.rounds.iter_mut().filter(|round| rounds.contains(&round.number)) {
                    round.comments.retain(is_there);
                    // This delivery has succeeded, so its end is known.
                    round.attempts = round.attempts.saturating_sub(1);
                    round.read = Some(Read { delivery, by: by.clone(), at });
                }
            }
            Line::Compacted { comment, round, lines } => {
                self.last = (comment.0, round);
                self.lines += lines.saturating_sub(1);
            }
            Line::Other => {}
        }
    }

    /// Returns an id that no comment has had.
    pub(crate) fn next_comment(&self) -> CommentId {
        CommentId(self.comments.keys().last().map_or(0, |last| last.0).max(self.last.0) + 1)
    }

    pub(crate) fn next_round(&self) -> u64 {
        self.rounds.iter().map(|round| round.number).max().unwrap_or(0).max(self.last.1) + 1
    }

    /// Lists the comments that the next round sends: comments that were never sent, and comments that are
    /// asked again.
    pub(crate) fn unsent(&self) -> impl Iterator<Item = CommentId> {
        let is_unsent = |(id, comment): &(&CommentId, &StoredComment)| {
            !comment.is_removed && (comment.again.is_some() || self.round_of(**id).is_none())
        };
        self.comments.iter().filter(is_unsent).map(|(id, _)| *id)
    }

    /// Returns the round in which a comment was sent last.
    pub(crate) fn round_of(&self, id: CommentId) -> Option<&Round> {
        self.rounds.iter().rev().find(|round| round.comments.contains(&id))
    }

    /// Lists the rounds that no agent has read and that still hold a comment or an undone change.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Round> {
        let says_something =
            |round: &&Round| !round.undone.is_empty() || self.comments_of(round).next().is_some();
        self.rounds.iter().filter(|round| round.read.is_none()).filter(says_something)
    }

    /// Lists the comments of a round, without those that were removed before an agent read the round.
    pub(crate) fn comments_of(&self, round: &Round) -> impl Iterator<Item = (CommentId, &StoredComment)> {
        let is_read = round.read.is_some();
        round.comments.iter().filter_map(move |id| {
            let comment = self.comments.get(id).filter(|comment| is_read || !comment.is_removed);
            Some((*id, comment?))
        })
    }

    /// Lists the texts of all comments whose current text no agent has read.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &str> {
        let waiting = self.waiting().flat_map(|round| self.comments_of(round)).map(|(id, _)| id);
        let ids: BTreeSet<CommentId> = self.unsent().chain(waiting).collect();
        ids.into_iter().filter_map(move |id| self.comments.get(&id)).map(|comment| match &comment.again {
            Some(again) => &*again.text,
            None => &*comment.text,
        })
    }

    /// Whether unread comments or messages would be lost with the log.
    pub(crate) fn is_needed(&self) -> bool {
        self.promise.is_some() || self.unsent().next().is_some() || self.waiting().next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample_comment_lines::{read, removed, sent, written};

    #[test]
    fn a_removed_comment_is_not_sent_and_its_id_is_not_reused() {
        let mut state = Comments::default();
        for line in [written(1, "one"), written(2, "two"), removed(2), sent(1, &[1])] {
            state.apply(line);
        }
        assert_eq!((state.unsent().count(), state.next_comment()), (0, CommentId(3)));
        assert!(state.is_needed());
        state.apply(removed(1));
        assert!(state.waiting().next().is_none() && !state.is_needed(), "nothing is left to say");
    }

    #[test]
    fn a_comment_that_was_read_stays_as_it_was_read() {
        let mut state = Comments::default();
        for line in [written(1, "one"), sent(1, &[1]), read(1, 10), removed(1)] {
            state.apply(line);
        }
        assert!(state.rounds[0].read.is_some() && !state.is_needed());
        assert_eq!(state.comments_of(&state.rounds[0]).count(), 1);
    }

    #[test]
    fn a_comment_that_was_read_is_asked_again_once_or_closed() {
        let changed = |text: &str| Line::Changed { id: CommentId(1), text: text.into(), about: None, at: 9 };
        let mut state = Comments::of([written(1, "one"), sent(1, &[1]), read(1, 10), changed("again")]);
        assert_eq!(state.unsent().collect::<Vec<_>>(), [CommentId(1)]);
        assert_eq!(state.comments[&CommentId(1)].text, "one", "as it was read");
        assert!(state.is_needed());
        state.apply(removed(1));
        assert!(state.unsent().next().is_none() && !state.comments[&CommentId(1)].is_removed, "as before");
        state.apply(changed("again"));
        state.apply(sent(2, &[1]));
        assert!(state.unsent().next().is_none() && state.waiting().count() == 1);
        assert_eq!(state.comments[&CommentId(1)].text, "again");
        state.apply(changed("other words"));
        assert!(state.unsent().next().is_none(), "those of the message that waits");
        state.apply(read(2, 10));
        state.apply(removed(1));
        assert!(state.comments[&CommentId(1)].is_removed && !state.is_needed());
    }
}
