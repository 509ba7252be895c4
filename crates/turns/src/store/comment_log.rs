//! The log of comments of a working tree, and of the rounds in which they were sent. The state of all
//! comments is the sum of its lines. Compaction removes rounds that were read long ago.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use alongside_companion::turns::source::ChangeBack;
use alongside_desk::{Anchor, CommentId, LineRange};
use serde::{Deserialize, Serialize};

use crate::lines::anchors::Quotation;
use crate::store::delivery_way::Delivery;
use crate::store::escaped_path::escape;
use crate::store::hash::hash;
use crate::store::json_lines;

/// A session of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    /// The agent, for people.
    pub(crate) agent: String,
    /// The agent's name of its session.
    #[serde(default)]
    pub(crate) session: String,
}

impl Address {
    /// A hash for file names. The agent's name of a session could hold any character.
    pub(crate) fn key(&self) -> String {
        let Self { agent, session } = self;
        hash(format!("{agent}\0{session}").as_bytes())[..16].to_owned()
    }
}

/// A line of the log. Times are in milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Line {
    /// A person has written a comment.
    Written {
        id: CommentId,
        /// The lines of the comment, without their code, which the quotation has.
        anchor: Anchor,
        quotation: Quotation,
        /// The path of the file, escaped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        text: String,
        /// The change that the comment asks the agent to undo.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        back: Option<ChangeBack>,
        at: u64,
    },
    /// The person has changed the words of a comment, or removed it, if `text` is empty. A comment that an
    /// agent has read is to be asked again with these words, or, without words, not to be asked again.
    Changed {
        id: CommentId,
        text: String,
        /// The lines that the comment is about from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<QuotedLines>,
        at: u64,
    },
    /// The person has sent these comments.
    Sent {
        round: u64,
        comments: Vec<CommentId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        undone: Vec<ChangeBack>,
        /// The session that gets the message; absent where no turn was known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Address>,
        /// The keys of the agent's other sessions of that time, which do not get the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        beside: Vec<String>,
        /// The files of that time. Later looks compare them with the disk to find the agent's answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trees: Option<Trees>,
        /// The number of the promise that this round keeps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keeps: Option<u64>,
        at: u64,
    },
    /// The person has confirmed a finish: its changes are about to be undone, and a round will tell of
    /// them. A round follows, or a line of this kind without a promise. If neither does, the process has
    /// died, and the next look sends the list of undone changes.
    Promised {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        promise: Option<Promise>,
        at: u64,
    },
    /// The whole text of the message with these rounds, as it is delivered next.
    Told { rounds: Vec<u64>, text: String, at: u64 },
    /// The delivery of these rounds begins. If no line about its end follows, nobody knows whether the agent
    /// has read them.
    Delivering { rounds: Vec<u64>, at: u64 },
    /// A hook has given these rounds to its session, beside a prompt. They count as read once the turn of the
    /// prompt ends, since a prompt that is blocked, or that the person takes back, reaches no model.
    Given {
        rounds: Vec<u64>,
        by: Address,
        at: u64,
        /// The agent's process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process: Option<u32>,
    },
    /// The delivery of these rounds has failed before the agent could read them.
    NotDelivered { rounds: Vec<u64>, at: u64 },
    /// The person has taken the undo of a file back before an agent has read this round. The round no longer
    /// lists that undo.
    TakenBack {
        round: u64,
        /// The path of the file, escaped.
        path: String,
        at: u64,
    },
    /// A session has read these rounds, or a person has taken them to paste them.
    Read {
        rounds: Vec<u64>,
        delivery: Delivery,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Address>,
        at: u64,
    },
    /// Compaction has removed older lines: their number, and the last ids that they used.
    Compacted { comment: CommentId, round: u64, lines: u64 },
    /// A newer version wrote it.
    #[serde(other)]
    Other,
}

/// The lines that a comment is about, with their text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QuotedLines {
    pub(crate) lines: LineRange,
    pub(crate) quotation: Quotation,
}

/// The new words of a comment that an agent has read and that is to be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedAgain {
    pub(crate) text: String,
    /// The lines that it is then about, as in [`Line::Changed`].
    pub(crate) about: Option<QuotedLines>,
}

