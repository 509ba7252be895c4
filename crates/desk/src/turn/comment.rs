//! A person's comments on a turn, and the message by which an agent reads them.
//!
//! A comment is on disk before its request is answered. While the file changes, the lines of the comment
//! are found again by their content. A comment whose lines are gone stays all the same.

use serde::{Deserialize, Serialize};

use crate::review::Lines;

/// The id of a comment within its working tree, which no other comment gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommentId(pub u64);

/// A person's words on lines, on a file, or on a whole turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// The id of the comment.
    pub id: CommentId,
    /// The lines, file or turn that the comment is about, as they were when it was written.
    pub anchor: Anchor,
    /// The person's words. Render them harmless before showing them.
    pub text: String,
    /// The time at which the comment was written or last changed, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The present lines of the comment, in the text of their [side](Anchor::side); absent for a whole file,
    /// for the whole turn, and where the lines are [lost](Self::lost).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<LineRange>,
    /// Whether the lines of the comment are nowhere in the file any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lost: bool,
    /// Whether the comment has gone to the agent, and whether its lines have changed since.
    #[serde(default, skip_serializing_if = "CommentState::is_unsent")]
    pub state: CommentState,
    /// Whether the person asks again after an agent has read the comment: it is unsent, and goes with the
    /// next finish.
    #[serde(default, skip_serializing_if = "is_false")]
    pub again: bool,
}

/// Whether a comment has gone to the agent, and whether its lines have changed since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommentState {
    /// The comment waits for the person's finish.
    #[default]
    Unsent,
    /// The comment is in a message that the agent has read or will read. No answer is known.
    Sent,
    /// An agent has read the comment, and since it was sent, its lines have changed on disk, or lines were
    /// added directly above or below them. This does not say whether the agent did as it was asked.
    Answered,
    /// An agent has read the comment, a turn has ended since, and its lines are as they were when it was
    /// sent.
    Open,
    /// A state that only later companions know; the comment was sent.
    #[serde(other)]
    Other,
}

impl CommentState {
    /// Whether the comment waits for the person's finish.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        *self == Self::Unsent
    }

    /// Whether the agent has left the lines as they were.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Self::Open
    }

    /// Whether an agent has read the comment, so that the person can ask again.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Open | Self::Answered)
    }
}

/// The subject of a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    /// As [`TurnFile::path`](crate::TurnFile::path); absent: the whole turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The lines when the comment was written; absent: the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRange>,
    /// The text in which these lines are.
    #[serde(default, skip_serializing_if = "Side::is_new")]
    pub side: Side,
    /// The text of these lines when the comment was written. Render it harmless before showing it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
}

/// One of the two texts of a file of a turn review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// The text on disk: `proposed` of an open file.
    #[default]
    New,
    /// The baseline: `original` of an open file.
    Old,
}

impl Side {
    /// Whether this side is the text on disk.
    #[must_use]
    pub fn is_new(&self) -> bool {
        *self == Self::New
    }
}

/// Lines as people count them: from 1, the last one included. Not to be confused with [`Lines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line, from 1.
    pub first: usize,
    /// The last line, which may be the first.
    pub last: usize,
}

impl LineRange {
    /// These lines as people count them; `None` if there are none.
    #[must_use]
    pub fn of(lines: Lines) -> Option<Self> {
        (lines.start < lines.end).then(|| Self { first: lines.start + 1, last: lines.end })
    }

    /// These lines as a range from 0, whose end is exclusive.
    #[must_use]
    pub fn lines(self) -> Lines {
        Lines { start: self.first.saturating_sub(1), end: self.last }
    }

    /// Whether a line, counted from 1, is one of these lines.
    #[must_use]
    pub fn holds(self, line: usize) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

/// For people: `line 4`, `lines 4–7`.
impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {}–{}", self.first, self.last)
        }
    }
}

/// The way by which a message would reach an agent, before it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// The agent, for people and harmless; empty if it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The way and the time by which the agent reads the message, in one line, harmless to show: `Codex reads
    /// it with your next prompt`.
    pub words: String,
    /// Whether the process that ran the agent's last turn has ended; false where that is not known.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_left: bool,
}

/// A message to an agent: what was undone, what is to be undone, and comments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnMessage {
    /// The whole text of the message, as an agent reads it that takes so long a text. Harmless to show.
    pub text: String,
    /// Which agent reads it by which way and when, or has read it; in one line, harmless to show.
    pub words: String,
    /// The time at which the person sent the message, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The time at which an agent read the message; absent if none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<u64>,
    /// The time at which the turn that read the message ended; absent while the turn lasts, and if its end is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<u64>,
}

/// Leaves the usual value out of a message.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_1_for_people() {
        let lines = LineRange::of(Lines { start: 3, end: 7 }).unwrap();
        assert_eq!((lines, lines.to_string().as_str()), (LineRange { first: 4, last: 7 }, "lines 4–7"));
        assert_eq!(lines.lines(), Lines { start: 3, end: 7 });
        assert_eq!(LineRange::of(Lines { start: 3, end: 3 }), None);
        assert_eq!(LineRange { first: 4, last: 4 }.to_string(), "line 4");
        assert!(lines.holds(4) && lines.holds(7) && !lines.holds(3) && !lines.holds(8));
    }

    #[test]
    fn a_later_state_is_one_that_was_sent() {
        let comment = r#"{"id":1,"anchor":{},"text":"t","at":2,"state":"later"}"#;
        let comment: Comment = serde_json::from_str(comment).unwrap();
        assert_eq!((comment.state, comment.state.is_unsent()), (CommentState::Other, false));
    }
}