/// The promise of a round that is sent once its changes are undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Promise {
    pub(crate) undone: Vec<ChangeBack>,
    #[serde(default)]
    pub(crate) comments: Option<Vec<CommentId>>,
    /// The name of the look that the person has seen.
    pub(crate) look: String,
    /// The number of the promise, which the round that keeps it repeats. A promise of an older version has
    /// none, and the next round keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
}

/// The two trees of a round, in our repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trees {
    /// The files as the person saw them, before anything was undone.
    pub(crate) shown: String,
    /// The files after the undo.
    pub(crate) sent: String,
}

/// A comment, after all lines about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredComment {
    pub(crate) anchor: Anchor,
    pub(crate) quotation: Quotation,
    pub(crate) file: Option<String>,
    pub(crate) text: String,
    /// The words with which the comment is to be sent again, after an agent has read it.
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
    /// The whole text of the message with which this round was delivered last, if it is the newest round
    /// there.
    pub(crate) told: Option<String>,
    pub(crate) given: Option<Given>,
    pub(crate) read: Option<Read>,
}

/// When and to which session rounds were given beside a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) by: Address,
    pub(crate) at: u64,
    /// The agent's process, if it is known.
    pub(crate) process: Option<u32>,
}

/// When and by which way rounds were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) delivery: Delivery,
    pub(crate) by: Option<Address>,
    pub(crate) at: u64,
}

/// The state of all comments and rounds: the sum of the lines of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comments {
    /// All comments, also the removed ones.
    pub(crate) comments: BTreeMap<CommentId, StoredComment>,
    /// All rounds, in the order in which they were sent.
    pub(crate) rounds: Vec<Round>,
    /// The promise that no round has kept yet.
    pub(crate) promise: Option<Promise>,
    /// The number of lines, by which the later one of two states is known.
    pub(crate) lines: u64,
    /// The last ids of a comment and of a round in the lines that compaction has removed.
    last: (u64, u64),
}

/// The log at a path.
#[derive(Debug, Clone)]
pub(crate) struct CommentLog {
    path: PathBuf,
}

impl CommentLog {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// # Errors
    /// When the file exists and cannot be read.
    pub(crate) fn read(&self) -> io::Result<Comments> {
        Ok(Comments::of(json_lines::read(&self.path)?))
    }

    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn append<'a>(&self, lines: impl IntoIterator<Item = &'a Line>) -> io::Result<()> {
        json_lines::append(&self.path, lines)
    }
}

impl Comments {
    /// The state after these lines.
    pub(crate) fn of(lines: impl IntoIterator<Item = Line>) -> Self {
        let mut state = Self::default();
        for line in lines {
            state.apply(line);
        }
        state
    }

    /// Changes the state as a line says.
    pub(crate) fn apply(&mut self, line: Line) {
        self.lines += 1;
        match line {
            Line::Written { id, anchor, quotation, file, text, back, at } => {
                let (again, is_removed) = (None, false);
                let written = StoredComment { anchor, quotation, file, text, again, back, at, is_removed };
                self.comments.insert(id, written);
            }
            Line::Changed { id, text, about, at } => {
                // A session that was given a round may be at work on it.
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

    /// An id that no comment has had.
    pub(crate) fn next_comment(&self) -> CommentId {
        CommentId(self.comments.keys().last().map_or(0, |last| last.0).max(self.last.0) + 1)
    }

    pub(crate) fn next_round(&self) -> u64 {
        self.rounds.iter().map(|round| round.number).max().unwrap_or(0).max(self.last.1) + 1
    }

    /// The comments that the next round sends: those that were never sent, and those that are asked again.
    pub(crate) fn unsent(&self) -> impl Iterator<Item = CommentId> {
        let is_unsent = |(id, comment): &(&CommentId, &StoredComment)| {
            !comment.is_removed && (comment.again.is_some() || self.round_of(**id).is_none())
        };
        self.comments.iter().filter(is_unsent).map(|(id, _)| *id)
    }

    /// The round in which a comment was sent last.
    pub(crate) fn round_of(&self, id: CommentId) -> Option<&Round> {
        self.rounds.iter().rev().find(|round| round.comments.contains(&id))
    }

    /// The rounds that no agent has read and that still hold a comment or an undone change.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Round> {
        let says_something =
            |round: &&Round| !round.undone.is_empty() || self.comments_of(round).next().is_some();
        self.rounds.iter().filter(|round| round.read.is_none()).filter(says_something)
    }

    /// The comments of a round, without those that were removed before an agent read the round.
    pub(crate) fn comments_of(&self, round: &Round) -> impl Iterator<Item = (CommentId, &StoredComment)> {
        let is_read = round.read.is_some();
        round.comments.iter().filter_map(move |id| {
            let comment = self.comments.get(id).filter(|comment| is_read || !comment.is_removed);
            Some((*id, comment?))
        })
    }

    /// The words of all comments whose present words no agent has read.
    pub(crate) fn unread(&self) -> impl Iterator<Item = &str> {
        let waiting = self.waiting().flat_map(|round| self.comments_of(round)).map(|(id, _)| id);
        let ids: BTreeSet<CommentId> = self.unsent().chain(waiting).collect();
        ids.into_iter().filter_map(move |id| self.comments.get(&id)).map(|comment| match &comment.again {
            Some(again) => &*again.text,
            None => &*comment.text,
        })
    }

    /// Whether a person's words would be lost with the log.
    pub(crate) fn is_needed(&self) -> bool {
        self.promise.is_some() || self.unsent().next().is_some() || self.waiting().next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use alongside_platform::private::open_for_appending;

    use super::*;

    fn written(id: u64, text: &str) -> Line {
        let (anchor, quotation) = (Anchor::default(), Quotation::default());
        let (file, back) = (None, None);
        Line::Written { id: CommentId(id), anchor, quotation, file, text: text.into(), back, at: id }
    }

    fn sent(round: u64, comments: &[u64]) -> Line {
        let comments = comments.iter().map(|id| CommentId(*id)).collect();
        let (undone, to, beside, trees) = (Vec::new(), None, Vec::new(), None);
        Line::Sent { round, comments, undone, to, beside, trees, keeps: None, at: 9 }
    }

    fn removed(id: u64) -> Line {
        Line::Changed { id: CommentId(id), text: String::new(), about: None, at: 9 }
    }

    #[test]
    fn a_state_is_the_sum_of_its_lines_whatever_was_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let log = CommentLog::at(directory.path().join("comments"));
        assert_eq!(log.read().unwrap(), Comments::default());
        for line in [written(1, "one"), written(2, "two"), sent(1, &[1])] {
            log.append([&line]).unwrap();
        }
        open_for_appending(log.path()).unwrap().write_all(b"{\"kind\":\"written\",\"id\":3,\"te").unwrap();
        log.append([&written(3, "three")]).unwrap();
        open_for_appending(log.path()).unwrap().write_all(b"{\"kind\":\"later\"}\n").unwrap();
        let state = log.read().unwrap();
        assert_eq!(state.unsent().collect::<Vec<_>>(), [CommentId(2), CommentId(3)]);
        assert_eq!((state.next_comment(), state.next_round()), (CommentId(4), 2));
        assert_eq!(state.waiting().count(), 1);
    }

    #[test]
    fn a_removed_comment_is_not_sent_and_its_id_never_comes_again() {
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
        let read = Line::Read { rounds: vec![1], delivery: Delivery::Prompt, by: None, at: 10 };
        for line in [written(1, "one"), sent(1, &[1]), read, removed(1)] {
            state.apply(line);
        }
        assert!(state.rounds[0].read.is_some() && !state.is_needed());
        assert_eq!(state.comments_of(&state.rounds[0]).count(), 1);
    }

    #[test]
    fn a_comment_that_was_read_is_asked_again_once_or_taken_back() {
        let read = |round| Line::Read { rounds: vec![round], delivery: Delivery::Prompt, by: None, at: 10 };
        let changed = |text: &str| Line::Changed { id: CommentId(1), text: text.into(), about: None, at: 9 };
        let mut state = Comments::of([written(1, "one"), sent(1, &[1]), read(1), changed("again")]);
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
        state.apply(read(2));
        state.apply(removed(1));
        assert!(state.comments[&CommentId(1)].is_removed && !state.is_needed());
    }
}
